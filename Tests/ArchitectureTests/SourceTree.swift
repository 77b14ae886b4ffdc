import Foundation

/// The checkout that these tests were built from.
enum SourceTree {
  static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The names in a folder, dot-files apart, sorted.
  static func names(in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path)
      .filter { !$0.hasPrefix(".") }
      .sorted()
  }

  /// All files below a folder whose name ends as asked, as paths from the root, build folders
  /// apart, sorted.
  static func files(below folder: String, suffix: String) -> [String] {
    let base = root.appending(path: folder)
    let found = FileManager.default.enumerator(
      at: base, includingPropertiesForKeys: nil, options: [.skipsHiddenFiles])
    var paths: [String] = []
    for case let url as URL in found ?? FileManager.DirectoryEnumerator() {
      let path = url.standardizedFileURL.path
      guard path.hasSuffix(suffix) else { continue }
      paths.append(String(path.dropFirst(root.standardizedFileURL.path.count + 1)))
    }
    return paths.sorted()
  }

  /// Whether there is a file or folder at a path from the root.
  static func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: root.appending(path: path).path)
  }

  /// Whether the path from the root leads to a folder.
  static func isFolder(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(
      atPath: root.appending(path: path).path, isDirectory: &isFolder) && isFolder.boolValue
  }

  /// The size and time of each file that a tool of this repository writes in the tree.
  static func changes() throws -> [String: String] {
    var found: [String: String] = [:]
    for folder in ["Plugins", "Sources/KithContracts", "Sources/KithContractsC"] {
      for path in files(below: folder, suffix: "") {
        let attributes = try FileManager.default.attributesOfItem(
          atPath: root.appending(path: path).path)
        let time = attributes[.modificationDate] as? Date
        found[path] = "\(attributes[.size] ?? "") \(time?.timeIntervalSince1970 ?? 0)"
      }
    }
    return found
  }

  static func text(of path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// What a Swift file imports, each with its line number from 1.
  static func imports(of path: String) throws -> [(module: String, line: Int)] {
    var found: [(String, Int)] = []
    for (index, line) in try text(of: path).split(separator: "\n", omittingEmptySubsequences: false)
      .enumerated()
    {
      var words = line.split(separator: " ").map(String.init)
      while let first = words.first,
        first.hasPrefix("@") || ["public", "package", "internal", "private"].contains(first)
      {
        words.removeFirst()
      }
      guard words.count >= 2, words[0] == "import" else { continue }
      // `import struct Module.Type` names the module behind the kind.
      let kinds = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias"]
      let name = kinds.contains(words[1]) && words.count > 2 ? words[2] : words[1]
      // A single function of the system's library can hide nothing else of it: it keeps its whole
      // name, `Glibc.exp`.
      let isFunction = words[1] == "func"
      found.append((isFunction ? name : String(name.prefix { $0 != "." }), index + 1))
    }
    return found
  }
}
