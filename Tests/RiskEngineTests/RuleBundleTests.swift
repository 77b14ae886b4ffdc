import FoundationEssentials
import KithTime
import RiskEngineService
import Testing

@testable import RiskEngineDomain

/// The bundle that ships: its rules by the tests that stand beside them, its sentences, its
/// contacts.
struct RuleBundleTests {
  private func found(_ example: RuleTestFile.Example, _ engine: RiskEngine) -> Set<String> {
    let reading = engine.read(NormalizedText(example.text), example.circumstances)
    return Set(reading.matches.map { engine.rules.signals[$0.signal].rule.id })
  }

  @Test func everySignalStandsItsTests() throws {
    let engine = try Fixtures.engine()
    let tests = try RuleTestFile.shipped().signals
    let ids = Set(engine.rules.signalRules.map(\.id))
    #expect(ids == Set(tests.keys), "a signal without tests, or tests without a signal")
    for (id, tests) in tests {
      #expect(!tests.matches.isEmpty && !tests.ignores.isEmpty, "\(id)")
      for example in tests.matches {
        #expect(found(example, engine).contains(id), "\(id) is not found in: \(example)")
      }
      for example in tests.ignores {
        #expect(!found(example, engine).contains(id), "\(id) is found in: \(example)")
      }
    }
  }

  @Test func weightsSpeakForTheSideOfTheirGroup() throws {
    for rule in try Fixtures.engine().rules.signalRules {
      #expect(rule.weight != 0, "\(rule.id)")
      #expect((rule.weight > 0) == !rule.group.hasPrefix("against"), "\(rule.id)")
    }
  }

  // MARK: - Sentences

  private func catalogues() throws -> [StringCatalogue] {
    Array(try Fixtures.bundle.get().strings.values)
  }

  /// All sentences that a person may read, each filled in with a name where it has a gap.
  private func sentences(of catalogue: StringCatalogue) -> [String] {
    let actions = catalogue.actions.values.flatMap { $0 } + catalogue.always
    return catalogue.signals.keys.map { catalogue.sentence(for: $0, about: nil) }
      + actions.flatMap { [$0.title] + $0.steps } + Array(catalogue.purposes.values)
      + [catalogue.legalNote]
  }

  @Test func everySentenceReadsAtSixthGradeOrBelow() throws {
    let english = try #require(try catalogues().first { $0.language == "en" })
    let all = sentences(of: english)
    #expect(all.count > 150)
    for sentence in all {
      let grade = ReadingGrade.grade(of: sentence)
      #expect(grade <= 6, "grade \(grade): \(sentence)")
    }
  }

  @Test func sentencesOfSignalsAreWholeAndHaveNoGapLeft() throws {
    for catalogue in try catalogues() {
      for sentence in sentences(of: catalogue) { #expect(!sentence.contains("{"), "\(sentence)") }
      for signal in catalogue.signals.keys {
        let sentence = catalogue.sentence(for: signal, about: "the IRS")
        #expect(sentence.hasSuffix("."), "\(signal)")
        #expect(sentence.first?.isUppercase == true, "\(signal)")
      }
    }
  }

  @Test func everyKindOfScamHasItsOwnActions() throws {
    for catalogue in try catalogues() {
      for category in ScamCategory.allCases {
        let actions = catalogue.actions(for: category)
        #expect(catalogue.actions[category.name] != nil, "\(category.name)")
        #expect(actions.count >= 2 && actions.allSatisfy { !$0.steps.isEmpty })
      }
      #expect(catalogue.actions(for: nil).count == 1)
    }
  }

  // MARK: - Contacts and senders

  private func decoded<Value: Decodable>(_ type: Value.Type, _ name: String) throws -> Value {
    try JSONDecoder().decode(
      type, from: Data(contentsOf: URL(filePath: "\(Fixtures.resources)/\(name)")))
  }

  @Test func everyStateHasAnOfficeAndAZone() throws {
    let file = try decoded(ContactFile.self, "contacts.json")
    #expect(Set(file.states.map(\.code)).count == 56, "50 states, DC and 5 territories")
    let zones = ZoneFiles()
    for state in file.states {
      #expect(state.url.hasPrefix("https://") && !state.office.isEmpty, "\(state.code)")
      #expect(state.phone.isEmpty || state.phone.hasPrefix("+1") && state.phone.utf8.count == 12)
      #expect(!state.zones.isEmpty)
      for name in state.zones.split(separator: " ") {
        _ = try zones.zone(named: String(name))
      }
    }
  }

  @Test func contactsFitTheKind() throws {
    let book = try ContactBook(decoded(ContactFile.self, "contacts.json"))
    #expect(book.federal(for: .delivery).first?.id == "uspis")
    #expect(book.federal(for: nil).contains { $0.id == "ftc" })
    for category in ScamCategory.allCases {
      let contacts = book.federal(for: category)
      #expect((1...4).contains(contacts.count) && contacts.contains { $0.id == "ftc" })
    }
    #expect(book.state("WA")?.url == "https://www.atg.wa.gov/consumer-protection")
    #expect(book.state("XX") == nil)
  }

  @Test func sendersAreCheckedByName() throws {
    let rules = try decoded(RuleFile.self, "rules.json")
    let domains = DomainCatalogue.Sources(
      lists: try decoded(DomainLists.self, "domains.json"), brands: "", popular: "",
      suffixes: PublicSuffixes())
    func refusal(_ change: (inout SenderFile) -> Void) throws -> String {
      var senders = try decoded(SenderFile.self, "senders.json")
      change(&senders)
      do throws(RuleFileError) {
        _ = try RuleBundle(rules: rules, domains: domains, senders: senders)
        return ""
      } catch {
        return error.description
      }
    }
    #expect(try refusal { _ in } == "")
    #expect(try refusal { $0.senders.append($0.senders[0]) }.contains("used twice"))
    #expect(try refusal { $0.senders[0].numbers = "555" }.contains("E.164"))
    #expect(try refusal { $0.senders[0].names = ["Pay Pal"] }.contains("`Pay`"))
    #expect(try refusal { $0.hours["firm"] = $0.hours["agency"] }.contains("`firm`"))
    #expect(try refusal { $0.hours["agency"]?.opens = "7" }.contains("`7`"))
    #expect(try refusal { $0.hours["agency"]?.days = "monday" }.contains("`monday`"))
  }
}
