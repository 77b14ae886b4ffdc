/// MurmurHash3 (x86, 32 bits), fed piece by piece: a salt is absorbed once, and each unit after it.
public struct MurmurHash3: Sendable, Hashable {
  private var state: UInt32
  private var tail: UInt32 = 0
  private var tailBits: UInt32 = 0
  private var length: UInt32 = 0

  /// A hash of nothing yet.
  public init(seed: UInt32 = 0) { state = seed }

  /// The hash of a text's UTF-8.
  public static func hash(_ text: String, seed: UInt32 = 0) -> UInt32 {
    var hash = MurmurHash3(seed: seed)
    hash.absorb(text)
    return hash.value
  }

  /// Goes on with a text's UTF-8.
  public mutating func absorb(_ text: String) {
    let isDone: Void? = text.utf8.withContiguousStorageIfAvailable { absorb(bytes: $0) }
    if isDone == nil { absorb(bytes: text.utf8) }
  }

  private mutating func absorb(bytes: some Sequence<UInt8>) {
    // In registers, and not in the value, while the bytes pass.
    var (state, tail, tailBits, length) = (state, tail, tailBits, length)
    for byte in bytes {
      tail |= UInt32(byte) &<< tailBits
      tailBits &+= 8
      length &+= 1
      if tailBits == 32 {
        state = (state ^ Self.mixed(tail)).rotatedLeft(13) &* 5 &+ 0xE654_6B64
        (tail, tailBits) = (0, 0)
      }
    }
    (self.state, self.tail, self.tailBits, self.length) = (state, tail, tailBits, length)
  }

  /// The hash of all that was absorbed.
  public var value: UInt32 {
    var hash = tailBits == 0 ? state : state ^ Self.mixed(tail)
    hash ^= length
    hash = (hash ^ (hash >> 16)) &* 0x85EB_CA6B
    hash = (hash ^ (hash >> 13)) &* 0xC2B2_AE35
    return hash ^ (hash >> 16)
  }

  private static func mixed(_ block: UInt32) -> UInt32 {
    (block &* 0xCC9E_2D51).rotatedLeft(15) &* 0x1B87_3593
  }
}

extension UInt32 {
  fileprivate func rotatedLeft(_ bits: UInt32) -> UInt32 { self &<< bits | self &>> (32 &- bits) }
}
