import Testing

@testable import RiskEngineDomain

/// The engine that ships on texts that separate a toy from a real one.
struct RiskEngineTests {
  private func assess(_ text: String) throws -> Assessment { try Fixtures.engine().assess(text) }

  @Test(arguments: [
    "Your SSA benefits were deposited on Friday.",
    "Social Security: your benefit payment of $1,432.00 was deposited to your account ending 4411.",
    "Got you a gift card for your birthday! See you Sunday. Love, Grandma",
    "Your code is 123456. Don't share it",
    "Your verification code is 482913. It expires in 10 minutes.",
    "G-482913 is your Google verification code.",
    "Chase: your one-time code is 204417. We will never call you to ask for it.",
    "YOUR PRESCRIPTION IS READY FOR PICKUP AT CVS PHARMACY. REPLY STOP TO END TEXTS.",
    "Reminder: you have an appointment with Dr. Patel on Tuesday at 10:30. Reply C to confirm.",
    "Your package was delivered at the front door. Track: https://www.ups.com/track",
    "It's Dana with the school board campaign. Will you vote Tuesday? Paid for by Friends of Dana. Reply STOP to opt out",
    "Hey are we still on for lunch tomorrow? I can pick you up at noon",
    "Wells Fargo: a charge of $45.20 at Target was made on your card ending 1123.",
    "Medicare open enrollment ends December 7. Compare plans at medicare.gov",
    "I got the electric bill, it was $89 this month",
    "Please call us. To reschedule, press 1.", "Talk to us. To join tap the app",
    "Your Medicare card is enclosed. If it is wrong, call us. To read more visit medicare.gov",
    "AARP: scammers pretend to be the IRS. Never pay anyone with gift cards.",
  ])
  func staysCalmAboutGenuineTexts(text: String) throws {
    let assessment = try assess(text)
    #expect(assessment.level == .low, "\(assessment.score)")
    #expect(assessment.category == nil)
  }

  @Test(arguments: [
    "IRS: a warrant is out for your arrest. Pay $900 in gift cards today",
    "read me your code", "Please read me the 6 digit code we just sent you to stop the transfer",
    "I sent a 6 digit code to your phone by mistake, can you send it to me please",
    "What's the 6 digit code you just received?",
    "USPS: your package is on hold due to an incomplete address. Update here: https://usps-redelivery.top/a",
    "Hi mum, I dropped my phone, this is my new number. Can you pay a bill for me?",
    "Your Netflix account is suspended. Verify your payment: http://netflix-billing.xyz",
    "Congratulations! You have won a $1000 Walmart gift card. Claim now: http://bit.ly/w1n",
    "E-ZPass: you have an unpaid toll. Pay now to avoid late fees: https://ezpass-pay.top",
    "PayPal: log in at http://pay\u{440}al.com/verify to restore your account",
    "Your account is locked: http://paypaI.com/login", "Sign in: https://rnicrosoft.com/verify",
    "Confirm your Apple ID: apple.com.verify-id.ru",
    "Pay with a gift\u{200B}card today or be arrested by the IRS",
    "Pay the IRS with g1ft c@rd now or be arrested",
    "Pay the IRS with a g i f t c a r d now or be arrested",
    "Pay the IRS with a \u{FF27}\u{FF29}\u{FF26}\u{FF34} \u{FF23}\u{FF21}\u{FF32}\u{FF24} now or be arrested",
    "Your bank account is blocked, verify at hxxps://secure-login.example.top",
    "Your bank account is blocked, verify at bit[.]ly/x",
    "Your bank account is blocked, verify: bit . ly/x9",
    "hello this is officer brown from the social security administration there is a warrant for your arrest stay on the line and buy gift cards",
  ])
  func warnsOfScams(text: String) throws {
    let assessment = try assess(text)
    #expect(assessment.level != .low, "\(assessment.score)")
    #expect(!assessment.reasons.isEmpty && assessment.reasons.count <= 3)
    #expect(assessment.category != nil)
  }

