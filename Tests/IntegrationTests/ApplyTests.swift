import Glibc
import HostContract
import KithClient
import KithRPC
import KithTesting
import RiskContract
import Testing

/// Changing what a running product is made of.
@Suite struct ApplyTests {
  private let options = CallOptions(timeout: RunningProduct.patience)

  /// A product of `odd`, and of what else is written below it.
  private static func product(_ odd: String = "", more: String = "", title: String = "Test")
    -> String
  {
    """
    product: test
    title: \(title)
    posture: ephemeral
    workers:
      odd: { config: { \(odd) } }
    \(more)

    """
  }

  /// `odd`, and a plugin for a worker beside it that serves streams.
  private static var setup: ProductSetup {
    var setup = Setups.odd()
    setup.product = product()
    setup.plugins = [
      Setups.plugin(
        name: "odd", executable: "misbehaving-worker", provides: "kith.risk.v1.RiskEngine"),
      Setups.plugin(
        name: "counter", executable: "misbehaving-worker", provides: "kith.testing.v1.Streams"),
    ]
    return setup
  }

  private static let counter = "  counter: { config: { at_start: streams } }"

  private func write(_ manifest: String, of product: RunningProduct) throws {
    try product.folder.write(manifest, to: "plugins/products/product.yaml")
  }

  private func apply(
    _ manifest: String, to product: RunningProduct
  ) async throws -> [ChangeOutcome] {
    try write(manifest, of: product)
    return try await product.host.applyChanges(ApplyChangesRequest(), options: options).outcomes
  }

  private func mood(of product: RunningProduct) async throws -> String {
    try await RiskEngineClient(product.client(of: "odd")).analyze(
      AnalyzeRequest(text: "mood"),
      options: CallOptions(timeout: RunningProduct.patience, waitForReady: true)
    ).engineVersion
  }

  @Test func doesJustWhatDiffers() async throws {
    try await RunningProduct.run(Self.setup) { product in
      let before = try await product.settle().workers[0]
      #expect(try await apply(Self.product(), to: product).isEmpty)

      let started = try await apply(Self.product(more: Self.counter, title: "New"), to: product)
      #expect(started.map(\.change?.worker) == ["", "counter"])
      #expect(started.map(\.change?.kind) == [.adjust, .start])
      #expect(started.map(\.succeeded) == [true, true], "\(started)")
      let status = try await product.status()
      #expect(status.title == "New")
      #expect(status.workers.map(\.state) == [.ready, .ready])

      let reconfigured = try await apply(
        Self.product("mood: merry", more: Self.counter, title: "New"), to: product)
      #expect(reconfigured.map(\.change?.kind) == [.reconfigure])
      #expect(try await mood(of: product) == "merry")
      #expect(try await product.worker("odd").pid == before.pid)

      let restarted = try await apply(
        Self.product("mood: merry, token: hush", more: Self.counter, title: "New"), to: product)
      #expect(restarted.map(\.change?.kind) == [.restart])
      #expect(restarted.map(\.succeeded) == [true], "\(restarted)")
      #expect(!"\(restarted)".contains("hush"))
      #expect(try await product.worker("odd").generation == before.generation + 1)
      #expect(try await mood(of: product) == "merry")

      let stopped = try await apply(
        Self.product("mood: merry, token: hush", title: "New"), to: product)
      #expect(stopped.map(\.change?.kind) == [.stop])
      #expect(try await product.status().workers.map(\.name) == ["odd"])
    }
  }

