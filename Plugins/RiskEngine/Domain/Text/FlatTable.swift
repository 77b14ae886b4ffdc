/// A table from well-mixed 64-bit keys to small numbers, read far more often than written. Swift's
/// Dictionary hashes each key anew with SipHash, which is a large part of the cost of a word.
struct FlatTable: Sendable {
  private var keys: [UInt64]
  private var values: [Int32]
  private var count = 0

  init() {
    keys = [UInt64](repeating: 0, count: 64)
    values = [Int32](repeating: 0, count: 64)
  }

  /// The value of a key; 0 when there is none.
  @inline(__always)
  func value(of key: UInt64) -> Int {
    let mask = keys.count - 1
    var at = Self.place(key) & mask
    while true {
      let found = keys[at]
      if found == key { return Int(values[at]) }
      if found == 0 { return 0 }
      at = (at + 1) & mask
    }
  }

  /// Sets the value of a key. Key and value are not 0.
  mutating func set(_ key: UInt64, _ value: Int) {
    if (count + 1) * 4 > keys.count { grow() }
    let mask = keys.count - 1
    var at = Self.place(key) & mask
    while keys[at] != 0, keys[at] != key { at = (at + 1) & mask }
    if keys[at] == 0 { count += 1 }
    keys[at] = key
    values[at] = Int32(value)
  }

  private mutating func grow() {
    let old = zip(keys, values).filter { $0.0 != 0 }
    keys = [UInt64](repeating: 0, count: keys.count * 4)
    values = [Int32](repeating: 0, count: keys.count)
    count = 0
    for (key, value) in old { set(key, Int(value)) }
  }

  @inline(__always)
  private static func place(_ key: UInt64) -> Int {
    Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) >> 32)
  }
}
