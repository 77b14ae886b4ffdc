import KithManifest

/// Where the configuration of a worker stands in the manifest of its product.
struct ConfigurationPlaces: Sendable, Equatable {
  /// Where the worker's name stands.
  var worker: SourceLocation
  /// Where the value of each key begins that the product states.
  var keys: [String: SourceLocation]

  /// The place of a key: its value's, or the worker's where the plugin's default applies.
  subscript(key: String) -> SourceLocation { keys[key] ?? worker }
}
