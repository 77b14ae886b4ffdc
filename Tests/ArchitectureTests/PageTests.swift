import Testing

/// The README and the pages of the DocC catalogues: length, links, listings.
@Suite struct PageTests {
  /// The pages of all catalogues, as paths from the root.
  private static let articles = SourceTree.files(below: "Sources", suffix: ".md")
    .filter { $0.contains(".docc/") }

  private static let pages = ["README.md", "proto/PROTOCOL.md"] + articles

  @Test func theReadmeIsShort() throws {
    let lines = try SourceTree.text(of: "README.md")
      .split(separator: "\n", omittingEmptySubsequences: false).count
    #expect(lines <= 151, "README.md has \(lines - 1) lines; it has at most 150.")
  }

  @Test func everyCatalogueBesideAModuleHasALandingPage() {
    #expect(Self.articles.count > 10)
    for module in ["KithHost/KithHost.docc/KithHost", "KithTesting/KithTesting.docc/KithTesting"] {
      #expect(Self.articles.contains("Sources/\(module).md"))
    }
  }

  @Test(arguments: pages)
  func thePageHasOneTitle(page: String) throws {
    #expect(try Self.prose(of: page).filter { $0.hasPrefix("# ") }.count == 1)
  }

  @Test(arguments: pages)
  func linksLeadToFilesAndArticlesThatExist(page: String) throws {
    let folder = page.split(separator: "/").dropLast().joined(separator: "/")
    for line in try Self.prose(of: page) {
      for target in Self.parts(of: line, between: "](", and: ")")
      where !target.contains("://") && !target.hasPrefix("#") {
        let path = target.split(separator: "#").first.map(String.init) ?? ""
        let full = folder.isEmpty ? path : "\(folder)/\(path)"
        #expect(SourceTree.exists(full), "\(page): the link to \(target) leads nowhere")
      }
      for name in Self.parts(of: line, between: "<doc:", and: ">") {
        #expect(
          SourceTree.exists("\(folder)/\(name).md"), "\(page): there is no article \(name)")
      }
    }
  }

  /// Paths in code marks that begin with a folder of the top level, placeholders and the example
  /// plugin apart.
  @Test(arguments: pages)
  func pathsInCodeMarksExist(page: String) throws {
    for line in try Self.prose(of: page) {
      for (index, code) in line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      where !index.isMultiple(of: 2) {
        guard let path = code.split(separator: " ").first.map(String.init),
          ["Sources/", "Plugins/", "Tests/", "proto/", "tools/"].contains(where: path.hasPrefix),
          !["<", "PillBox", "pill_box", "Name"].contains(where: path.contains)
        else { continue }
        // A page on packages of one's own names the places in such a package.
        let exists = SourceTree.exists(path) || SourceTree.exists("Tests/ExamplePackage/\(path)")
        #expect(exists, "\(page): \(path) does not exist")
      }
    }
  }

  /// Each Swift listing is a verbatim part of one file that the build compiles, with imports of
  /// that file before it.
  @Test(arguments: pages)
  func swiftListingsAreOfFilesThatAreCompiled(page: String) throws {
    for listing in try Self.listings(of: page, language: "swift") {
      let imports = listing.filter(Self.isImport)
      let body = Self.trimmed(listing.filter { !Self.isImport($0) })
      #expect(
        !imports.isEmpty || listing.first?.hasPrefix(".package(") == true,
        "\(page): the listing shows no imports: \(body.first ?? "")")
      #expect(
        Self.sources.contains { file in
          imports.allSatisfy(file.contains) && Self.isPart(body, of: file)
        }, "\(page): no compiled file has this listing: \(body.first ?? "")")
    }
  }

  // MARK: Reading

  /// The lines of the files that listings may be of.
  private static let sources: [[String]] = ["Plugins", "Tests", "Sources", "tools/benchmarks"]
    .flatMap { SourceTree.files(below: $0, suffix: ".swift") }
    .compactMap { try? lines(of: $0) }

  private static func lines(of path: String) throws -> [String] {
    try SourceTree.text(of: path).split(separator: "\n", omittingEmptySubsequences: false)
      .map(String.init)
  }

  /// The lines of a page that are in no listing.
  private static func prose(of page: String) throws -> [String] {
    var inCode = false
    return try lines(of: page).filter { line in
      guard line.hasPrefix("```") else { return !inCode }
      inCode.toggle()
      return false
    }
  }

  private static func listings(of page: String, language: String) throws -> [[String]] {
    var found: [[String]] = []
    var current: [String]?
    for line in try lines(of: page) {
      if let lines = current {
        if line.hasPrefix("```") {
          found.append(lines)
          current = nil
        } else {
          current = lines + [line]
        }
      } else if line == "```\(language)" {
        current = []
      }
    }
    return found
  }

  private static func isImport(_ line: String) -> Bool {
    line.hasPrefix("import ") || line.hasPrefix("public import ")
      || line.hasPrefix("@testable import ")
  }

  private static func trimmed(_ lines: [String]) -> [String] {
    Array(lines.drop { $0.isEmpty }.reversed().drop { $0.isEmpty }.reversed())
  }

  /// Whether the lines stand in a file one after the other, all of them moved to the right by the
  /// same width.
  private static func isPart(_ lines: [String], of file: [String]) -> Bool {
    guard let first = lines.first, lines.count <= file.count else { return false }
    for start in 0...(file.count - lines.count) where file[start].hasSuffix(first) {
      let indent = file[start].dropLast(first.count)
      guard indent.allSatisfy({ $0 == " " }) else { continue }
      if zip(lines, file[start...]).allSatisfy({ $0.isEmpty ? $1.isEmpty : $1 == indent + $0 }) {
        return true
      }
    }
    return false
  }

  private static func parts(of line: String, between begin: String, and end: String) -> [String] {
    line.split(separator: begin, omittingEmptySubsequences: false).dropFirst().compactMap { part in
      part.firstRange(of: end).map { String(part[..<$0.lowerBound]) }
    }
  }
}
