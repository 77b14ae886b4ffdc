/// A value of a YAML document, with its place.
///
/// An alias is the node that its anchor names: both share one storage, so that the memory of a
/// document grows with its text however its aliases nest. Who walks the tree counts what it visits.
public struct YAMLNode: Sendable {
  /// What a node holds.
  public enum Content: Sendable {
    /// A text. `isPlain` is whether it stands without quotes and outside of a block, so that `null`
    /// or `12` may mean more than its characters.
    case scalar(text: String, isPlain: Bool)
    /// A list.
    case sequence([YAMLNode])
    /// Keys with their values, in the order of the text; a key may stand twice.
    case mapping([Entry])
  }

  /// A key with its value.
  public struct Entry: Sendable {
    /// The key: any node, by YAML's rules.
    public let key: YAMLNode
    /// Its value.
    public let value: YAMLNode
  }

  /// What it holds.
  public let content: Content
  /// The tag that the text gives it, resolved: `tag:yaml.org,2002:str` for `!!str`. Nil without
  /// one.
  public let tag: String?
  /// Where it begins; for an alias, where the anchor's node does.
  public let mark: YAMLMark
}
