/// Finds personal data in texts: numbers by their rules and checksums, and what only words around
/// it tell by those.
///
/// A value: any thread may use it. Time grows with the length of the text and with nothing else. It
/// keeps nothing.
public struct PersonalDataScanner: Hashable, Sendable {
  /// What kind of text it reads.
  public var policy: ScanPolicy

  /// A scanner of texts of this kind.
  public init(policy: ScanPolicy = .message) {
    self.policy = policy
  }

  /// Where personal data stands in a text, in order and without overlap.
  ///
  /// `text` is UTF-8; bytes that are none are read as signs of no meaning.
  public func findings(in text: [UInt8]) -> [PersonalDataFinding] {
    guard Self.mayHoldAny(text) else { return [] }
    let folded = FoldedText(text)
    var scan = Scan(folded.bytes, policy: policy)
    scan.search()
    return scan.winners().map {
      PersonalDataFinding(
        type: $0.type, bytes: folded.original($0.range), isConfirmed: $0.isConfirmed)
    }
  }

  /// Whether a text can hold anything that is found: a digit, an `@`, a character beyond ASCII, or
  /// a word for one. Lines of a log that can not cost no more than this.
  static func mayHoldAny(_ text: [UInt8]) -> Bool {
    var previous: UInt8 = 0
    var letters = 0
    for byte in text {
      if byte.isASCIILetter {
        letters += 1
        // A wallet's address may be without a digit.
        if letters >= 25 { return true }
      } else {
        if byte.isDigit || byte == UInt8(ascii: "@") || byte >= 0x80 { return true }
        if letters == 2 || letters == 4 {
          switch byte {
          // ` at `, `(at)`.
          case UInt8(ascii: " "), UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"):
            if previous.lowercased == UInt8(ascii: "t") { return true }
          // The first pair of a hardware address.
          case UInt8(ascii: ":"), UInt8(ascii: "-"), UInt8(ascii: "."):
            if previous.isHexadecimal { return true }
          default: break
          }
        }
        if byte == UInt8(ascii: ":"), previous == byte { return true }
        letters = 0
      }
      previous = byte
    }
    return false
  }
}
