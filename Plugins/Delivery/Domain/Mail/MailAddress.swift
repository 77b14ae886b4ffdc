/// A mail address, with a name or without: `Milo <milo@example.com>`.
public struct MailAddress: Sendable, Hashable {
  /// The name; empty for none.
  public let name: String
  /// The address alone.
  public let address: String

  /// Reads an address; nil for what is none. No line break, bracket or blank can stand in it, so
  /// that it cannot become another header.
  public init?(_ text: String) {
    var name = ""
    var address = Substring(text)
    if let open = text.lastIndex(of: "<"), text.hasSuffix(">") {
      name = String(text[..<open].trimmed)
      if name.hasPrefix("\""), name.hasSuffix("\""), name.count > 1 {
        name = String(name.dropFirst().dropLast())
      }
      address = text[text.index(after: open)...].dropLast()
    }
    guard Self.isAddress(address), !name.unicodeScalars.contains(where: \.isControl) else {
      return nil
    }
    self.name = name
    self.address = String(address)
  }

  private static func isAddress(_ text: Substring) -> Bool {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, (1...64).contains(parts[0].utf8.count),
      (1...253).contains(parts[1].utf8.count)
    else { return false }
    // ASCII alone: SMTPUTF8 is not asked for.
    let special = "()<>[]:;@\\,\"".utf8
    return text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
      && !parts[0].utf8.contains(where: special.contains)
      && parts[1].split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
        !label.isEmpty && label.first != "-"
          && label.utf8.allSatisfy {
            (0x61...0x7A).contains($0 | 0x20) || (0x30...0x39).contains($0)
              || $0 == UInt8(ascii: "-")
          }
      }
  }

  /// The domain.
  public var domain: Substring { address.split(separator: "@").last ?? "" }
}

extension Unicode.Scalar {
  /// Whether it controls a line or a terminal: C0, C1, and the separators of Unicode.
  var isControl: Bool {
    value < 0x20 || (0x7F...0x9F).contains(value) || value == 0x2028 || value == 0x2029
  }
}

extension Substring {
  var trimmed: Substring {
    var text = drop { $0 == " " || $0 == "\t" }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return text
  }
}
