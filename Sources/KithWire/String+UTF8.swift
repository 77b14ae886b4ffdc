extension String {
  /// The text in these bytes; nil when they are not valid UTF-8.
  ///
  /// As `String(validating:as:)`, which is generic to the bottom and spends more time on finding
  /// its types than on the text.
  @inlinable
  init?(utf8: UnsafeBufferPointer<UInt8>) {
    guard let span = try? UTF8Span(validating: utf8.span) else { return nil }
    self.init(copying: span)
  }
}
