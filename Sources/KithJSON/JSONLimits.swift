/// How much JSON is read before it is refused.
public struct JSONLimits: Sendable, Hashable {
  /// The longest text in bytes. 64 MiB unless told.
  public var maximumBytes: Int
  /// How deep arrays and objects may be nested. 100 unless told; never above 1000, whatever is
  /// asked for, since the parser uses the stack.
  public var maximumDepth: Int {
    didSet { maximumDepth = min(maximumDepth, Self.deepest) }
  }

  private static let deepest = 1000

  /// Limits with these values.
  public init(maximumBytes: Int = 64 << 20, maximumDepth: Int = 100) {
    self.maximumBytes = maximumBytes
    self.maximumDepth = min(maximumDepth, Self.deepest)
  }

  /// 64 MiB, 100 deep.
  public static let standard = JSONLimits()
}
