import Testing

@testable import RiskEngineDomain

/// What reading a text costs, counted and not timed: twice the text, at most twice the work.
struct WorkTests {
  private func work(_ text: String) throws -> Int {
    let reading = try Fixtures.engine().read(NormalizedText(text), Circumstances())
    return reading.tokenized.work + reading.features.ids.count + reading.verdict.work
      + reading.findings.count + reading.matches.count
  }

  /// Each is a text that a careless reader would take quadratic time over.
  @Test(arguments: [
    "a", "a ", "a.", "1", "1 ", "(", "@", "http://", "http://a.b/", "$", "*", "g i f t ",
    "bit . ly/ ", "gift card ", "pay ", "\u{200B}", "\u{430}", "\u{4F60}", "pa$$", "0 8 0 0 ",
    "a.b.c.d.", "[.]", "www.paypal.co ", "accountaccount", "ver.ify", "g.i.f.t.", "\u{202E}tfig ",
    "caller: ", "a\u{1F381}", "press one. ", "p4ssw0rd ", "youraccountissuspended ",
  ])
  func growsWithTheText(piece: String) throws {
    try growth(of: piece, from: 1 << 15, to: 1 << 17)
  }

  @Test(arguments: ["a", "1 ", "http://a.b/", "gift card ", "ver.ify", "press one. "])
  func growsWithTheTextUpToOneMiB(piece: String) throws {
    try growth(of: piece, from: 1 << 18, to: 1 << 20)
  }

  /// From a size where windows have begun to repeat, so that what is fixed does not count.
  private func growth(of piece: String, from start: Int, to end: Int) throws {
    var size = start
    func text(_ size: Int) -> String {
      String(repeating: piece, count: size / piece.utf8.count)
    }
    var last = try work(text(size))
    while size < end {
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
