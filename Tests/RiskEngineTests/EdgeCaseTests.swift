import KithPersonalData
import KithRPC
import RiskContract
import Testing

@testable import RiskEngineDomain
@testable import RiskEngineService

/// The eighteen cases that separate a toy from a real engine, each by its name.
struct EdgeCaseTests {
  private func assess(_ text: String) throws -> Assessment { try Fixtures.engine().assess(text) }

  private func isLow(_ text: String) throws -> Bool { try assess(text).level == .low }

  @Test func case01BenefitsThatWereDepositedStayLow() throws {
    #expect(try isLow("Your SSA benefits were deposited"))
    #expect(try isLow("Social Security: your benefit of $1,432.00 was deposited on Friday."))
  }

  @Test func case02AGiftCardFromGrandmaStaysLow() throws {
    #expect(try isLow("Got you a gift card for your birthday! See you Sunday. Love, Grandma"))
    #expect(try isLow("I got you a gift card for your birthday"))
  }

  @Test func case03ACodeStaysLowAndAskingForItDoesNot() throws {
    let code = try assess("Your code is 123456. Don't share it")
    #expect(code.level == .low)
    #expect(code.counterEvidence.contains { $0.signal == "one_time_code" })
    #expect(try !isLow("read me your code"))
  }

  @Test(arguments: [
    "p\u{430}ypal.com/login", "http://xn--pypal-4ve.com/login", "http://paypaI.com/login",
    "https://rnicrosoft.com/verify",
  ])
  func case04LookalikeNamesAreFlagged(link: String) throws {
    let assessment = try assess("Sign in: \(link)")
    #expect(assessment.level != .low)
    #expect(assessment.reasons.contains { $0.signal == "link_lookalike" }, "\(assessment.reasons)")
  }

  @Test(arguments: ["https://www.paypal.com/activity", "https://microsoft.com/account"])
  func case04RealNamesAreNot(link: String) throws {
    #expect(try isLow("Your receipt: \(link)"))
  }

  @Test func case05ABrandInASubdomainIsFlagged() throws {
    let assessment = try assess("Confirm your Apple ID: apple.com.verify-id.ru")
    #expect(assessment.level != .low)
    #expect(assessment.reasons.contains { $0.signal == "link_brand_elsewhere" })
  }

  @Test(arguments: [
    "gift\u{200B}card", "\u{FF27}\u{FF29}\u{FF26}\u{FF34} \u{FF23}\u{FF21}\u{FF32}\u{FF24}",
  ])
  func case06HiddenAndWideLettersAreRead(disguise: String) throws {
    let plain = try assess("Pay the IRS with a gift card now or be arrested")
    let hidden = try assess("Pay the IRS with a \(disguise) now or be arrested")
    #expect(plain.level == .high && hidden.level == .high)
  }

  @Test(arguments: ["g i f t c a r d", "g1ft c@rd"])
  func case07SpacedAndMisspeltWordsAreRead(disguise: String) throws {
    #expect(try assess("Pay the IRS with a \(disguise) now or be arrested").level == .high)
  }

  @Test(arguments: ["hxxps://secure-login.example.top", "bit[.]ly/x9", "bit . ly/x9"])
  func case08LinksInDisguiseAreLinks(link: String) throws {
    let calculation = try Fixtures.engine().explain(
      NormalizedText("Your bank account is blocked, verify: \(link)"), Circumstances(),
      bands: .standard)
    #expect(calculation.assessment.level != .low)
    #expect(calculation.links.contains { $0.observations.contains("link.obfuscated") })
  }

  @Test func case09TurnedAroundLinksAreNoticed() throws {
    let assessment = try assess("Your account: http://example.com/\u{202E}gpj.exe verify it now")
    #expect(assessment.level != .low)
    #expect(assessment.reasons.contains { $0.signal == "direction_override" })
  }

