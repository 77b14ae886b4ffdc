/// Keccak-256 as Ethereum has it, which is SHA-3's function with the padding from before it was a
/// standard. swift-crypto has only the standard.
enum Keccak {
  /// The digest of at most 135 bytes: one block.
  static func hash256(_ bytes: [UInt8]) -> [UInt8] {
    precondition(bytes.count < 136, "more than one block")
    var block = bytes + [UInt8](repeating: 0, count: 136 - bytes.count)
    block[bytes.count] ^= 0x01
    block[135] ^= 0x80
    var state = [UInt64](repeating: 0, count: 25)
    for place in 0..<17 {
      for byte in 0..<8 { state[place] |= UInt64(block[place * 8 + byte]) << UInt64(byte * 8) }
    }
    permute(&state)
    return (0..<32).map { UInt8(truncatingIfNeeded: state[$0 / 8] >> UInt64($0 % 8 * 8)) }
  }

  private static func permute(_ state: inout [UInt64]) {
    func rotate(_ value: UInt64, _ count: UInt64) -> UInt64 {
      count == 0 ? value : value << count | value >> (64 - count)
    }
    for constant in constants {
      var columns = [UInt64](repeating: 0, count: 5)
      for place in 0..<25 { columns[place % 5] ^= state[place] }
      for place in 0..<25 {
        state[place] ^= columns[(place + 4) % 5] ^ rotate(columns[(place + 1) % 5], 1)
      }
      var moved = state
      for place in 0..<25 {
        let (x, y) = (place % 5, place / 5)
        moved[y + 5 * ((2 * x + 3 * y) % 5)] = rotate(state[place], rotations[place])
      }
      for place in 0..<25 {
        let row = place - place % 5
        state[place] =
          moved[place] ^ (~moved[row + (place + 1) % 5] & moved[row + (place + 2) % 5])
      }
      state[0] ^= constant
    }
  }

  private static let rotations: [UInt64] = [
    0, 1, 62, 28, 27, 36, 44, 6, 55, 20, 3, 10, 43, 25, 39, 41, 45, 15, 21, 8, 18, 2, 61, 56, 14,
  ]

  private static let constants: [UInt64] = [
    0x0000_0000_0000_0001, 0x0000_0000_0000_8082, 0x8000_0000_0000_808A, 0x8000_0000_8000_8000,
    0x0000_0000_0000_808B, 0x0000_0000_8000_0001, 0x8000_0000_8000_8081, 0x8000_0000_0000_8009,
    0x0000_0000_0000_008A, 0x0000_0000_0000_0088, 0x0000_0000_8000_8009, 0x0000_0000_8000_000A,
    0x0000_0000_8000_808B, 0x8000_0000_0000_008B, 0x8000_0000_0000_8089, 0x8000_0000_0000_8003,
    0x8000_0000_0000_8002, 0x8000_0000_0000_0080, 0x0000_0000_0000_800A, 0x8000_0000_8000_000A,
    0x8000_0000_8000_8081, 0x8000_0000_0000_8080, 0x0000_0000_8000_0001, 0x8000_0000_8000_8008,
  ]
}
