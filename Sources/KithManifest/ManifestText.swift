/// The text of a manifest and where it was read.
public struct ManifestText: Sendable, Hashable {
  /// The path of its file.
  public let file: String
  /// All of it.
  public let text: String

  /// A text of that file.
  public init(file: String, text: String) {
    self.file = file
    self.text = text
  }
}
