/// A value of a manifest with its place, before it is known what it should be. Aliases are
/// unfolded.
public struct ManifestValue: Sendable, Equatable {
  /// What stands there.
  public enum Content: Sendable, Equatable {
    /// Nothing, `~` or `null`.
    case null
    /// A text, number or word as it was written. `isPlain` tells one without quotes.
    case scalar(text: String, isPlain: Bool)
    /// Values in order.
    case list([ManifestValue])
    /// Named values in order, each name once.
    case mapping([Entry])
  }

  /// A named value.
  public struct Entry: Sendable, Equatable {
    /// The key.
    public var key: String
    /// Where the key stands.
    public var location: SourceLocation
    /// The value.
    public var value: ManifestValue

    /// Creates a named value.
    public init(key: String, location: SourceLocation, value: ManifestValue) {
      self.key = key
      self.location = location
      self.value = value
    }
  }

  /// What stands there.
  public var content: Content
  /// Where it begins.
  public var location: SourceLocation

  /// Creates a value.
  public init(_ content: Content, at location: SourceLocation) {
    self.content = content
    self.location = location
  }

  /// What stands there in words, without quoting it: `a text in quotes`, `a list`.
  var kindDescription: String {
    switch content {
    case .null: "nothing"
    case .scalar(let text, isPlain: true):
      switch text {
      case "true", "false": "true or false"
      default: Double(text) != nil ? "a number" : "a text"
      }
    case .scalar(_, isPlain: false): "a text in quotes"
    case .list: "a list"
    case .mapping: "a mapping"
    }
  }
}
