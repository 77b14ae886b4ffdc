extension Duration {
  /// Whole milliseconds; what is less than one is left out.
  package var inMilliseconds: Int64 {
    components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
  }
}

extension Duration {
  /// A length of time as manifests have it: `500ms`, `1h30m`, `3d`. Nil for anything else.
  public init?(inManifest text: String) {
    guard let duration = Quantity.duration(text) else { return nil }
    self = duration
  }
}
