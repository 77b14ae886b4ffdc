/// Hashes that are the same in every process and on every machine, for words and features.
enum StableHash {
  /// The start of a 64-bit FNV-1a hash.
  static let start: UInt64 = 0xCBF2_9CE4_8422_2325

  /// Takes one scalar into a 64-bit FNV-1a hash.
  @inline(__always)
  static func step(_ hash: UInt64, _ scalar: UInt32) -> UInt64 {
    (hash ^ UInt64(scalar)) &* 0x0000_0100_0000_01B3
  }

  /// The hash of a word, scalar by scalar.
  static func word(_ text: some StringProtocol) -> UInt64 {
    text.unicodeScalars.reduce(start) { step($0, $1.value) }
  }

  /// The hash of scalars.
  static func word(_ scalars: some Sequence<UInt32>) -> UInt64 {
    scalars.reduce(start) { step($0, $1) }
  }

  /// Takes one scalar into a 32-bit feature hash.
  @inline(__always)
  static func featureStep(_ hash: UInt32, _ scalar: UInt32) -> UInt32 {
    let mixed = (hash ^ scalar) &* 0x9E37_79B1
    return mixed ^ (mixed >> 15)
  }

  /// Spreads a feature hash over all its bits (the finalizer of MurmurHash3).
  @inline(__always)
  static func featureFinish(_ hash: UInt32) -> UInt32 {
    var h = hash
    h ^= h >> 16
    h = h &* 0x85EB_CA6B
    h ^= h >> 13
    h = h &* 0xC2B2_AE35
    return h ^ (h >> 16)
  }
}
