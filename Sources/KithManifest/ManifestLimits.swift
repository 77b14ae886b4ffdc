/// How much of a manifest is read before it is refused. Manifests are written by hand: these are
/// far above any that is.
enum ManifestLimits {
  /// The longest file in bytes.
  static let fileBytes = 1 << 20
  /// How deep lists and mappings may be nested.
  static let depth = 32
  /// How many values a file may have, aliases unfolded.
  static let values = 100_000
  /// How many bytes its aliases may unfold to, by an upper bound taken before the file is parsed.
  static let unfoldedBytes = 256 << 20
}
