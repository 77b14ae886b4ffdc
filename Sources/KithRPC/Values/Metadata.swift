/// What is told beside a message: an ordered list of keys and values, in which keys may repeat.
///
/// Keys are lower-case ASCII letters, digits, `-`, `_` and `.`, 1 to 128 bytes; those that start
/// with `kith-` are reserved. A key that breaks the rule fails the call with INVALID_ARGUMENT
/// before anything is sent.
public struct Metadata: Sendable, Equatable {
  /// The value of an entry.
  public enum EntryValue: Sendable, Equatable {
    /// Text in UTF-8.
    case text(String)
    /// Any bytes.
    case binary([UInt8])
  }

  /// One entry.
  public struct Entry: Sendable, Equatable {
    /// The key.
    public var key: String
    /// The value.
    public var value: EntryValue

    /// An entry.
    public init(key: String, value: EntryValue) {
      self.key = key
      self.value = value
    }
  }

  /// The entries, in order.
  public var entries: [Entry]

  /// The given entries, none by default.
  public init(_ entries: [Entry] = []) { self.entries = entries }

  /// Whether there are none.
  public var isEmpty: Bool { entries.isEmpty }

  /// The first text under `key`.
  public subscript(key: String) -> String? {
    for entry in entries where entry.key == key {
      if case .text(let text) = entry.value { return text }
    }
    return nil
  }

  /// The first bytes under `key`.
  public subscript(binary key: String) -> [UInt8]? {
    for entry in entries where entry.key == key {
      if case .binary(let bytes) = entry.value { return bytes }
    }
    return nil
  }

  /// All values under `key`, in order.
  public func values(forKey key: String) -> [EntryValue] {
    entries.filter { $0.key == key }.map(\.value)
  }

  /// Adds a text behind what is there.
  public mutating func append(_ text: String, forKey key: String) {
    entries.append(Entry(key: key, value: .text(text)))
  }

  /// Adds bytes behind what is there.
  public mutating func append(binary bytes: [UInt8], forKey key: String) {
    entries.append(Entry(key: key, value: .binary(bytes)))
  }
}

extension Metadata: ExpressibleByDictionaryLiteral {
  /// Metadata of texts, in the order of the literal.
  public init(dictionaryLiteral elements: (String, String)...) {
    self.init(elements.map { Entry(key: $0.0, value: .text($0.1)) })
  }
}

extension Metadata: CustomStringConvertible {
  /// The keys alone: values may be personal.
  public var description: String {
    "Metadata(\(entries.map(\.key).joined(separator: ", ")))"
  }
}