  @Test func case10AnyTextIsAnsweredOrRefused() throws {
    let service = RiskEngineService(bundle: try Fixtures.bundle.get())
    let empty = #expect(throws: RPCError.self) { try service.answer(AnalyzeRequest(text: "")) }
    #expect(empty?.code == .invalidArgument)
    for text in ["a", String(repeating: "x ", count: 32768), "\u{1F600}\u{1F44D}\u{1F3FD}"] {
      let score = try service.answer(AnalyzeRequest(text: text)).score
      #expect((0...1).contains(score))
    }
    // A lone surrogate and bytes that are no UTF-8 cannot be in a Swift text; the engine reads
    // bytes, too.
    for bytes: [UInt8] in [
      [0xED, 0xA0, 0x80], [0xFF, 0xFE], [0x61, 0xC3], [0xF4, 0x90, 0x80, 0x80],
    ] {
      let text = bytes.withUnsafeBufferPointer { NormalizedText(utf8: $0) }
      let score = try Fixtures.engine().assess(text, Circumstances(), bands: .standard).score
      #expect((0...1).contains(score))
    }
  }

  @Test func case11CapitalsOfAPharmacyStayLow() throws {
    #expect(
      try isLow("YOUR PRESCRIPTION IS READY FOR PICKUP AT CVS PHARMACY. REPLY STOP TO END TEXTS."))
  }

  @Test func case12SpanishLowersTheConfidenceAndNotTheCaution() throws {
    let english = try assess(
      "Your account is suspended, please verify your card now at http://bank-verify.top")
    let spanish = try assess(
      "Su cuenta ha sido suspendida, por favor verifique su tarjeta ahora en http://banco-verificar.top"
    )
    #expect(spanish.level != .low)
    #expect(spanish.confidence < english.confidence * 0.7)
  }

  @Test func case13TheSameVectorGivesTheSameBits() throws {
    // These bits were computed on another machine; a score that differs in one of them fails.
    let vector = RiskEngineDomain.FeatureVector(
      version: 1, language: "en", lengthCharacters: 247, hasLinks: true, linkDomains: ["bit.ly"],
      signals: ["urgent_action", "legal_threat", "link_short"], brandSuspects: ["irs"],
      timeOfDay: .night, modelScore: 0.86)
    let engine = try Fixtures.engine()
    let first = engine.assess(vector, bands: .standard)
    let again = try ResourceBundle(folder: Fixtures.resources).engine
      .assess(vector, bands: .standard)
    #expect(first == again)
    #expect(first.assessment.score.bitPattern == GoldenScores.vector)
  }

  @Test func case14UnknownSignalsAndNewerVersionsAreToldAndTolerated() async throws {
    let service = RiskEngineService(bundle: try Fixtures.bundle.get())
    let known = RiskContract.FeatureVector(
      v: 1, lengthChars: 80, signals: ["gift_card_payment", "legal_threat"], modelScore: 0.9)
    var newer = known
    newer.v = 2
    newer.signals += ["voice_clone", "voice_clone", "deep_fake"]
    newer.timeOfDayBucket = "dawn"
    let old = try await service.analyzeFeatures(known, context: Fixtures.context)
    let new = try await service.analyzeFeatures(newer, context: Fixtures.context)
    #expect(old.unknownSignals.isEmpty && !old.newerVersion)
    #expect(new.unknownSignals == ["voice_clone", "deep_fake"] && new.newerVersion)
    #expect(new.verdict?.score == old.verdict?.score)
  }

  @Test func case15MoreScamIsNeverLessAndPaddingHidesNothing() throws {
    let engine = try Fixtures.engine()
    let rules = engine.rules
    var random = SeededGenerator(state: 15)
    let against = rules.signals.indices.filter { rules.weights[$0] < 0 }
    let speaking = rules.signals.indices.filter { rules.weights[$0] > 0 }
    for round in 0..<500 {
      var signals = Array(
        speaking.shuffled(using: &random).prefix(Int.random(in: 0...5, using: &random)))
      signals += against.shuffled(using: &random).prefix(Int.random(in: 0...3, using: &random))
      let added = speaking.filter { !signals.contains($0) }.randomElement(using: &random)
      let model = Double.random(in: -6...6, using: &random)
      let before = engine.score(modelLogOdds: model, Weighing(of: signals, by: rules))
      let after = engine.score(
        modelLogOdds: model, Weighing(of: signals + (added.map { [$0] } ?? []), by: rules))
      #expect(after >= before, "seed 15, round \(round)")
    }
    let padding = String(
      repeating: " We had a lovely time at the lake and the children played in the garden all day.",
      count: 10)
    for scam in [
      "IRS: a warrant is out for your arrest. Pay $900 in gift cards today.",
      "USPS: your package is on hold. Update here: https://usps-redelivery.top/a",
    ] {
      let alone = engine.assess(scam).score
      #expect(engine.assess(scam + padding).score >= alone - 0.1)
      #expect(engine.assess(padding + " " + scam).score >= alone - 0.1)
    }
  }

  @Test func case16AMailingThatCanBeStoppedIsNoScam() throws {
    #expect(
      try isLow(
        "It's Dana with the school board campaign. Will you vote Tuesday? Paid for by Friends of Dana. Reply STOP to opt out"
      ))
  }

  @Test func case17NoSentenceHoldsPersonalData() throws {
    let service = RiskEngineService(bundle: try Fixtures.bundle.get())
    let text =
      "IRS: Zyxwvut Qwerty, SSN 078-05-1120, card 4111 1111 1111 1111, zyx@example.org, you will be arrested, pay with gift cards now"
    let answer = try service.answer(
      AnalyzeRequest(text: text, state: "WA", sender: "qwerty@example.net"))
    #expect(answer.level == .high)
    var said = answer.recommendedActions.flatMap { [$0.title] + $0.steps } + [answer.legalNote]
    said += (answer.reasons + answer.counterEvidence).map(\.sentence)
    for word in ["Zyx", "Qwerty", "078", "1120", "4111", "zyx@", "example.net"] {
      #expect(!said.joined(separator: "\n").lowercased().contains(word.lowercased()), "\(word)")
    }
    for sentence in said {
      #expect(PersonalDataScanner().scrub(sentence).stoppingTypes.isEmpty)
    }
  }

  @Test func case18ADamagedBundleLeavesTheLastGoodOne() async throws {
    let bundle = try BundleCopy()
    let service = RiskEngineService(bundle: try Fixtures.bundle.get())
    #expect(service.useBundle(in: bundle.folder) == nil)
    let before = try service.answer(AnalyzeRequest(text: "read me your code"))
    var rules = try bundle["rules.json"]
    rules[rules.count / 2] ^= 1
    try bundle.write(rules, to: "rules.json")
    let problem = try #require(service.useBundle(in: bundle.folder))
    #expect(problem.contains("rules.json") && problem.contains("checksum"))
    #expect(try service.answer(AnalyzeRequest(text: "read me your code")) == before)
    let model = try await service.getModel(GetModelRequest(), context: Fixtures.context)
    #expect(model.bundleProblem == problem)
  }

  @Test func aBundleOfTheConfigurationAnswersOrSaysWhyNot() async throws {
    let good = try BundleCopy()
    let name = String(try #require(good.folder.split(separator: "/").last))
    let shipped = try BundleCopy()
    let service = try RiskEngineService(resources: shipped.folder, settings: .standard)
    func problem(_ bundle: String) async throws -> String {
      service.use(try RiskEngineSettings(medium: 0.35, high: 0.7, bundle: bundle))
      return try await service.getModel(GetModelRequest(), context: Fixtures.context).bundleProblem
    }
    #expect(try await problem(name) == "")
    #expect(try await problem("missing").contains("missing"))
    #expect(try await problem("") == "")
    try good.remove("rules.json")
    #expect(try await problem(name).contains("rules.json"))
    #expect(throws: RPCError.self) {
      try RiskEngineSettings(medium: 0.35, high: 0.7, bundle: "../elsewhere")
    }
  }
}
