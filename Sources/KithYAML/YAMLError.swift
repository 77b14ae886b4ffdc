/// Why a text is not a YAML document that can be read.
public enum YAMLError: Error, Hashable {
  /// Bytes that are no UTF-8, or characters that YAML forbids; `offset` counts bytes from 0.
  case unreadable(problem: String, offset: Int)
  /// What stands at `mark` cannot stand there. `begin` is what was begun before and is not ended,
  /// with its place.
  case malformed(problem: String, mark: YAMLMark, begin: String?, beginMark: YAMLMark?)
  /// Lists and mappings are nested deeper than the limit.
  case tooDeep(YAMLMark)
  /// An alias whose anchor is not before it, or is around it.
  case unknownAnchor(YAMLMark)
  /// A second document.
  case secondDocument(YAMLMark)
  /// No memory was left.
  case outOfMemory
}
