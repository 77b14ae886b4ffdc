/// Digits and signs that stand for letters.
enum Leet {
  /// The letter that a scalar stands for; itself when it stands for none.
  ///
  /// - Parameter oneIsL: whether `1`, `!` and `|` are `l` rather than `i`.
  @inline(__always)
  static func letter(_ scalar: UInt32, oneIsL: Bool) -> UInt32 {
    switch scalar {
    case 0x30: 0x6F
    case 0x31, 0x21, 0x7C: oneIsL ? 0x6C : 0x69
    case 0x33: 0x65
    case 0x34, 0x40: 0x61
    case 0x35, 0x24: 0x73
    case 0x37, 0x2B: 0x74
    case 0x38: 0x62
    case 0x39: 0x67
    default: scalar
    }
  }
}
