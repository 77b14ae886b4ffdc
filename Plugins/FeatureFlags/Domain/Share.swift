/// A share of people, in millionths: whole numbers, so that 0.3 and 0.1 + 0.2 are the same share.
public struct Share: Sendable, Hashable, Comparable, CustomStringConvertible {
  private static let whole: UInt64 = 1_000_000

  /// Nobody.
  public static let none = Share(millionths: 0)
  /// Everybody.
  public static let all = Share(millionths: whole)

  private let millionths: UInt64

  private init(millionths: UInt64) { self.millionths = millionths }

  /// A share from 0 to 1, rounded to a millionth; nil for anything else, and for a share that is
  /// smaller than the rounding and not 0.
  public init?(_ fraction: Double) {
    guard fraction >= 0, fraction <= 1 else { return nil }
    millionths = UInt64((fraction * Double(Self.whole)).rounded())
    if millionths == 0 && fraction > 0 { return nil }
  }

  /// From 0 to 1.
  public var fraction: Double { Double(millionths) / Double(Self.whole) }

  /// `12.5 %`.
  public var description: String {
    let percent = fraction * 100
    return percent == percent.rounded() ? "\(Int(percent)) %" : "\(percent) %"
  }

  /// Whether one is smaller than the other.
  public static func < (left: Share, right: Share) -> Bool { left.millionths < right.millionths }

  /// Whether a hash falls into the share, as one of a hundred buckets from 1.
  func containsPercentile(_ hash: UInt32) -> Bool {
    UInt64(hash % 100 + 1) * (Self.whole / 100) <= millionths
  }

  /// Whether a hash falls into the share. Whoever falls into a smaller one falls into a larger one.
  public func contains(_ hash: UInt32) -> Bool {
    UInt64(hash) < Self.boundary(millionths, of: Self.whole)
  }

  /// Where a part of the 2^32 hashes ends: the one rule for shares and for splits.
  /// - Parameters:
  ///   - part: at most `total`.
  ///   - total: below 2^32.
  static func boundary(_ part: UInt64, of total: UInt64) -> UInt64 { (part << 32) / total }
}
