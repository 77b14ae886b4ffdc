public import Crypto

/// The keys of a product: the first one seals, all of them open.
///
/// A ring has one key, except while the key is changed: first the next key is made known, so that
/// every process can open with it before any seals with it (``introduce()``), then it seals
/// (``rotate()``), and when nothing is left that the older keys have sealed they are dropped
/// (``dropOlder()``).
public struct KeyRing: Sendable, Equatable {
  /// A key with the number that stands in front of what it has sealed.
  public struct Key: Sendable, Equatable {
    /// Random and never 0, so that keys of two machines can come together in one ring.
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

  /// The key that is about to seal: it opens and does not seal yet. nil when the key is not being
  /// changed.
  public private(set) var next: Key?

  /// A ring of one new key.
  public init() { keys = [Key()] }

  init(keys: [Key], next: Key? = nil) {
    self.keys = keys
    self.next = next
  }

  /// The key that seals.
  public var newest: Key { keys[0] }

  /// Whether there are keys that have sealed and now only open.
  public var hasOlder: Bool { keys.count > 1 }

  /// Makes a next key known, unless one is.
  public mutating func introduce() { next = next ?? Key() }

  /// Has the next key seal from now on; a new one where none was made known.
  public mutating func rotate() {
    introduce()
    if let next { keys.insert(next, at: 0) }
    next = nil
  }

  /// Forgets all keys that have sealed but the newest.
  public mutating func dropOlder() { keys.removeSubrange(1...) }

  /// Lets what the keys of another ring have sealed be opened too.
  public mutating func add(_ other: KeyRing) {
    keys += other.openers.filter { key in !openers.contains { $0.id == key.id } }
  }

  /// All that opens, the key that seals first.
  private var openers: [Key] { keys + [next].compactMap(\.self) }

  // MARK: For workers

  /// The keys of one worker, by its name: derived from those of the ring, the one that seals first.
  /// No other worker's data opens with them, and the ring cannot be had from them.
  public func keys(of worker: String) -> [WorkerKey] {
    openers.map { WorkerKey(of: $0, worker: worker) }
  }

  // MARK: As text

  private static let title = "kith sealing keys, format 1"
  private static let nextMark = "+"

  /// A line that names the format, then a line for each key: its id and its secret in hexadecimal
  /// digits. The last one begins with `+` when it is the next key.
  public var text: String {
    func line(_ key: Key) -> String {
      "\(key.id) \(key.secret.withUnsafeBytes { Hexadecimal.text(of: $0) })\n"
    }
    return Self.title + "\n" + keys.map(line).joined()
      + (next.map { Self.nextMark + line($0) } ?? "")
  }

  /// Reads what ``text`` wrote; nil when it is none.
  public init?(text: String) {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
    guard lines.popFirst() == Self.title[...], lines.popLast() == "" else { return nil }
    keys = []
    if let last = lines.last, last.hasPrefix(Self.nextMark) {
      guard let key = Self.key(last.dropFirst()) else { return nil }
      next = key
      lines.removeLast()
    }
    guard !lines.isEmpty else { return nil }
    for line in lines {
      guard let key = Self.key(line), !openers.contains(where: { $0.id == key.id }) else {
        return nil
      }
      keys.append(key)
    }
  }

  private static func key(_ line: Substring) -> Key? {
    let words = line.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 2, let id = UInt32(words[0]), id > 0,
      words[0] == "\(id)", let secret = Hexadecimal.bytes(words[1]), secret.count == WorkerKey.size
    else { return nil }
    return Key(id: id, secret: SymmetricKey(data: secret))
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
