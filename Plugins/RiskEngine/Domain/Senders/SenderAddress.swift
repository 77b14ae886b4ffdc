/// Who sent a text, as the device shows it.
public enum SenderAddress: Sendable, Hashable {
  /// A telephone number: digits with the country code, without `+`.
  case phone(String)
  /// A short code of three to six digits.
  case shortCode(String)
  /// An e-mail address: the domain, lower case.
  case email(domain: String)

  /// The longest address, in bytes.
  public static let maximumBytes = 320

  /// Reads an address; nil when it is neither a number nor an e-mail address. Ten digits are taken
  /// for a number of the North American plan.
  public init?(_ text: String) {
    let bytes = text.utf8
    guard !bytes.isEmpty, bytes.count <= Self.maximumBytes else { return nil }
    if let at = bytes.lastIndex(of: UInt8(ascii: "@")) {
      let domain = text[bytes.index(after: at)...].lowercased()
      let trimmed = domain.last == ">" ? String(domain.dropLast()) : domain
      guard at > bytes.startIndex, trimmed.contains("."), trimmed.first != ".",
        trimmed.last != ".", !trimmed.contains(where: \.isWhitespace)
      else { return nil }
      self = .email(domain: trimmed)
      return
    }
    var digits: [UInt8] = []
    var international = false
    for (index, byte) in bytes.enumerated() {
      switch byte {
      case 0x30...0x39: digits.append(byte)
      case UInt8(ascii: "+") where index == 0: international = true
      case UInt8(ascii: " "), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "("),
        UInt8(ascii: ")"):
        continue
      default: return nil
      }
    }
    self.init(digits: digits, international: international)
  }

  /// Reads the digits of a number.
  init?(digits: [UInt8], international: Bool) {
    let text = String(decoding: digits, as: UTF8.self)
    switch digits.count {
    case 3...6 where !international: self = .shortCode(text)
    case 10 where !international: self = .phone("1" + text)
    case 7...15: self = .phone(text)
    default: return nil
    }
  }

  /// Area codes under the country code 1 that cost like a call abroad: missed calls from there want
  /// to be called back.
  private static let callBackTraps: Set<Substring> = [
    "242", "246", "264", "268", "284", "345", "441", "473", "649", "664", "721", "758", "767",
    "784", "809", "829", "849", "868", "869", "876", "900",
  ]

  /// Whether a missed call from it is a known trap.
  var isCallBackTrap: Bool {
    guard case .phone(let digits) = self, digits.utf8.count == 11, digits.first == "1" else {
      return false
    }
    return Self.callBackTraps.contains(digits.dropFirst().prefix(3))
  }

  /// Whether no telephone can have that number: the North American plan has no area and no exchange
  /// that starts with 0 or 1.
  var isImpossible: Bool {
    guard case .phone(let digits) = self, digits.first == "1" else { return false }
    guard digits.utf8.count == 11 else { return true }
    let area = digits.utf8.dropFirst()
    let exchange = area.dropFirst(3)
    func starts(_ part: Substring.UTF8View) -> Bool { (part.first ?? 0x30) < UInt8(ascii: "2") }
    return starts(area) || starts(exchange) || area.dropFirst().prefix(2).elementsEqual("11".utf8)
  }
}
