/// The names that scammers pose as, with the domains that are their own.
public struct BrandBook: Sendable {
  /// A company or an agency.
  public struct Brand: Sendable, Hashable {
    /// Stable: the first label of its first domain.
    public var id: String
    /// As people write it.
    public var name: String
    /// Its trade: `bank`, `agency`, `delivery` ...
    public var kind: String
  }

  /// A label that names a brand, and how near to it another name may come.
  struct Guard: Sendable {
    var label: [UInt8]
    var brand: Int
    /// Also an ordinary word or a name of a person: beside other words it says nothing.
    var isCommon: Bool
    /// Guarded as a name of its own although it is short or an ordinary word.
    var isGuardedWhenShort: Bool
    /// Names of agencies under their own ending are guarded whatever they are.
    var isAgency: Bool
    /// Whether other countries' sites of that name are not its own.
    var isHomebound: Bool
    /// Whether its servers have names under `net`.
    var isNetwork: Bool
    /// Not the label of a domain of its own, but another name for it.
    var isOtherName: Bool
    /// Hashes of the suffixes of its own domains.
    var suffixes: [UInt64]

    /// Whether it is as good as a name that means nothing else.
    var isDistinct: Bool { !isCommon || isGuardedWhenShort }
    /// Whether a change of one letter can count: in a short name each makes somebody else's.
    var standsEdits: Bool {
      isGuardedWhenShort || isAgency || label.count >= (isCommon ? 7 : 6)
    }
  }

  /// The brands.
  public private(set) var brands: [Brand] = []
  /// The domains of each brand.
  private(set) var domains: [(domain: [UInt8], brand: Int)] = []
  private(set) var guards: [Guard] = []

  /// Trades whose names mean one country's: a site elsewhere is not theirs.
  private static let homebound: Set<Substring> = [
    "bank", "broker", "toll", "agency", "health", "utility", "insurance",
  ]
  /// Trades that have no servers named under `net`, as networks and shops often do.
  private static let offNetwork: Set<Substring> = [
    "bank", "broker", "toll", "agency", "health", "utility", "insurance", "delivery", "charity",
  ]

  /// Reads lines of `kind|name|own domains|other names`. In front of a domain or name stands `~`
  /// when it is an ordinary word too, `!` when its label is not guarded at all, `+` when it is
  /// guarded although it is short. Lines that start with `#` are comments; a line with other than
  /// four fields is left out.
  public init(parsing text: String, suffixes: PublicSuffixes) {
    var text = text
    text.withUTF8 { bytes in
      for line in bytes.split(separator: UInt8(ascii: "\n")) where line.first != UInt8(ascii: "#") {
        let fields = line.split(separator: UInt8(ascii: "|"), omittingEmptySubsequences: false)
        guard fields.count == 4 else { continue }
        add(
          kind: Substring(decoding: fields[0], as: UTF8.self),
          name: String(decoding: fields[1], as: UTF8.self),
          domains: fields[2].split(separator: UInt8(ascii: " ")),
          otherNames: fields[3].split(separator: UInt8(ascii: " ")), suffixes)
      }
    }
  }

  private typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>

  private mutating func add(
    kind: Substring, name: String, domains given: [Bytes], otherNames: [Bytes],
    _ publicSuffixes: PublicSuffixes
  ) {
    let number = brands.count
    var endings: [UInt64] = []
    var labels: [(label: [UInt8], mark: Mark, isOther: Bool)] = []
    var id = ""
    for word in given {
      let (domain, mark) = Self.marked(word)
      domains.append((domain, number))
      let names = HostHash.names(of: domain)
      let suffix = publicSuffixes.suffix(of: names)
      guard let at = names.firstIndex(where: { $0.start == suffix.start }), at + 1 < names.count
      else { continue }
      endings.append(names[at].hash)
      let label = Array(domain[names[at + 1].start..<(suffix.start - 1)])
      if id.isEmpty { id = String(decoding: label, as: UTF8.self) }
      if at + 2 == names.count { labels.append((label, mark, false)) }
    }
    for word in otherNames {
      let (label, mark) = Self.marked(word)
      labels.append((label, mark, true))
    }
    brands.append(Brand(id: id.isEmpty ? name : id, name: name, kind: String(kind)))
    let first = guards.count
    for (label, mark, isOther) in labels where label.count >= 3 && !mark.isOpen {
      if guards[first...].contains(where: { $0.label == label }) { continue }
      guards.append(
        Guard(
          label: label, brand: number, isCommon: mark.isCommon,
          isGuardedWhenShort: mark.isGuarded || kind == "agency" && !mark.isCommon,
          isAgency: kind == "agency",
          isHomebound: Self.homebound.contains(kind), isNetwork: !Self.offNetwork.contains(kind),
          isOtherName: isOther, suffixes: endings))
    }
  }

  private struct Mark {
    var isCommon = false
    var isOpen = false
    var isGuarded = false
  }

  private static func marked(_ word: Bytes) -> ([UInt8], Mark) {
    var mark = Mark()
    var rest = word
    while let first = rest.first {
      switch first {
      case UInt8(ascii: "~"): mark.isCommon = true
      case UInt8(ascii: "!"): mark.isOpen = true
      case UInt8(ascii: "+"): mark.isGuarded = true
      default: return (Array(rest), mark)
      }
      rest = rest.dropFirst()
    }
    return ([], mark)
  }
}
