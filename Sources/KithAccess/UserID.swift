/// Names a person whom a product looks after or who looks after another, in all records of theirs.
///
/// It is a name that says nothing by itself, such as a UUID: it stands unsealed in tables and
/// events.
public struct UserID: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The most bytes that an id may have.
  public static let maximumBytes = 64

  /// What an id is, for errors.
  public static let form = "1 to \(maximumBytes) of ASCII letters, digits, '-', '_', '.' and ':'"

  /// 1 to 64 of ASCII letters, digits, `-`, `_`, `.` and `:`.
  public let text: String

  /// An id; nil for anything but 1 to 64 of ASCII letters, digits, `-`, `_`, `.` and `:`.
  public init?(_ text: String) {
    guard (1...Self.maximumBytes).contains(text.utf8.count), text.utf8.allSatisfy(Self.isAllowed)
    else { return nil }
    self.text = text
  }

  /// The id.
  public var description: String { text }

  /// In the order of their bytes.
  public static func < (left: UserID, right: UserID) -> Bool { left.text < right.text }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
      UInt8(ascii: "."), UInt8(ascii: ":"):
      true
    default: false
    }
  }
}
