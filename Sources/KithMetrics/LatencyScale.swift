/// The buckets into which times are counted: the same everywhere, so that counts of several
/// methods, workers and moments can be added and subtracted.
///
/// Up to 16 microseconds each microsecond has its own; from there on a doubling has eight, so that
/// a bound is at most an eighth above any time in its bucket. The last bucket holds everything from
/// 19 hours on.
public enum LatencyScale {
  /// How many buckets there are.
  public static let count = index(ofMicroseconds: limit) + 1

  /// Times from here on are one to the scale: 2 to the 36th microseconds.
  private static let limit: UInt64 = 1 << 36
  /// How many bits below the highest one tell the buckets of a doubling apart.
  private static let bits = 3

  /// The bucket of a time in microseconds.
  public static func index(ofMicroseconds time: UInt64) -> Int {
    let time = min(time, limit)
    // A time that a bucket ends at belongs to it, hence the bounds are counted from zero.
    guard time >= 16 else { return Int(time) }
    let exponent = UInt64.bitWidth - 1 - time.leadingZeroBitCount
    let step = Int((time >> UInt64(exponent - bits)) & 7)
    return 16 + (exponent - 4) * 8 + step
  }

  /// The longest time in microseconds that belongs to a bucket.
  public static func upperMicroseconds(of index: Int) -> UInt64 {
    guard index >= 16 else { return UInt64(index) }
    let exponent = 4 + (index - 16) / 8
    let step = UInt64((index - 16) % 8)
    return ((8 + step + 1) << UInt64(exponent - bits)) - 1
  }
}
