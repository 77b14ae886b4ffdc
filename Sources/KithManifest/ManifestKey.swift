/// A key of a mapping in a manifest: what the decoder knows of it, and what `kith help manifest`
/// prints.
public struct ManifestKey: Sendable, Hashable {
  /// The key: `open_files`.
  public let name: String
  /// What its value is: `whole number`, `duration`, `permanent, transient, temporary`.
  public let type: String
  /// The allowed values where the type has more: `64 to 1048576`. Nil for all of the type.
  public let range: String?
  /// The value that applies where the key is absent, in words. Nil for a key that must be there.
  public let defaultText: String?
  /// What it does, in a sentence.
  public let doc: String
  /// The name of the section with the keys of its value: `limits`. Nil where the value has no keys
  /// of Kith's.
  public let section: String?

  /// Whether the key must be there.
  public var isRequired: Bool { defaultText == nil }

  /// The key as a worker of a product has it: where it is absent the plugin's value applies.
  var ofWorker: ManifestKey {
    ManifestKey(
      name: name, type: type, range: range, defaultText: "the plugin's", doc: doc, section: section)
  }
}
