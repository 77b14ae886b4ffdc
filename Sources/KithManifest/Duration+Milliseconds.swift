extension Duration {
  /// Whole milliseconds; what is less than one is left out.
  package var inMilliseconds: Int64 {
    components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
  }
}
