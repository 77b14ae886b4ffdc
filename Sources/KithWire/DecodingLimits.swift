/// How much a decoder takes from bytes that it cannot trust.
public struct DecodingLimits: Sendable, Equatable {
  /// The most bytes that a message may have.
  public var maximumBytes: Int
  /// How deep messages may be nested; a message without messages in it is not nested at all.
  public var maximumDepth: Int
  /// The most memory in bytes that the C side may use while a message is read. A message of two
  /// bytes can stand for a struct of hundreds, so the number of bytes alone is no bound.
  public var maximumMemory: Int

  /// 64 MiB, 100 deep, 256 MiB of memory.
  public static let standard = DecodingLimits()

  /// Makes limits; what is not given is as in ``standard``.
  public init(
    maximumBytes: Int = 64 << 20, maximumDepth: Int = 100, maximumMemory: Int = 256 << 20
  ) {
    self.maximumBytes = maximumBytes
    self.maximumDepth = maximumDepth
    self.maximumMemory = maximumMemory
  }
}
