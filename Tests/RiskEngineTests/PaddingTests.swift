import Testing

@testable import RiskEngineDomain

/// Monotonicity: what is added to a scam does not hide it, and a scam added to a text shows.
struct PaddingTests {
  private static let scams = [
    "IRS: a warrant is out for your arrest. Pay $900 in gift cards today.",
    "USPS: your package is on hold due to an incomplete address. Update here: https://usps-redelivery.top/a",
    "Your Netflix account is suspended. Verify your payment: http://netflix-billing.xyz",
    "Hi mum, I dropped my phone, this is my new number. Can you pay a bill for me today?",
    "A new payee was added to your account. If this was NOT you visit http://secure-payee.info",
    "Congratulations! You have won a $1000 gift card. Claim it now: http://bit.ly/w1n",
    "E-ZPass: you have an unpaid toll of $6.99. Pay now to avoid late fees: https://ezpass-pay.top",
    "Please read me the 6 digit code we just sent you to stop the transfer.",
    "Earn $300 a day from home, no experience needed. Contact our manager on WhatsApp +1 415 555 0134",
    "Your computer is infected. Call Microsoft support at 1-888-555-0142 now.",
  ]
  private static let padding = [
    "We had a lovely time at the lake and the children played in the garden all day.",
    "See you on Sunday, love you.", "The weather was fine and dinner was good.",
    "Thanks for the photos, they are beautiful!", "I will be home at six, do we need milk?",
    "My sister is learning the piano and plays every morning.",
    "ok lol see you later then", "The book was long but I liked the end.",
    "Grandpa is well and sends his regards. The dog sleeps all day.",
  ]

  @Test func tenTimesPaddingCostsATenthAtMost() throws {
    let engine = try Fixtures.engine()
    var random = SeededGenerator(state: 15)
    for round in 0..<200 {
      guard let scam = Self.scams.randomElement(using: &random),
        let word = Self.padding.randomElement(using: &random),
        let other = Self.padding.randomElement(using: &random)
      else { return }
      let alone = engine.assess(scam).score
      let front = String(repeating: word + " ", count: 10)
      let behind = String(repeating: " " + other, count: 10)
      for text in [front + scam, scam + behind, front + scam + behind] {
        let score = engine.assess(text).score
        #expect(score >= alone - 0.1, "seed 15, round \(round): \(alone) to \(score): \(text)")
      }
    }
  }

  @Test func aScamAddedNeverLowersTheScore() throws {
    let engine = try Fixtures.engine()
    for start in Self.padding + Self.scams {
      let before = engine.assess(start).score
      for scam in Self.scams {
        let after = engine.assess("\(start) \(scam)").score
        #expect(after >= before - 1e-9, "\(start) + \(scam): \(before) to \(after)")
      }
    }
  }

  @Test(arguments: [
    "Su cuenta ha sido bloqueada por actividad sospechosa. Verifique sus datos hoy en http://banco-seguro.top",
    "Correos: su paquete est\u{E1} retenido. Pague los gastos de aduana aqu\u{ED}: https://correos-pago.xyz",
    "Felicidades, usted ha ganado un premio. Reclame ahora en http://bit.ly/pr3m10",
  ])
  func spanishScamsLoseConfidenceNotTheVerdict(text: String) throws {
    let assessment = try Fixtures.engine().assess(text)
    #expect(assessment.level != .low, "\(assessment.score)")
    #expect(assessment.confidence < 0.6)
  }
}
