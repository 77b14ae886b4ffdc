import Glibc
import HostContract
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
}
