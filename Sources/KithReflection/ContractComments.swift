import DescriptorContract

/// The comments of a proto file, by the path of what they are about.
struct ContractComments {
  private var texts: [[Int32]: String] = [:]

  /// No comments.
  init() {}

  /// The comments above each declaration; where there is none, the comment behind it.
  init(_ info: SourceCodeInfo?) {
    for location in info?.location ?? [] {
      let comment = location.leadingComments ?? location.trailingComments
      if let comment { texts[location.path] = Self.plain(comment) }
    }
  }

  /// The comment at a path; empty when there is none.
  subscript(path: [Int32]) -> String { texts[path] ?? "" }

  /// A comment without the space that stands before each line, and without empty lines around it.
  private static func plain(_ comment: String) -> String {
    var lines = comment.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      var line = line.first == " " ? line.dropFirst() : line
      while line.last?.isWhitespace == true { line = line.dropLast() }
      return line
    }
    while lines.last?.isEmpty == true { lines.removeLast() }
    return lines.drop { $0.isEmpty }.joined(separator: "\n")
  }
}
