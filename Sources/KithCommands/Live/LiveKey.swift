/// A key that a live report understands.
enum LiveKey: Hashable {
  case up, down, pageUp, pageDown, first, last, quit

  /// The keys in what a terminal sent. Other keys are left out.
  ///
  /// Letters are those of `less`; the sequences are those of ECMA-48 terminals (xterm, VT220).
  static func keys(in bytes: [UInt8]) -> [LiveKey] {
    var keys: [LiveKey] = []
    var rest = bytes[...]
    while let byte = rest.first {
      if let (sequence, key) = sequences.first(where: { rest.starts(with: $0.bytes) }) {
        keys.append(key)
        rest = rest.dropFirst(sequence.count)
        continue
      }
      if let key = letters[byte] { keys.append(key) }
      rest = rest.dropFirst()
      // Of a sequence that is not known the letters are no keys.
      if byte == 0x1b, let second = rest.first, "[O".utf8.contains(second) {
        rest = rest.dropFirst().drop { !(0x40...0x7e).contains($0) }.dropFirst()
      }
    }
    return keys
  }

  private static let letters: [UInt8: LiveKey] = [
    UInt8(ascii: "q"): .quit, UInt8(ascii: "Q"): .quit, UInt8(ascii: "k"): .up,
    UInt8(ascii: "j"): .down, UInt8(ascii: "b"): .pageUp, UInt8(ascii: " "): .pageDown,
    UInt8(ascii: "f"): .pageDown, UInt8(ascii: "g"): .first, UInt8(ascii: "G"): .last,
  ]

  private static let sequences: [(bytes: [UInt8], key: LiveKey)] = {
    let named: [(String, LiveKey)] = [
      ("[A", .up), ("OA", .up), ("[B", .down), ("OB", .down), ("[5~", .pageUp),
      ("[6~", .pageDown), ("[H", .first), ("OH", .first), ("[1~", .first), ("[F", .last),
      ("OF", .last), ("[4~", .last),
    ]
    return named.map { ([0x1b] + Array($0.0.utf8), $0.1) }
  }()
}
