import FoundationEssentials
import Glibc
import HostContract
import KithManifest
import KithRPC
import KithTesting
import RiskContract
import Testing

/// The product that ships, as it ships.
@Suite struct BoomerBuddyTests {
  private static let scam =
    "IRS: a warrant is out for your arrest. Pay $900 in gift cards today"

  private func analyze(
    _ text: String, with product: RunningProduct
  ) async throws(RPCError) -> AnalyzeResponse {
    try await RiskEngineClient(product.client(of: "risk-engine")).analyze(
      AnalyzeRequest(text: text, channel: .sms),
      options: CallOptions(timeout: RunningProduct.patience, waitForReady: true))
  }

  @Test func aScamIsRecognisedBeforeAndAfterTheEngineWasKilled() async throws {
    try await RunningProduct.run(ProductSetup(product: "boomer-buddy")) { product in
      let engine = try #require(try await product.settle().workers.first)
      #expect(engine.name == "risk-engine")
      #expect(engine.state == .ready, "\(engine.reason) \(engine.lastExit?.lastLines ?? [])")
      let before = try await analyze(Self.scam, with: product)
      #expect(before.label == .likelyScam)
      #expect(!before.reasons.isEmpty)

      try await product.kill("risk-engine")
      try await product.waitUntil("risk-engine") { $0.state == .ready && $0.generation == 2 }
      let after = try await analyze(Self.scam, with: product)
      #expect(after.score.bitPattern == before.score.bitPattern)
      #expect(after == before)
    }
  }

  @Test func textsOfAllKindsAreAnsweredOrRefusedAndTheEngineGoesOn() async throws {
    try await RunningProduct.run(ProductSetup(product: "boomer-buddy")) { product in
      let engine = try #require(try await product.settle().workers.first)
      let answered = [
        String(repeating: "gift card ", count: 6_000), "nul \u{0} inside", "\u{1F600}\u{1F4B0}",
      ]
      for text in answered {
        let response = try await analyze(text, with: product)
        #expect((0...1).contains(response.score))
      }
      for text in ["", String(repeating: "x", count: 1 << 20)] {
        let error = await #expect(throws: RPCError.self) { try await analyze(text, with: product) }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message.contains("text") == true)
      }
      #expect(try await product.worker("risk-engine").pid == engine.pid)
    }
  }

  // MARK: - What it ships with to show

  @Test func theDemoAnswersWhatItSays() async throws {
    try await RunningProduct.run(ProductSetup(product: "boomer-buddy")) { product in
      try await product.settle()
      let shown = try await Program.built(
        "kith", ["demo", "boomer-buddy", "--root", product.places.stateDirectory]
      ).run()
      #expect(shown.exitCode == 0, "\(shown)")
      #expect(shown.output.contains("17. "), "three texts, a voicemail, three cases, ten numbers")
    }
  }

  // MARK: - What is personal

  /// Words that nothing but these texts has: what is found of them was written from a text.
  private static let marker = "zqxwv"

  /// A text of its own: names, numbers and words that are nowhere else.
  private static func personalText(_ number: Int) -> String {
    let mine = "\(marker)\(number)"
    switch number % 5 {
    case 0:
      return
        "Dear \(mine), your account at \(mine) bank is locked: http://\(mine).example.top/\(mine)"
    case 1: return "It is \(mine). My card is 4111 1111 1111 1111, write to \(mine)@example.org"
    case 2: return "IRS: \(mine), a warrant is out for your arrest, pay \(mine) with gift cards"
    case 3: return "hi \(mine) dinner at six at \(mine) street, love \(mine)"
    default: return "Your code is \(100_000 + number). \(mine), do not share it \(mine)"
    }
  }

  @Test func noWordOfTenThousandPersonalTextsIsInAnythingItWrote() async throws {
    try await RunningProduct.run(ProductSetup(product: "boomer-buddy")) { product in
      try await product.settle()
      _ = try await product.host.setWorkerLogLevel(
        SetWorkerLogLevelRequest(name: "risk-engine", level: .trace))
      let engine = RiskEngineClient(product.client(of: "risk-engine"))
      let options = CallOptions(timeout: RunningProduct.patience, waitForReady: true)
      func ask(_ number: Int) async -> RPCError? {
        let text = Self.personalText(number)
        var request = AnalyzeRequest(text: text, sender: "\(Self.marker)\(number)@example.org")
        // Every tenth is refused, in one field or another: an error must not repeat it either.
        if number % 10 == 0 {
          request.state = number % 20 == 0 ? "\(Self.marker)\(number)" : ""
          request.timeZone = number % 20 == 0 ? "" : "\(Self.marker)/\(number)"
        }
        do throws(RPCError) {
          switch number % 3 {
          case 0: _ = try await engine.explain(request, options: options)
          case 1: _ = try await engine.buildFeatures(request, options: options)
          default: _ = try await engine.analyze(request, options: options)
          }
          return nil
        } catch {
          return error
        }
      }
      func askAll(_ numbers: Range<Int>) async -> [RPCError] {
        await withTaskGroup(of: RPCError?.self) { group in
          for worker in 0..<16 {
            group.addTask {
              var last: RPCError?
              for number in numbers where number % 16 == worker {
                if let error = await ask(number) { last = error }
              }
              return last
            }
          }
          return await group.reduce(into: []) { errors, error in error.map { errors.append($0) } }
        }
      }
      var errors = await askAll(0..<5_000)
      // A crash leaves its last words and a report; then it goes on.
      try await product.kill("risk-engine", signal: SIGSEGV)
      errors += await askAll(5_000..<10_000)
      #expect(!errors.isEmpty)
      for error in errors {
        #expect(!"\(error)".lowercased().contains(Self.marker), "\(error)")
      }
      let root = product.folder.path
      var read = 0
      for name in try FileManager.default.subpathsOfDirectory(atPath: root) {
        guard let data = FileManager.default.contents(atPath: "\(root)/\(name)") else { continue }
        read += 1
        let content = String(decoding: data, as: UTF8.self).lowercased()
        #expect(!content.contains(Self.marker), "\(name)")
      }
      #expect(read > 3)
      let worker = try await product.worker("risk-engine")
      #expect(!"\(worker)".lowercased().contains(Self.marker))
    }
  }
}
