/// A part of a text: bytes of its UTF-8, from `start` up to but not including `end`.
public struct ByteSpan: Sendable, Hashable {
  /// The first byte of the part.
  public var start: Int
  /// The first byte behind the part.
  public var end: Int

  /// A part from `start` up to but not including `end`.
  public init(start: Int, end: Int) {
    self.start = start
    self.end = end
  }
}
