import Testing

@testable import RiskEngineDomain

struct RuleSetTests {
  private let nobody = SenderFile(version: "", hours: [:], senders: [])

  private func file() -> RuleFile {
    RuleFile(
      version: "test", threshold: 3, slope: 1, groups: ["a": 4, "b": 2],
      phrases: [
        "gift": ["gift card|cards", "egift cards?"], "pay": ["pay|send"], "not": ["never"],
      ],
      signals: [
        SignalRule(
          id: "one", group: "a", weight: 3, all: ["gift", "pay"], within: 4,
          unless: ["not"], unlessWithin: 2)
      ], topics: [:], commonWords: "the a", frequentWords: "")
  }

  private func matches(_ text: String, _ file: RuleFile) throws -> [String] {
    let bundle = try RuleBundle(
      rules: file,
      domains: DomainCatalogue.Sources(
        lists: DomainLists(
          version: "", topLevel: "com", ambiguousTopLevel: "", suspiciousTopLevel: "",
          genericEndings: "", shortenerEndings: "", shorteners: "", freeHosts: "",
          projectHosts: "", freeMail: "", official: "", lureWords: "", strongLureWords: ""),
        brands: "", popular: "", suffixes: PublicSuffixes()),
      senders: nobody)
    let rules = bundle.rules
    let reader = LinkReader(catalogue: bundle.catalogue)
    let tokens = Tokenizer(lexicon: rules.lexicon, reader: reader).tokenize(NormalizedText(text))
    return rules.matches(of: rules.findings(in: tokens)).map { rules.signals[$0.signal].rule.id }
  }

  @Test(arguments: [
    ("pay with a gift card", true), ("gift cards, send them", true), ("egift now pay", true),
    ("egift cards pay", true), ("gift card", false), ("pay", false), ("giftcard pay", true),
    ("pay one two three four five gift card", false), ("never pay a gift card", false),
    ("never one two three pay a gift card", true),
  ])
  func matchesPartsNearEachOther(text: String, expected: Bool) throws {
    #expect(try matches(text, file()) == (expected ? ["one"] : []))
  }

  @Test func refusesWhatCannotWork() {
    func refused(_ change: (inout RuleFile) -> Void, _ part: String) {
      var file = file()
      change(&file)
      do {
        _ = try RuleSet(file, senders: nobody)
        Issue.record("accepted: \(part)")
      } catch {
        #expect(error.description.contains(part), "\(error)")
      }
    }
    refused({ $0.signals[0].group = "c" }, "`c`")
    refused({ $0.signals[0].all = ["gifts"] }, "`gifts`")
    refused({ $0.signals[0].all = [] }, "`one`")
    refused({ $0.signals[0].weight = .nan }, "`one`")
    refused({ $0.signals[0].category = "theft" }, "`theft`")
    refused({ $0.signals[0].floor = 2 }, "floor")
    refused({ $0.signals.append($0.signals[0]) }, "twice")
    refused({ $0.phrases["gift"] = ["Gift"] }, "`Gift`")
    refused({ $0.phrases["gift"] = ["card?"] }, "optional")
    refused({ $0.phrases["link"] = ["a"] }, "`link`")
    refused({ $0.slope = 0 }, "slope")
    refused({ $0.topics["x"] = ["gift"] }, "`x`")
  }
}
