import Testing

@testable import RiskEngineDomain

/// What reading a text costs, counted and not timed: twice the text, at most twice the work.
struct WorkTests {
  private func work(_ text: String) throws -> Int {
    let reading = try Fixtures.engine().read(NormalizedText(text), Circumstances())
    return reading.tokenized.work + reading.features.ids.count + reading.verdict.work
      + reading.findings.count + reading.matches.count
  }

  /// Each is a piece of a text that a careless reader would take quadratic time over.
  private static let pieces = [
    "a", "a ", "a.", "1", "1 ", "(", "@", "http://", "http://a.b/", "$", "*", "g i f t ",
    "bit . ly/ ", "gift card ", "pay ", "\u{200B}", "\u{430}", "\u{4F60}", "pa$$", "0 8 0 0 ",
    "a.b.c.d.", "[.]", "www.paypal.co ", "accountaccount", "ver.ify", "g.i.f.t.", "\u{202E}tfig ",
    "caller: ", "a\u{1F381}", "press one. ", "p4ssw0rd ", "youraccountissuspended ",
  ]

  @Test(arguments: pieces)
  func growsWithTheText(piece: String) throws {
    try expectLinearWork(piece, from: 1 << 15, to: 1 << 17)
  }

  /// All of them, one behind the other: what each leaves open meets the next.
  @Test func growsWithTheTextUpToOneMiB() throws {
    try expectLinearWork(Self.pieces.joined(), from: 1 << 17, to: 1 << 20)
    try expectLinearWork(
      Self.pieces.map { String(repeating: $0, count: 20) }.joined(), from: 1 << 17, to: 1 << 20)
  }

  /// Doubles a text from a size where windows have begun to repeat, so that what is fixed does not
  /// count.
  private func expectLinearWork(_ piece: String, from first: Int, to most: Int) throws {
    var size = first
    func text(_ size: Int) -> String {
      String(repeating: piece, count: size / piece.utf8.count)
    }
    var last = try work(text(size))
    while size < most {
      size *= 2
      let now = try work(text(size))
      #expect(
        Double(now) <= 2.1 * Double(last) + 20_000, "\(piece): \(last) at \(size / 2), then \(now)")
      last = now
    }
  }

  @Test func readsTextsLongerThanTheServiceTakes() throws {
    let text = String(repeating: "We had a lovely day at the lake. ", count: 32_000)
    let scam = "IRS: a warrant is out for your arrest. Pay $900 in gift cards today."
    #expect(text.utf8.count > 1_000_000)
    #expect(try Fixtures.engine().assess(text).level == .low)
    #expect(try Fixtures.engine().assess(text + scam).level == .high)
  }
}
