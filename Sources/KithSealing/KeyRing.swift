public import Crypto

/// The keys of a product: the first one seals, all of them open.
///
/// A ring has one key, and two only while what the older one has sealed is sealed anew.
public struct KeyRing: Sendable, Equatable {
  /// A key with the number that stands in front of what it has sealed.
  public struct Key: Sendable, Equatable {
    /// Random, so that keys of two machines can come together in one ring.
    public let id: UInt32
    /// 256 bits.
    public let secret: SymmetricKey

    /// A new key.
    public init() {
      self.init(id: .random(in: 1 ... .max), secret: SymmetricKey(size: .bits256))
    }

    init(id: UInt32, secret: SymmetricKey) {
      self.id = id
      self.secret = secret
    }
  }

  /// The newest first; never empty.
  public private(set) var keys: [Key]

  /// A ring of one new key.
  public init() { keys = [Key()] }

  init(keys: [Key]) { self.keys = keys }

  /// The key that seals.
  public var newest: Key { keys[0] }

  /// Whether there are keys that only open.
  public var hasOlder: Bool { keys.count > 1 }

  /// From now on a new key seals.
  public mutating func rotate() { keys.insert(Key(), at: 0) }

  /// Forgets all keys but the newest.
  public mutating func dropOlder() { keys.removeSubrange(1...) }

  /// Lets what the keys of another ring have sealed be opened too.
  public mutating func add(_ other: KeyRing) {
    keys += other.keys.filter { key in !keys.contains { $0.id == key.id } }
  }

  // MARK: As text

  private static let title = "kith sealing keys, format 1"

  /// A line that names the format, then a line for each key: its id and its secret in hexadecimal digits.
  public var text: String {
    let lines = keys.map { key in
      "\(key.id) \(key.secret.withUnsafeBytes { Hexadecimal.text(of: $0) })\n"
    }
    return Self.title + "\n" + lines.joined()
  }

  /// Reads what ``text`` wrote; nil when it is none.
  public init?(text: String) {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
    guard lines.popFirst() == Self.title[...], lines.popLast() == "", !lines.isEmpty else {
      return nil
    }
    keys = []
    for line in lines {
      let words = line.split(separator: " ", omittingEmptySubsequences: false)
      guard words.count == 2, let id = UInt32(words[0]), let secret = Hexadecimal.bytes(words[1]),
        secret.count == 32, !keys.contains(where: { $0.id == id })
      else { return nil }
      keys.append(Key(id: id, secret: SymmetricKey(data: secret)))
    }
  }
}

/// Bytes as hexadecimal digits.
public enum Hexadecimal {
  /// Two digits a byte, in lower case.
  public static func text(of bytes: some Sequence<UInt8>) -> String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  /// The bytes; nil when these are not two digits a byte.
  public static func bytes(_ text: some StringProtocol) -> [UInt8]? {
    let digits = text.utf8.map { UInt8(Character(UnicodeScalar($0)).hexDigitValue ?? 16) }
    guard digits.count.isMultiple(of: 2), !digits.contains(16) else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }
}
