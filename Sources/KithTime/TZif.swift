/// Reads the files that tzdata compiles its zones to (RFC 8536), version 2 and later.
enum TZif {
  /// The zone of a file. Files of version 1 alone, with times of 32 bits, are refused: no tzdata of
  /// this decade has any.
  static func zone(named name: String, from bytes: [UInt8]) throws(ZoneError) -> Zone {
    var reader = Reader(bytes: bytes, name: name)
    let first = try reader.header()
    guard first.version >= UInt8(ascii: "2") else {
      throw ZoneError(.malformed, name, "it is of version 1; version 2 or later is needed")
    }
    try reader.skip(first.dataBytes(timeBytes: 4))
    let header = try reader.header()
    let block = try reader.block(header)
    return Zone(
      name: name, transitions: block.transitions, offsets: block.offsets,
      rule: try reader.footer())
  }

  /// The six counts of a header.
  struct Header {
    var version: UInt8
    var isUTCount, isStandardCount, leapCount, timeCount, typeCount, characterCount: Int

    func dataBytes(timeBytes: Int) -> Int {
      timeCount * (timeBytes + 1) + typeCount * 6 + characterCount + leapCount * (timeBytes + 4)
        + isStandardCount + isUTCount
    }
  }

  struct Reader {
    let bytes: [UInt8]
    let name: String
    var index = 0

    mutating func skip(_ count: Int) throws(ZoneError) {
      guard count <= bytes.count - index else {
        throw ZoneError(.malformed, name, "it ends in the middle, at byte \(bytes.count)")
      }
      index += count
    }

    /// A number of so many bytes, the highest first, with a sign.
    mutating func integer(_ count: Int) throws(ZoneError) -> Int {
      let start = index
      try skip(count)
      var value = bytes[start] >= 128 ? -1 : 0
      for byte in bytes[start..<index] { value = value << 8 | Int(byte) }
      return value
    }

    mutating func header() throws(ZoneError) -> Header {
      let start = index
      try skip(20)
      guard bytes[start..<start + 4].elementsEqual("TZif".utf8) else {
        throw ZoneError(.malformed, name, "it does not begin with 'TZif'")
      }
      var counts: [Int] = []
      for _ in 0..<6 {
        let count = try integer(4)
        // A file of these many would be larger than the loader reads.
        guard (0...1 << 20).contains(count) else {
          throw ZoneError(.malformed, name, "its header counts \(count)")
        }
        counts.append(count)
      }
      return Header(
        version: bytes[start + 4], isUTCount: counts[0], isStandardCount: counts[1],
        leapCount: counts[2], timeCount: counts[3], typeCount: counts[4],
        characterCount: counts[5])
    }

    /// Transitions, and the offsets before, between and after them.
    mutating func block(_ header: Header) throws(ZoneError) -> (transitions: [Int], offsets: [Int])
    {
      let end = index + header.dataBytes(timeBytes: 8)
      guard end <= bytes.count, header.typeCount > 0 else {
        throw ZoneError(.malformed, name, "it ends in the middle, at byte \(bytes.count)")
      }
      var transitions: [Int] = []
      for _ in 0..<header.timeCount {
        let time = try integer(8)
        guard time > transitions.last ?? Int.min else {
          throw ZoneError(.malformed, name, "its transitions are not in order")
        }
        transitions.append(time)
      }
      let types = bytes[index..<index + header.timeCount]
      try skip(header.timeCount)
      var typeOffsets: [Int] = []
      for _ in 0..<header.typeCount {
        typeOffsets.append(try integer(4))
        try skip(2)
      }
      index = end
      guard typeOffsets.allSatisfy({ abs($0) < 86_400 }),
        types.allSatisfy({ $0 < header.typeCount })
      else { throw ZoneError(.malformed, name, "an offset is a day or more, or of no type") }
      return (transitions, [typeOffsets[0]] + types.map { typeOffsets[Int($0)] })
    }

    /// The `TZ` string between two line feeds; an empty one says that nobody knows.
    mutating func footer() throws(ZoneError) -> PosixRule? {
      let rest = bytes[index...]
      guard rest.first == 10, let end = rest.dropFirst().firstIndex(of: 10) else {
        throw ZoneError(.malformed, name, "its footer is missing")
      }
      let text = rest[(rest.startIndex + 1)..<end]
      if text.isEmpty { return nil }
      guard let rule = PosixRule(parsing: text) else {
        throw ZoneError(
          .malformed, name, "its footer '\(String(decoding: text, as: UTF8.self))' is no TZ rule")
      }
      return rule
    }
  }
}
