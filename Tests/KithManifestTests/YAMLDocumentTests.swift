import KithYAML
import Testing

@Suite struct YAMLDocumentTests {
  private func error(_ text: String, depth: Int = 100) -> YAMLError? {
    do throws(YAMLError) {
      _ = try YAMLDocument.read(text, depth: depth)
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: ["", "\n\n", "# only a remark\n", "---\n...\n"])
  func whatHoldsNoValueIsNoDocumentOrAnEmptyOne(_ text: String) throws {
    guard let root = try YAMLDocument.read(text) else { return }
    guard case .scalar("", isPlain: true) = root.content else {
      Issue.record("\(root)")
      return
    }
  }

  @Test func aScalarKeepsItsTextItsTagAndItsPlace() throws {
    let root = try #require(try YAMLDocument.read("a: !!str 12\nb: \"\\u00e9\\0\"\n"))
    guard case .mapping(let entries) = root.content, entries.count == 2,
      case .scalar("12", isPlain: true) = entries[0].value.content,
      case .scalar("\u{e9}\0", isPlain: false) = entries[1].value.content
    else {
      Issue.record("\(root)")
      return
    }
    #expect(entries[0].value.tag == "tag:yaml.org,2002:str")
    #expect(entries[1].value.tag == nil)
    #expect(entries[1].key.mark == YAMLMark(line: 2, column: 1))
  }

  @Test func anAliasIsTheNodeOfTheLastAnchorOfItsName() throws {
    let root = try #require(try YAMLDocument.read("[&a 1, *a, &a 2, *a]"))
    guard case .sequence(let elements) = root.content else {
      Issue.record("\(root)")
      return
    }
    let texts = elements.map { node -> String in
      guard case .scalar(let text, _) = node.content else { return "" }
      return text
    }
    #expect(texts == ["1", "1", "2", "2"])
    #expect(elements[1].mark == elements[0].mark)
  }

  @Test func anAliasInsideItsOwnAnchorIsRefused() {
    #expect(error("&a [*a]") == .unknownAnchor(YAMLMark(line: 1, column: 5)))
  }

  @Test func aBombOfAliasesTakesNoMoreThanItsText() throws {
    var text = "a0: &a0 [x, x]\n"
    for level in 1...1_000 { text += "a\(level): &a\(level) [*a\(level - 1), *a\(level - 1)]\n" }
    let root = try #require(try YAMLDocument.read(text))
    guard case .mapping(let entries) = root.content else {
      Issue.record("\(root)")
      return
    }
    #expect(entries.count == 1_001)
  }

  @Test func theDepthIsTheNumberOfListsAroundAScalar() {
    #expect(error("[[x]]", depth: 2) == nil)
    #expect(error("[[[x]]]", depth: 2) == .tooDeep(YAMLMark(line: 1, column: 3)))
  }

  @Test func aSecondDocumentIsRefusedWhereItBegins() {
    #expect(error("a: 1\n---\nb: 2\n") == .secondDocument(YAMLMark(line: 2, column: 1)))
  }

  @Test func aForbiddenCharacterIsRefusedByItsPlaceInBytes() {
    // The two bytes of é, a colon and a blank are before it.
    guard case .unreadable(_, offset: 4)? = error("é: \u{1}") else {
      Issue.record("\(String(describing: error("é: \u{1}")))")
      return
    }
  }
}
