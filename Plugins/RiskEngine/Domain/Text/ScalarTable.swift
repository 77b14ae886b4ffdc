/// A table from scalars to names, for scripts and skeletons: ranges in ascending order.
struct ScalarTable: Sendable {
  /// The names, each once for every line that has it.
  let names: [String]
  private let firsts: [UInt32]
  private let lasts: [UInt32]
  private let places: [UInt16]

  /// Reads lines of a name and of scalars as hexadecimal numbers and ranges: `Armn 531-556 559`.
  init(parsing text: StaticString) {
    var names: [String] = []
    var ranges: [(first: UInt32, last: UInt32, place: UInt16)] = []
    text.withUTF8Buffer { bytes in
      var index = 0
      while index < bytes.count {
        let start = index
        while index < bytes.count, bytes[index] != UInt8(ascii: " ") { index += 1 }
        let place = UInt16(names.count)
        names.append(String(decoding: bytes[start..<index], as: UTF8.self))
        var first: UInt32 = 0
        var value: UInt32 = 0
        var isRange = false
        while index < bytes.count, bytes[index] != UInt8(ascii: "\n") {
          index += 1
          let byte = index < bytes.count ? bytes[index] : UInt8(ascii: "\n")
          switch byte {
          case UInt8(ascii: "-"):
            (first, value, isRange) = (value, 0, true)
          case UInt8(ascii: " "), UInt8(ascii: "\n"):
            ranges.append((isRange ? first : value, value, place))
            (value, isRange) = (0, false)
          default:
            let nibble = byte >= UInt8(ascii: "a") ? byte - UInt8(ascii: "a") + 10 : byte - 48
            value = value << 4 | UInt32(nibble)
          }
        }
        index += 1
      }
    }
    ranges.sort { $0.first < $1.first }
    self.names = names
    firsts = ranges.map(\.first)
    lasts = ranges.map(\.last)
    places = ranges.map(\.place)
  }

  /// The place in `names` of a scalar's name; nil when it has none.
  func place(of scalar: UInt32) -> Int? {
    var low = 0
    var high = firsts.count
    while low < high {
      let middle = (low + high) / 2
      if firsts[middle] <= scalar { low = middle + 1 } else { high = middle }
    }
    guard low > 0, scalar <= lasts[low - 1] else { return nil }
    return Int(places[low - 1])
  }
}