  @Test(arguments: [
    ("at_start: 5, nonsense: 1", StatusCode.invalidArgument, "did you mean"),
    ("mood: awful", .invalidArgument, "refused its new configuration"),
  ])
  func whatIsRefusedChangesNothing(odd: String, code: StatusCode, words: String) async throws {
    try await RunningProduct.run(Self.setup) { product in
      let before = try await product.settle().workers
      let error = await #expect(throws: RPCError.self) {
        try await apply(Self.product(odd, more: Self.counter), to: product)
      }
      #expect(error?.code == code)
      #expect(error?.message.hasPrefix("nothing was changed: ") == true, "\(error?.message ?? "")")
      let after = try await product.status()
      #expect(after.workers.map(\.pid) == before.map(\.pid))
      #expect(try await mood(of: product) == "calm")
    }
  }

  @Test func refusesWhenTheProductHasChangedSince() async throws {
    try await RunningProduct.run(Self.setup) { product in
      try await product.settle()
      try write(Self.product("mood: merry"), of: product)
      let planned = try await product.host.planChanges(PlanChangesRequest(), options: options)
      #expect(planned.changes.map(\.kind) == [.reconfigure])
      _ = try await product.host.stopWorker(StopWorkerRequest(name: "odd"), options: options)
      let error = await #expect(throws: RPCError.self) {
        try await product.host.applyChanges(
          ApplyChangesRequest(fingerprint: planned.fingerprint), options: options)
      }
      #expect(error?.code == .aborted)
      // What was stopped by hand stays so, and is what the manifest says once it is started.
      let outcomes = try await product.host.applyChanges(ApplyChangesRequest(), options: options)
        .outcomes
      #expect(outcomes.map(\.change?.kind) == [.adjust])
      #expect(try await product.worker("odd").state == .stopped)
      _ = try await product.host.startWorker(StartWorkerRequest(name: "odd"), options: options)
      #expect(try await mood(of: product) == "merry")
    }
  }

  @Test func tellsWhatDidNotBecomeReadyAndCanBeMended() async throws {
    try await RunningProduct.run(Self.setup) { product in
      try await product.settle()
      let failed = try await apply(Self.product("at_start: refuse"), to: product)
      #expect(failed.map(\.succeeded) == [false])
      #expect(failed.first?.outcome.contains("it is 'refuse'") == true, "\(failed)")
      let mended = try await apply(Self.product(), to: product)
      #expect(mended.map(\.change?.kind) == [.start])
      #expect(mended.map(\.succeeded) == [true], "\(mended)")
    }
  }

  @Test func aReconfiguredProcessIsLedByTheNextHost() async throws {
    let first = try await RunningProduct.start(Self.setup)
    let before = try #require(try await first.settle().workers.first)
    var merry = Self.setup
    merry.product = Self.product("mood: merry")
    let outcomes = try await apply(merry.product, to: first)
    #expect(outcomes.map(\.change?.kind) == [.reconfigure])
    await first.killHost()
    let second = try await RunningProduct.start(merry, in: first.folder)
    let after = try #require(try await second.settle().workers.first)
    #expect(after.pid == before.pid && after.state == .ready)
    #expect(try await mood(of: second) == "merry")
    first.connection.close()
    try await second.stop()
  }

  @Test func aSignalAppliesWhatIsOnDisk() async throws {
    try await RunningProduct.run(Self.setup) { product in
      try await product.settle()
      try write(Self.product(more: Self.counter), of: product)
      product.program.signal(SIGHUP)
      try await product.waitForLine(of: "kithd", "applied: counter: ready as generation 1")
      try write("product: test\nworkers: [", of: product)
      product.program.signal(SIGHUP)
      try await product.waitForLine(of: "kithd", "not applied: nothing was changed: ")
      #expect(try await product.status().workers.map(\.state) == [.ready, .ready])
    }
  }

  @Test func whatWasAppliedIsWhatTheNextHostRuns() async throws {
    let setup = Self.setup
    var product = try await RunningProduct.start(setup)
    try await product.settle()
    let other = "\(product.folder.path)/other.yaml"
    try product.folder.write(Self.product(more: Self.counter), to: "other.yaml")
    let outcomes = try await product.host.applyChanges(
      ApplyChangesRequest(manifest: other), options: options
    ).outcomes
    #expect(outcomes.map(\.succeeded) == [true])
    // The machine goes down, say: nobody ended the product on purpose.
    product.abandon()
    _ = await product.program.exitCode()
    product = try await RunningProduct.start(setup, in: product.folder)
    let status = try await product.settle()
    #expect(status.manifest == other)
    #expect(status.workers.map(\.name) == ["odd", "counter"])
    // Ended on purpose, it starts as it is told.
    _ = try await product.host.shutdown(ShutdownRequest(), options: options)
    _ = await product.program.exitCode()
    product = try await RunningProduct.start(setup, in: product.folder)
    #expect(try await product.settle().workers.map(\.name) == ["odd"])
    try await product.stop()
  }
}
