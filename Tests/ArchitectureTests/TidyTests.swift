import Foundation
import Testing

/// What a reader of the sources may count on. Generated contracts and the texts of new plugins are
/// left out; the formatter keeps code to 100 columns.
@Suite struct TidyTests {
  /// A file that people wrote, by its lines.
  private struct Source {
    var path: String
    var lines: [String]
  }

  private static let sources: [Source] = ["Sources", "Plugins"]
    .flatMap { SourceTree.files(below: $0, suffix: ".swift") }
    .filter {
      !$0.hasPrefix("Sources/KithContracts/") && !$0.hasPrefix("Sources/KithScaffold/")
    }
    .compactMap { path in
      (try? SourceTree.text(of: path)).map { text in
        Source(
          path: path,
          lines: text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
      }
    }

  // MARK: Length

  /// Listings, tables and code marks stay whole.
  @Test func commentsFitIn100Columns() {
    for source in Self.sources {
      var isListing = false
      for (index, line) in source.lines.enumerated() {
        guard let text = line.firstMatch(of: /^\s*\/\/\/? ?(.*)$/)?.1 else {
          isListing = false
          continue
        }
        if text.hasPrefix("```") { isListing.toggle() }
        let isWhole = isListing || ["    ", "|", "`"].contains { text.hasPrefix($0) }
        #expect(
          line.count <= 100 || isWhole, "\(source.path):\(index + 1): wrap it at 100 columns")
      }
    }
  }

  /// The longest function, its first and last line included.
  private static let longestFunction = 60

  @Test func noFunctionIsTooLong() throws {
    let head =
      /^(\s*)(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|private|fileprivate|static|mutating|override|final|convenience|nonisolated|consuming|borrowing)\s+)*(func\s+[^\s(<]+|init|subscript)\b/
    for source in Self.sources {
      for (index, line) in source.lines.enumerated() {
        guard let match = line.firstMatch(of: head),
          let end = Self.end(of: String(match.1), in: source.lines, from: index)
        else { continue }
        let count = end - index + 1
        guard count > Self.longestFunction else { continue }
        Issue.record(
          "\(source.path):\(index + 1): \(match.2) has \(count) lines; at most \(Self.longestFunction)."
        )
      }
    }
  }

  /// The last line of a function that begins here: its closing brace stands where its first line
  /// begins. Nil for one without a body, or on one line.
  private static func end(of indent: String, in lines: [String], from start: Int) -> Int? {
    guard !(lines[start].contains("{") && lines[start].hasSuffix("}")) else { return nil }
    for index in start..<lines.count {
      if lines[index] == "\(indent)}" { return index }
      let text = lines[index].drop { $0 == " " }
      let isContinued = ["{", ")", "->", "where", "}"].contains { text.hasPrefix($0) }
      let depth = lines[index].count - text.count
      if index > start, !text.isEmpty, depth <= indent.count, !isContinued { return nil }
    }
    return nil
  }

  // MARK: Declarations

  /// Names that the standard library, a macro or C calls, and nothing here.
  private static let calledFromElsewhere: Set<String> = [
    "KithDaemon", "appendLiteral", "checkIsolated",
  ]

  /// A declared name that stands nowhere else, in no source, test or tool, is used by nothing.
  @Test func everyDeclarationIsUsed() throws {
    var words: [Substring: Int] = [:]
    let others = ["Tests", "tools"].flatMap { SourceTree.files(below: $0, suffix: ".swift") }
      .filter { !$0.contains("/.build/") }
    let left = ["Sources/KithContracts", "Sources/KithScaffold"]
      .flatMap { SourceTree.files(below: $0, suffix: ".swift") }
    var texts = Self.sources.map(\.lines)
    for path in others + left {
      texts.append(
        try SourceTree.text(of: path).split(separator: "\n").map(String.init))
    }
    for lines in texts {
      for line in lines where !line.drop(while: { $0 == " " }).hasPrefix("//") {
        for word in line.split(whereSeparator: { !($0.isLetter || $0.isNumber || $0 == "_") }) {
          words[word, default: 0] += 1
        }
      }
    }
    let declaration =
      /^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|private|fileprivate|static|mutating|override|final|nonisolated|indirect|lazy|weak)(?:\(set\))?\s+)*(?:func|var|let|struct|class|enum|protocol|actor|typealias)\s+`?(\w+)/
    for source in Self.sources {
      for (index, line) in source.lines.enumerated() {
        guard let match = line.firstMatch(of: declaration), match.1 != "_", words[match.1] == 1,
          !Self.calledFromElsewhere.contains(String(match.1))
        else { continue }
        Issue.record("\(source.path):\(index + 1): nothing uses \(match.1).")
      }
    }
  }

  @Test func noTwoPublicTypesHaveOneName() throws {
    let type = /^public (?:final |indirect )?(?:struct|class|enum|protocol|actor|typealias) (\w+)/
    var places: [String: [String]] = [:]
    for source in Self.sources {
      for line in source.lines {
        if let match = line.firstMatch(of: type) {
          places[String(match.1), default: []].append(source.path)
        }
      }
    }
    for (name, paths) in places where paths.count > 1 {
      Issue.record("\(name) is a public type of \(paths.joined(separator: " and of ")).")
    }
  }

  @Test func everyPublicDeclarationIsDocumented() {
    for source in Self.sources {
      for (index, line) in source.lines.enumerated() {
        let text = line.drop { $0 == " " }
        guard text.hasPrefix("public ") || text.hasPrefix("package "),
          !text.hasPrefix("public import"), !text.hasPrefix("package import"),
          !text.contains(" extension ")
        else { continue }
        let above = source.lines[..<index].last { line in
          !line.drop { $0 == " " }.hasPrefix("@")
        }
        let isDocumented = above?.drop { $0 == " " }.hasPrefix("///") == true
        #expect(isDocumented, "\(source.path):\(index + 1): public, and not documented.")
      }
    }
  }
}