  @Test func namesTheGiftCardAndWhereItStands() throws {
    let text =
      "\u{2764}\u{FE0F} IRS: a warrant is out for your arrest. Pay $900 in \u{FF27}ift cards today"
    let assessment = try assess(text)
    #expect(assessment.level == .high)
    let reason = try #require(
      assessment.reasons.first { $0.signal.hasPrefix("gift_card") || $0.signal == "agency_threat" })
    let span = try #require(reason.span)
    let bytes = Array(text.utf8)
    let part = String(decoding: bytes[span.start..<span.end], as: UTF8.self)
    #expect(text.contains(part) && !part.isEmpty)
  }

  @Test func sharesOfReasonsAreSharesOfOneWhole() throws {
    for text in Fixtures.shapes + [
      "Win $500! Claim your prize at http://x.top now, urgent, call 800-555-0199"
    ] {
      let assessment = try assess(text)
      for list in [assessment.reasons, assessment.counterEvidence] {
        #expect(list.count <= 3)
        #expect(list.allSatisfy { $0.share >= 0.10 && $0.share <= 1.0000001 })
        #expect(list.map(\.share).reduce(0, +) <= 1.0000001)
        // The model comes last, however strong it is: it is the reason that nobody can check.
        let named = list.filter { $0.signal != "model" }.map(\.share)
        #expect(named == named.sorted(by: >))
        #expect(list.dropLast().allSatisfy { $0.signal != "model" })
        for span in list.compactMap(\.span) {
          #expect(span.start < span.end && span.end <= text.utf8.count)
        }
      }
    }
  }

  @Test func moreScamNeverScoresLower() throws {
    let engine = try Fixtures.engine()
    let base = [
      "Hello Mary, how are you today?", "Your parcel is here.", "Call me when you can",
      "Your account needs attention.", "We met at church, it was nice to see you.",
    ]
    let scam = [
      "Pay with gift cards now or you will be arrested.", "Read me your code.",
      "Your account is locked, verify at http://bit.ly/x now.", "Send the money by western union.",
      "You have won a prize, claim it at http://win.top/a today.",
    ]
    for start in base {
      for added in scam {
        let before = engine.assess(start).score
        let after = engine.assess("\(start) \(added)").score
        #expect(after >= before, "\(start) + \(added): \(before) to \(after)")
      }
    }
  }

  @Test func confidenceDropsForOtherLanguagesAndShortTexts() throws {
    let engine = try Fixtures.engine()
    let english = engine.assess(
      "Your account is suspended, please verify your card now at http://bank-verify.top")
    let spanish = engine.assess(
      "Su cuenta ha sido suspendida, por favor verifique su tarjeta ahora en http://banco-verificar.top"
    )
    #expect(spanish.confidence < english.confidence * 0.7)
    #expect(spanish.score >= 0.35)
    #expect(engine.assess("\u{1F600}\u{1F600}").confidence < 0.3)
    #expect(engine.assess("ok").confidence < 0.6)
  }

  @Test func aKnownSenderCountsButNotForACode() throws {
    let engine = try Fixtures.engine()
    let known = Circumstances(senderIsContact: true)
    let text = "Can you call me back about the loan today?"
    #expect(engine.assess(text, known).score <= engine.assess(text).score)
    #expect(engine.assess("read me your code", known).level != .low)
  }

  @Test func bandsDecideTheLevel() {
    let bands = Bands(medium: 0.2, high: 0.5)
    #expect(bands.level(of: 0.1999) == .low)
    #expect(bands.level(of: 0.2) == .medium)
    #expect(bands.level(of: 0.5) == .high)
  }

  @Test func standsAnyText() throws {
    let engine = try Fixtures.engine()
    var random = SeededGenerator(state: 11)
    for round in 0..<300 {
      let bytes = (0..<Int.random(in: 0...300, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      let text = bytes.withUnsafeBufferPointer { NormalizedText(utf8: $0) }
      let assessment = engine.assess(text, Circumstances(), bands: .standard)
      #expect((0...1).contains(assessment.score), "seed 11, round \(round)")
      for span in assessment.reasons.compactMap(\.span) {
        #expect(span.start < span.end && span.end <= bytes.count, "seed 11, round \(round)")
      }
    }
    let pieces =
      Fixtures.shapes + ["http://", "www.", "@", "[.]", "$", "****", "(((", "+1 ", "xn--", "9"]
    for _ in 0..<300 {
      var text = ""
      for _ in 0..<Int.random(in: 1...20, using: &random) {
        text += pieces.randomElement(using: &random) ?? ""
      }
      let score = engine.assess(text).score
      #expect((0...1).contains(score))
      #expect(engine.assess(text).score == score)
    }
  }

  /// No time is asserted: each text is one that a careless reader would take quadratic time over,
  /// and the suite would hang.
  @Test(arguments: [
    "a", "a ", "a.", "1", "1 ", "(", "@", "http://", "http://a.b/", "$", "*", "g i f t ",
    "bit . ly/ ",
    "gift card ", "pay ", "\u{200B}", "\u{430}", "\u{4F60}", "pa$$", "0 8 0 0 ", "a.b.c.d.", "[.]",
    "www.paypal.co ",
  ])
  func readsSixtyFourKiBInOnePass(piece: String) throws {
    let text = String(repeating: piece, count: RiskEngine.maximumTextBytes / piece.utf8.count)
    let score = try Fixtures.engine().assess(text).score
    #expect((0...1).contains(score))
  }
}
