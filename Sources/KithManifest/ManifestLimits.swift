/// How much of a manifest is read before it is refused. Manifests are written by hand: these are
/// far above any that is.
enum ManifestLimits {
  /// The longest file in bytes.
  static let fileBytes = 1 << 20
  /// How deep lists and mappings may be nested.
  static let depth = 32
  /// How many values a file may have, aliases unfolded.
  static let values = 100_000
}
