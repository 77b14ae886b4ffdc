/// The Public Suffix List: which part of a host anybody can register a name under.
///
/// `tools/generate-public-suffixes` writes it as sorted hashes, so that it is there in well under a
/// millisecond; a host costs one pass over its bytes and a few looks into the list.
public struct PublicSuffixes: Sendable {
  /// Bytes that are not such a list, and why.
  public struct FileError: Error, Sendable, CustomStringConvertible {
    /// What is wrong and what to do.
    public let description: String
  }

  /// What a host ends in.
  struct Suffix: Equatable {
    /// The first byte of the suffix in the host.
    var start: Int
    /// Whether the rule stands in the list's private section: a company lets strangers have names
    /// there.
    var isPrivate: Bool
    /// Whether there is a rule; without one the last label counts.
    var isListed: Bool
  }

  private static let headerBytes = 256
  private static let name: UInt64 = 1
  private static let wildcard: UInt64 = 2
  private static let exception: UInt64 = 4
  private static let privateSection: UInt64 = 8

  private let rules: [UInt64]

  /// Reads the bytes of `suffixes.bin`.
  public init(decoding bytes: [UInt8]) throws(FileError) {
    guard bytes.starts(with: Array("Kith public suffixes 1\n".utf8)),
      bytes.count > Self.headerBytes, (bytes.count - Self.headerBytes) % 8 == 0
    else {
      throw FileError(
        description:
          "it is not a list of public suffixes of version 1; run tools/generate-public-suffixes")
    }
    var rules: [UInt64] = []
    rules.reserveCapacity((bytes.count - Self.headerBytes) / 8)
    var last: UInt64 = 0
    var index = Self.headerBytes
    while index < bytes.count {
      var rule: UInt64 = 0
      for place in 0..<8 { rule |= UInt64(bytes[index + place]) << UInt64(8 * place) }
      guard rule > last else {
        throw FileError(
          description:
            "its rules are not in order at byte \(index); run tools/generate-public-suffixes")
      }
      rules.append(rule)
      last = rule
      index += 8
    }
    self.rules = rules
  }

  /// No rules: every last label is a suffix.
  public init() { rules = [] }

  /// What is known of the name with that hash (see `HostHash`); 0 when there is no rule.
  private func flags(of hash: UInt64) -> UInt64 {
    let key = hash & ~15
    // The hashes spread evenly, so the place is nearly where their size says.
    var low = 0
    var high = rules.count
    var probe = Int(key.multipliedFullWidth(by: UInt64(rules.count)).high)
    var step = 8
    while low < high {
      probe = min(max(probe, low), high - 1)
      let found = rules[probe] & ~15
      if found == key { return rules[probe] & 15 }
      if found < key {
        low = probe + 1
        probe += step
      } else {
        high = probe
        probe -= step
      }
      step *= 2
      if step > 64 { probe = (low + high) / 2 }
    }
    return 0
  }

  /// What a host ends in.
  ///
  /// - Parameter names: the names in the host, from the last label to the whole.
  func suffix(of names: [HostHash.Name]) -> Suffix {
    var best = Suffix(start: names.first?.start ?? 0, isPrivate: false, isListed: false)
    for (index, name) in names.enumerated() {
      let flags = flags(of: name.hash)
      guard flags != 0 else { continue }
      let isPrivate = flags & Self.privateSection != 0
      if flags & Self.exception != 0, index > 0 {
        return Suffix(start: names[index - 1].start, isPrivate: isPrivate, isListed: true)
      }
      if flags & Self.name != 0 {
        best = Suffix(start: name.start, isPrivate: isPrivate, isListed: true)
      }
      if flags & Self.wildcard != 0, index + 1 < names.count {
        best = Suffix(start: names[index + 1].start, isPrivate: isPrivate, isListed: true)
      }
    }
    return best
  }

  /// Whether a label is a top-level domain of the list.
  func isTopLevel(_ label: some BidirectionalCollection<UInt8>) -> Bool {
    flags(of: HostHash.of(label)) & (Self.name | Self.wildcard) != 0
  }
}

/// Hashes of the names in a host. They are taken from the last byte to the first, so that one pass
/// gives those of all of its endings.
enum HostHash {
  /// A name that a host ends in.
  struct Name {
    /// Its first byte in the host.
    var start: Int
    /// Its hash.
    var hash: UInt64
  }

  /// How many labels of a host are looked at, from the last.
  static let mostLabels = 10

  /// The names that a host ends in, from the last label to the whole.
  static func names(of host: [UInt8]) -> [Name] {
    var names: [Name] = []
    names.reserveCapacity(4)
    var hash = StableHash.start
    var index = host.count
    while index > 0 {
      index -= 1
      if host[index] == UInt8(ascii: ".") {
        names.append(Name(start: index + 1, hash: hash))
        if names.count == mostLabels { return names }
      }
      hash = StableHash.step(hash, UInt32(host[index]))
    }
    names.append(Name(start: 0, hash: hash))
    return names
  }

  /// The hash of one name.
  static func of(_ name: some BidirectionalCollection<UInt8>) -> UInt64 {
    var hash = StableHash.start
    for byte in name.reversed() { hash = StableHash.step(hash, UInt32(byte)) }
    return hash
  }
}
