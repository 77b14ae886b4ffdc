/// Exponential and logarithm that give the same bits on every machine.
///
/// The C library's versions differ between releases in the last bit, and a score must not. These
/// use only IEEE 754 additions, multiplications and divisions in a fixed order, which Swift neither
/// reorders nor contracts. Both are good to about 1e-15, far beyond what a score needs.
public enum DeterministicMath {
  private static let ln2High = 0x1.62e42feep-1
  private static let ln2Low = 0x1.a39ef35793c76p-33

  /// e to the power of `x`, for x from -700 to 700; outside, the value at the nearer end.
  public static func exponential(_ x: Double) -> Double {
    guard !x.isNaN else { return x }
    let clamped = x < -700 ? -700 : (x > 700 ? 700 : x)
    let k = (clamped / (ln2High + ln2Low)).rounded(.toNearestOrEven)
    let r = (clamped - k * ln2High) - k * ln2Low
    // The Taylor series on |r| <= ln(2)/2, by Horner; thirteen terms reach the last bit or the one
    // before.
    var sum = 1.0
    var term = 14
    while term >= 1 {
      sum = 1.0 + r / Double(term) * sum
      term -= 1
    }
    return Double(sign: .plus, exponent: Int(k), significand: sum)
  }

  /// The natural logarithm of a positive, normal number.
  public static func logarithm(_ x: Double) -> Double {
    guard x > 0, x.isFinite else { return x == 0 ? -.infinity : .nan }
    var exponent = Int(x.exponent)
    var m = x.significand
    if m > 0x1.6a09e667f3bcdp+0 {
      m = m / 2
      exponent += 1
    }
    // ln(m) = 2 atanh((m - 1) / (m + 1)), with |argument| < 0.172.
    let z = (m - 1) / (m + 1)
    let square = z * z
    var sum = 0.0
    var term = 23
    while term >= 1 {
      sum = sum * square + 1.0 / Double(term)
      term -= 2
    }
    return Double(exponent) * ln2High + (2 * z * sum + Double(exponent) * ln2Low)
  }

  /// 1 / (1 + e^-x).
  public static func sigmoid(_ x: Double) -> Double {
    1 / (1 + exponential(-x))
  }
}
