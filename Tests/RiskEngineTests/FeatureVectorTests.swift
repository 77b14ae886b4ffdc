import KithReflection
import KithRPC
import KithWire
import RiskContract
import Testing

@testable import RiskEngineDomain
@testable import RiskEngineService

/// What leaves a device, and how it is scored.
struct FeatureVectorTests {
  private let service: RiskEngineService

  init() throws { service = RiskEngineService(bundle: try Fixtures.bundle.get()) }

  private func vector(
    _ request: AnalyzeRequest
  ) async throws -> RiskContract.FeatureVector {
    let answer = try await service.buildFeatures(request, context: Fixtures.context)
    #expect(answer.withheldFor.isEmpty)
    return try #require(answer.features)
  }

  private func refusedField(_ vector: RiskContract.FeatureVector) async -> String? {
    do {
      _ = try await service.analyzeFeatures(vector, context: Fixtures.context)
      return nil
    } catch {
      let error = error as? RPCError
      #expect(error?.code == .invalidArgument)
      return error?.fieldViolations.first?.field
    }
  }

  @Test func theDocumentedFieldsLeaveAndNoOthers() throws {
    let contracts = try ContractSet(encodedDescriptorSet: RiskDescriptorSet.bytes)
    let type = try #require(contracts.message(named: "kith.risk.v1.FeatureVector"))
    #expect(
      type.fields.map(\.name) == [
        "v", "channel", "language", "length_chars", "has_links", "link_domains", "signals",
        "brand_suspects", "time_of_day_bucket", "state", "model_score",
      ])
  }

  @Test func aVectorSaysWhatTheTextShows() async throws {
    // Monday 2026-11-23, 03:30 in Seattle.
    let vector = try await vector(
      AnalyzeRequest(
        text:
          "IRS: a warrant is out for your arrest, pay at http://bit.ly/x or http://paypa1.com/a",
        channel: .sms, state: "wa", receivedAtMs: 1_795_433_400_000))
    #expect(vector.v == 1 && vector.channel == .sms && vector.language == "en")
    #expect(vector.lengthChars == 84 && vector.hasLinks)
    #expect(vector.linkDomains == ["bit.ly", "paypa1.com"])
    #expect(vector.signals.contains("legal_threat") && vector.signals.contains("link_short"))
    #expect(vector.brandSuspects == ["irs", "paypal"], "whom it names, and whom its link imitates")
    #expect(vector.timeOfDayBucket == "night" && vector.state == "WA")
    #expect((0.5...0.999).contains(vector.modelScore))
  }

  @Test func unknownLinksLeaveAsABucket() async throws {
    let vector = try await vector(
      AnalyzeRequest(
        text: """
          Your results: http://dr-miller-clinic-springfield.com/p/77 and \
          https://www.medicare.gov/x and https://www.google.com/maps
          """))
    #expect(vector.linkDomains == ["unknown", "gov", "popular"])
    #expect(vector.brandSuspects.isEmpty, "a calm text names nobody's bank or clinic")
  }

  @Test func aVectorIsScoredLikeItsText() async throws {
    for text in Fixtures.shapes + [
      "Your code is 123456. Don't share it", "Pay with gift cards or be arrested, says the IRS",
      "Your parcel is on hold, update: http://pk-fix.top/a", "See you at noon, love, Dad",
      "Congratulations, you won a prize! Claim at http://bit.ly/w",
    ] where !NormalizedText(text).isBlank {
      let request = AnalyzeRequest(text: text)
      let whole = try service.answer(request)
      let verdict = try await service.analyzeFeatures(vector(request), context: Fixtures.context)
      let score = try #require(verdict.verdict?.score)
      #expect(abs(score - whole.score) < 0.005, "\(text): \(score) and \(whole.score)")
      #expect(verdict.unknownSignals.isEmpty && !verdict.newerVersion)
      #expect(verdict.verdict?.reasons.allSatisfy { $0.span == nil } == true)
    }
  }

  @Test(arguments: [
    ("my card is 4111 1111 1111 1111, is that fine?", "PAYMENT_CARD"),
    ("they have my SSN 536-22-1234", "SSN"),
  ])
  func aCardOrATaxpayerNumberStopsEverything(text: String, type: String) async throws {
    let answer = try await service.buildFeatures(
      AnalyzeRequest(text: text), context: Fixtures.context)
    #expect(answer.features == nil, "not the text, not the vector, not a score")
    #expect(answer.withheldFor == [type])
    #expect(try service.answer(AnalyzeRequest(text: text)).score >= 0, "guidance stays local")
  }

  @Test func noWordOfATextIsInItsVector() async throws {
    var random = SeededGenerator(state: 6)
    let words = ["zebra", "quokka", "marzipan", "Ottoline", "violoncello", "gallimaufry"]
    for _ in 0..<50 {
      let mine = words.shuffled(using: &random).prefix(4)
      let text =
        "IRS \(mine.joined(separator: " ")) gift card http://\(mine[mine.startIndex]).example.com/\(mine[mine.startIndex + 1])"
      let features = try await vector(AnalyzeRequest(text: text, sender: "\(mine[0])@example.org"))
      let printed = String(decoding: try features.encoded(), as: UTF8.self).lowercased()
      for word in mine { #expect(!printed.contains(word.lowercased()), "\(word)") }
    }
  }

  @Test func whatIsWrongIsRefusedByName() async throws {
    let good = RiskContract.FeatureVector(v: 1, signals: ["legal_threat"], modelScore: 0.5)
    #expect(await refusedField(good) == nil)
    func changed(_ change: (inout RiskContract.FeatureVector) -> Void) async -> String? {
      var vector = good
      change(&vector)
      return await refusedField(vector)
    }
    #expect(await changed { $0.v = 0 } == "v")
    #expect(await changed { $0.modelScore = 1.5 } == "model_score")
    #expect(await changed { $0.modelScore = .nan } == "model_score")
    #expect(await changed { $0.state = "XX" } == "state")
    #expect(await changed { $0.signals = Array(repeating: "a", count: 257) } == "signals")
    #expect(await changed { $0.modelScore = 0 } == nil, "the rules decide alone")
  }

  @Test func aRepeatedSignalCountsOnce() async throws {
    let once = RiskContract.FeatureVector(v: 1, signals: ["legal_threat"], modelScore: 0.5)
    var often = once
    often.signals = Array(repeating: "legal_threat", count: 100)
    let first = try await service.analyzeFeatures(once, context: Fixtures.context)
    let second = try await service.analyzeFeatures(often, context: Fixtures.context)
    #expect(first == second)
  }
}
