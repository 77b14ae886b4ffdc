/// Words and what each means, as bits; case does not matter.
///
/// An open-addressed table of hashes: each number asks about a dozen words, and a text may be
/// nothing but numbers.
struct WordTable {
  private var hashes = [UInt64](repeating: 0, count: 2048)
  private var values = [UInt32](repeating: 0, count: 2048)
  /// The lengths of the words by their first letter, as bits: most words need no hash to be known
  /// as none of these.
  private var lengths = [UInt32](repeating: 0, count: 256)

  private static let seed: UInt64 = 0xCBF2_9CE4_8422_2325

  @inline(__always)
  private static func add(_ byte: UInt8, to hash: UInt64) -> UInt64 {
    (hash ^ UInt64(byte)) &* 0x100_0000_01B3
  }

  /// Adds a value to words that are parted by spaces.
  mutating func add(_ words: String, _ value: UInt32) {
    for word in words.split(separator: " ") {
      let hash = word.utf8.reduce(Self.seed) { Self.add($1, to: $0) }
      var place = Int(hash & 2047)
      while hashes[place] != 0, hashes[place] != hash { place = (place + 1) & 2047 }
      hashes[place] = hash
      values[place] |= value
      if let first = word.utf8.first { lengths[Int(first)] |= 1 << UInt32(word.utf8.count) }
    }
  }

  /// What the word in these bytes means; 0 when it is not in the table.
  func value(of bytes: [UInt8], _ range: Range<Int>) -> UInt32 {
    guard range.count <= 16, !range.isEmpty,
      lengths[Int(bytes[range.lowerBound].lowercased)] >> UInt32(range.count) & 1 == 1
    else { return 0 }
    var hash = Self.seed
    for place in range { hash = Self.add(bytes[place].lowercased, to: hash) }
    var place = Int(hash & 2047)
    while hashes[place] != 0 {
      if hashes[place] == hash { return values[place] }
      place = (place + 1) & 2047
    }
    return 0
  }
}
