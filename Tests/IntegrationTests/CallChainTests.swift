import HostContract
import KithRPC
import KithTesting
import RiskContract
import Testing

/// A worker that calls another while it answers.
@Suite struct CallChainTests {
  private static let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

  /// `odd` asks `counter`, which serves the streams.
  private var setup: ProductSetup {
    var setup = Setups.odd(atStart: "risk")
    setup.product = """
      product: test
      title: Test
      posture: ephemeral
      workers:
        odd:
          config: { at_start: risk }
        counter:
          config: { at_start: streams }

      """
    let streams = "kith.testing.v1.Streams"
    setup.plugins = [
      Setups.plugin(
        name: "odd", executable: "misbehaving-worker", provides: "kith.risk.v1.RiskEngine",
        requires: streams),
      Setups.plugin(name: "counter", executable: "misbehaving-worker", provides: streams),
    ]
    return setup
  }

  private func relay(
    _ product: RunningProduct, _ count: UInt32, _ options: CallOptions
  ) async throws(RPCError) -> [String] {
    let response = try await RiskEngineClient(product.client(of: "odd")).analyze(
      AnalyzeRequest(text: "relay \(count)"), options: options)
    return response.engineVersion.split(separator: " ").map(String.init)
  }

  @Test func deadlineAndTraceGoOnByThemselves() async throws {
    try await RunningProduct.run(setup) { product in
      try await product.settle()
      let whole = RunningProduct.patience
      let known = try await relay(
        product, 1, CallOptions(timeout: whole, waitForReady: true, traceparent: Self.trace))
      let remaining = try #require(known.first.flatMap(Int64.init))
      #expect(remaining > 0)
      #expect(Duration.microseconds(remaining) < whole)
      #expect(known.last?.contains("0af7651916cd43dd8448eb211c80319c") == true, "\(known)")

      let without = try await relay(product, 1, CallOptions(waitForReady: true))
      #expect(without.first == "0")
    }
  }

  @Test func aCallIsInTheNameOfWhoeverCalledItsCaller() async throws {
    try await RunningProduct.run(setup) { product in
      try await product.settle()
      for (named, caller) in [(nil, "worker(\"odd\")"), ("ada", "user(ada)"), ("a b", "stranger")] {
        let metadata: Metadata = named.map { ["kith-user": $0] } ?? [:]
        let known = try await relay(
          product, 1, CallOptions(metadata: metadata, waitForReady: true, traceparent: Self.trace))
        #expect(known[1] == caller, "\(known)")
      }
    }
  }

  @Test func aCancellationGoesOnByItself() async throws {
    try await RunningProduct.run(setup) { product in
      try await product.settle()
      // More than anybody waits for; `odd` reads them as they come.
      let call = Task { try await relay(product, .max, CallOptions(waitForReady: true)) }
      try await product.waitForLine(of: "counter", "counting")
      call.cancel()
      try await product.waitForLine(of: "counter", "counting ended early")
      let result = await call.result
      #expect(throws: RPCError.self) { try result.get() }
    }
  }

  @Test func aPassedDeadlineEndsTheWholeChain() async throws {
    try await RunningProduct.run(setup) { product in
      try await product.settle()
      // On a busy machine a short time is over before `counter` is asked at all: then with more of
      // it.
      var timeout = Duration.milliseconds(300)
      repeat {
        let error = await #expect(throws: RPCError.self) {
          try await relay(product, .max, CallOptions(timeout: timeout, waitForReady: true))
        }
        #expect(error?.code == .deadlineExceeded)
        timeout *= 2
      } while try await !product.log(of: "counter").contains { $0.text == "counting" }
      try await product.waitForLine(of: "counter", "counting ended early")
    }
  }

  @Test func aWorkerThatIsReplacedIsFoundAgain() async throws {
    try await RunningProduct.run(setup) { product in
      try await product.settle()
      let options = CallOptions(timeout: RunningProduct.patience, waitForReady: true)
      _ = try await relay(product, 1, options)
      let before = try await product.kill("counter")
      try await product.waitUntil("counter") {
        $0.state == .ready && $0.generation > before.generation
      }
      let known = try await relay(product, 1, options)
      #expect(known.first.flatMap(Int64.init) ?? 0 > 0)
    }
  }
}
