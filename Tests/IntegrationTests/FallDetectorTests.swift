import FallsContract
import Glibc
import KithManifest
import KithRPC
import KithTesting
import KithTime
import Testing

/// The fall detector as it ships, with real processes and clocks that a test moves.
@Suite struct FallDetectorTests {
  private static let start = Instant("2026-11-22T12:00:00Z")
  private static let worker = "fall-detector"

  private static var setup: ProductSetup {
    ProductSetup(workers: ["fall-detector": "fall-detector"], posture: .personal)
      .starting(at: start)
  }

  private func falls(_ product: RunningProduct) -> FallDetectorClient {
    FallDetectorClient(product.client(of: Self.worker))
  }

  private func report(
    _ product: RunningProduct, _ type: EventType, _ id: String, of user: String = ""
  ) async throws -> ReportResponse {
    try await falls(product).report(
      ReportRequest(userId: user, eventId: id, type: type),
      options: CallOptions(timeout: RunningProduct.patience, waitForReady: true))
  }

  /// All that was told, with the seconds since the start by the wall clock.
  private func told(_ product: RunningProduct) async throws -> [String] {
    let start = try #require(Self.start)
    func text(_ name: String, _ at: Instant) -> String {
      "\(name) at \((at - start) / .seconds(1))"
    }
    let suspected = try await product.events(FallSuspected.self, of: Self.worker)
      .map { (at: $0.at, text: text("suspected", $0.at)) }
    let alerted = try await product.events(FallAlerted.self, of: Self.worker)
      .map { (at: $0.at, text: text($0.message.cause, $0.at)) }
    return (suspected + alerted).sorted { $0.at < $1.at }.map(\.text)
  }

  @Test func case15ARestartAtSecondThirtyKeepsTheDeadline() async throws {
    try await RunningProduct.run(Self.setup) { product in
      try await product.settle()
      let opened = try await report(product, .fallCandidate, "e1")
      try await product.clock.advance(by: .seconds(30))
      try await product.suffer(.kill(Self.worker))
      try await product.settle()
      try await product.clock.advance(by: .milliseconds(29_999))
      let id = opened.fallCase?.id ?? ""
      let request = GetCaseRequest(id: id)
      #expect(try await falls(product).getCase(request).state == .awaitingConfirmation)
      try await product.clock.advance(by: .milliseconds(1))
      #expect(try await falls(product).getCase(request).state == .alerted)
      #expect(try await told(product) == ["suspected at 0.0", "no_answer at 60.0"])
      // What the device sends again is known to the next process too.
      #expect(try await report(product, .fallCandidate, "e1").isRepeat)
    }
  }

  @Test(arguments: [3_600, -3_600])
  func case15AWallClockThatIsSetMovesNothing(_ step: Int) async throws {
    try await RunningProduct.run(Self.setup) { product in
      try await product.settle()
      _ = try await report(product, .fallCandidate, "e1")
      try await product.clock.advance(by: .seconds(30))
      let now = try await product.clock.now
      try await product.clock.set(to: now + .seconds(step))
      #expect(try await told(product).count == 1)
      try await product.clock.advance(by: .milliseconds(29_999))
      #expect(try await told(product).count == 1)
      try await product.clock.advance(by: .milliseconds(1))
      #expect(
        Set(try await told(product)) == ["suspected at 0.0", "no_answer at \(Double(60 + step))"])
    }
  }

  /// Every case alerts once and in time, however often the worker is killed meanwhile.
  @Test func whateverIsKilledWhenEachFallAlertsOnce() async throws {
    try await RunningProduct.run(Self.setup) { product in
      try await product.settle()
      for round in 0..<4 {
        for wearer in 0..<15 {
          _ = try await report(product, .fallCandidate, "e\(round)", of: "w\(round)-\(wearer)")
        }
        // While reports and deadlines of others are on their way.
        async let moved = product.clock.advance(by: .seconds(61))
        try await product.suffer(.kill(Self.worker))
        _ = try? await moved
        try await product.settle()
        try await product.clock.advance(by: .seconds(61))
      }
      let alerted = try await product.events(FallAlerted.self, of: Self.worker)
      #expect(alerted.count == 60 && Set(alerted.map(\.message.caseId)).count == 60)
    }
  }

  @Test func aFallInAStreamOfSamplesAlerts() async throws {
    try await RunningProduct.run(Self.setup) { product in
      try await product.settle()
      let call = try await falls(product).watch(
        options: CallOptions(timeout: RunningProduct.patience, waitForReady: true))
      let lines = Self.fall.split(separator: "\n").dropFirst().map { line in
        line.split(separator: ",").compactMap { Double($0) }
      }
      for (number, start) in stride(from: 0, to: lines.count, by: 50).enumerated() {
        let part = lines[start..<min(start + 50, lines.count)]
        try await call.requests.write(
          SampleBatch(
            sequence: UInt64(number + 1), sessionId: "s", startNs: Int64(number) * 1_000_000_000,
            intervalNs: 20_000_000, x: part.map { Float($0[1]) }, y: part.map { Float($0[2]) },
            z: part.map { Float($0[3]) }, rangeG: 8))
      }
      call.requests.finish()
      var last: WatchResponse?
      for try await answer in call.responses {
        #expect(answer.refusal.isEmpty)
        last = answer
      }
      #expect(last?.fallCase?.state == .awaitingConfirmation)
      try await product.clock.advance(by: .seconds(60))
      let alerted = try await product.events(FallAlerted.self, of: Self.worker)
      #expect(alerted.map(\.message.cause) == ["no_answer"])
    }
  }

  @Test func aTraceIsReplayedAndDrawnOnTheCommandLine() async throws {
    try await RunningProduct.run(Self.setup) { product in
      try await product.settle()
      let trace = "\(product.folder.path)/fall.csv"
      let drawing = "\(product.folder.path)/fall.svg"
      try product.folder.write(Self.fall, to: "fall.csv")
      let root = "\(product.folder.path)/r"
      let kith = try await Program.built(
        "kith", [Self.worker, "replay", trace, "--plot", drawing, "--root", root]
      ).run()
      #expect(kith.exitCode == 0, "\(kith)")
      #expect(kith.output.contains("verdict") && kith.output.contains("candidate"), "\(kith)")
      #expect(kith.output.contains("kind") && kith.output.contains("impact"), "\(kith)")
      #expect(kith.output.contains("plot: written to \(drawing)"), "\(kith)")
      #expect(access(drawing, R_OK) == 0)
      let help = try await Program.built(
        "kith", [Self.worker, "replay", "--help", "--root", root]
      ).run()
      #expect(help.output.contains("--plot FILE") && help.output.contains("--trace FILE"))
    }
  }

  /// Walking, giving way, an impact and lying still, 50 samples a second.
  private static let fall: String = {
    var text = "time,x,y,z\n"
    for index in 0..<1_500 {
      let time = Double(index) / 50
      let (x, y, z): (Double, Double, Double) =
        switch time {
        case ..<8: (0.1 * sin(time * 3), 0.1, 1 + 0.35 * sin(time * 12))
        case ..<8.3: (0.1, 0.1, 0.35)
        case ..<8.4: (2.56, 0.64, 1.8)
        case ..<9: (0.9 + 0.3 * sin(time * 40), 0.1, 0.2)
        default: (0.99 + 0.01 * sin(time * 1.5), 0.05, 0.08)
        }
      text += "\(time),\(x),\(y),\(z)\n"
    }
    return text
  }()
}
