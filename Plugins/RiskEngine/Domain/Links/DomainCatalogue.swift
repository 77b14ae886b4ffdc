/// What is known of internet domains, ready to be asked.
public struct DomainCatalogue: Sendable {
  /// What a list says of a name.
  struct Listing: OptionSet {
    let rawValue: UInt16
    static let topLevel = Listing(rawValue: 1)
    static let ambiguousTopLevel = Listing(rawValue: 2)
    static let suspiciousTopLevel = Listing(rawValue: 4)
    static let genericEnding = Listing(rawValue: 8)
    static let shortener = Listing(rawValue: 16)
    static let freeHost = Listing(rawValue: 32)
    static let popular = Listing(rawValue: 64)
    static let agency = Listing(rawValue: 128)
    static let brand = Listing(rawValue: 256)
    static let shortenerEnding = Listing(rawValue: 512)
    static let projectHost = Listing(rawValue: 1024)
    static let freeMail = Listing(rawValue: 2048)
  }

  /// The files that it is made of.
  public struct Sources: Sendable {
    /// Lists of endings, services and words.
    public var lists: DomainLists
    /// The text of `brands.txt` (see `BrandBook`).
    public var brands: String
    /// The text of `popular.txt`: lines of `suffix: names under it`.
    public var popular: String
    /// The public suffix list.
    public var suffixes: PublicSuffixes

    /// The parts.
    public init(
      lists: DomainLists, brands: String, popular: String, suffixes: PublicSuffixes
    ) {
      self.lists = lists
      self.brands = brands
      self.popular = popular
      self.suffixes = suffixes
    }
  }

  /// The names that scammers pose as.
  public private(set) var brands: [BrandBook.Brand]
  let suffixes: PublicSuffixes
  /// By the hash of a name (see `HostHash`): its listing, and above it the number of its brand.
  private var known = FlatTable()
  private let lookAlikes: LookAlikeIndex

  /// Reads the files.
  ///
  /// - Parameter senders: the known senders; a brand that has a domain of one takes its id and
  ///   name.
  public init(_ sources: Sources, senders: [SenderFile.Sender] = []) {
    let lists = sources.lists
    suffixes = sources.suffixes
    var table = ListingTable()
    table.add(lists.topLevel, .topLevel)
    table.add(lists.ambiguousTopLevel, [.topLevel, .ambiguousTopLevel])
    table.add(lists.suspiciousTopLevel, [.topLevel, .suspiciousTopLevel])
    table.add(lists.genericEndings, .genericEnding)
    table.add(lists.shortenerEndings, .shortenerEnding)
    table.add(lists.shorteners, .shortener)
    table.add(lists.freeHosts, .freeHost)
    table.add(lists.projectHosts, .projectHost)
    table.add(lists.freeMail, .freeMail)
    table.add(lists.official, .agency)
    let book = BrandBook(parsing: sources.brands, suffixes: suffixes)
    for (domain, brand) in book.domains {
      table.add(HostHash.of(domain), .brand, brand: brand)
    }
    table.addPopular(sources.popular)
    var senderBrands: Set<Int> = []
    brands = book.brands
    for sender in senders {
      for domain in sender.domains.utf8.split(separator: 0x20) {
        let value = table.values.value(of: HostHash.of(domain))
        if value >> 16 == 0 {
          // A sender that the book does not have: its domains are its own, its name is not guarded.
          table.add(HostHash.of(domain), .brand, brand: brands.count)
          brands.append(
            BrandBook.Brand(id: sender.id, name: sender.name, kind: sender.kind.rawValue))
        } else if senderBrands.insert(value >> 16 - 1).inserted {
          brands[value >> 16 - 1].id = sender.id
          brands[value >> 16 - 1].name = sender.name
        }
      }
    }
    known = table.values
    lookAlikes = LookAlikeIndex(
      guards: book.guards, hooks: lists.lureWords.utf8.split(separator: 0x20).map { Array($0) },
      strongHooks: lists.strongLureWords.utf8.split(separator: 0x20).map { Array($0) })
  }

  /// What the lists say of a name.
  func listing(of name: some BidirectionalCollection<UInt8>) -> Listing {
    listing(ofHash: HostHash.of(name))
  }

  private func listing(ofHash hash: UInt64) -> Listing {
    Listing(rawValue: UInt16(truncatingIfNeeded: known.value(of: hash)))
  }

  /// Whether a label is a top-level domain.
  func isTopLevel(_ label: some BidirectionalCollection<UInt8>) -> Bool {
    suffixes.isTopLevel(label)
  }

  /// Takes what a host's name shows into `traits`.
  ///
  /// - Parameters:
  ///   - host: lower-case ASCII, look-alike letters folded, `?` for what has no ASCII form.
  ///   - scalars: the host's own scalars, lower case, when some are not ASCII.
  func examine(
    host folded: [UInt8], scalars: [UInt32]?, traits: inout LinkTraits
  ) -> HostReading {
    var reading = HostReading()
    let foreign = scalars.map(ForeignHost.init) ?? ForeignHost(punycoded: folded)
    let host = foreign?.resolved ?? folded
    reading.host = host
    let names = HostHash.names(of: host)
    let (suffix, suffixAt) = suffix(of: names)
    reading.suffixStart = suffix.start
    reading.isPrivateSuffix = suffix.isPrivate
    guard let top = names.first else { return reading }
    if listing(ofHash: top.hash).contains(.suspiciousTopLevel) {
      traits.insert(.suspiciousTopLevel)
    }
    if names.count > suffixAt + 5 { traits.insert(.deep) }
    let (listing, isReserved) = listing(of: names, suffixAt: suffixAt, &reading)
    if listing.contains(.shortener) { traits.insert(.short) }
    if listing.contains(.freeHost) || suffix.isPrivate { traits.insert(.freeHost) }
    if listing.contains(.popular) { traits.insert(.popular) }
    if listing.contains(.brand), let brand = reading.brand {
      traits.insert(brands[brand].kind == "agency" ? .agency : .official)
    }
    if listing.contains(.agency) { traits.insert(.agency) }
    if let foreign {
      guard reading.registrableStart != nil else { return reading }
      traits.insert(.foreignScript)
      if foreign.isPunycoded { traits.insert(.punycode) }
      if foreign.isMixed { traits.insert(.mixedScript) }
    }
    noteLookAlike(
      of: host, foreign, ending: ending(host, names[suffixAt], suffix),
      isKnown: !listing.isDisjoint(with: [.brand, .popular, .shortener]),
      isReserved: isReserved, &reading, &traits)
    return reading
  }

  /// The suffix of a host, and which of its names that is.
  private func suffix(of names: [HostHash.Name]) -> (suffix: PublicSuffixes.Suffix, at: Int) {
    let suffix = suffixes.suffix(of: names)
    let suffixAt = names.firstIndex { $0.start == suffix.start } ?? 0
    // Below a service where anybody puts up pages each name is somebody else's, as below a suffix.
    guard
      let at = names.indices.dropLast().last(where: {
        $0 > suffixAt && self.listing(ofHash: names[$0].hash).contains(.freeHost)
      }), !names[at...].dropFirst().contains(where: { known.value(of: $0.hash) != 0 })
    else { return (suffix, suffixAt) }
    return (
      PublicSuffixes.Suffix(start: names[at].start, isPrivate: true, isListed: true), at
    )
  }

  /// What the lists say of a host, and whether its suffix is kept for agencies; its brand and where
  /// its registrable domain starts go into the reading.
  private func listing(
    of names: [HostHash.Name], suffixAt: Int, _ reading: inout HostReading
  ) -> (listing: Listing, isReserved: Bool) {
    // A listed name speaks for what is below it, but not when strangers have names there.
    var listing: Listing = []
    for name in names[...suffixAt] {
      listing.formUnion(self.listing(ofHash: name.hash).intersection([.agency, .freeHost]))
    }
    let isReserved = listing.contains(.agency)
    var own = names[(suffixAt + 1)...]
    if let registrable = own.first {
      reading.registrableStart = registrable.start
    } else {
      // The host is a suffix itself: what is listed of it counts (`gov.uk`, `github.io`).
      own = names[suffixAt...suffixAt]
    }
    for name in own {
      let value = known.value(of: name.hash)
      guard value != 0 else { continue }
      listing.formUnion(Listing(rawValue: UInt16(truncatingIfNeeded: value)))
      if value >> 16 != 0 { reading.brand = value >> 16 - 1 }
    }
    return (listing, isReserved)
  }

  /// Takes it into `traits` when a host that has a registrable domain looks like a brand's.
  private func noteLookAlike(
    of host: [UInt8], _ foreign: ForeignHost?, ending: LookAlikeIndex.Ending, isKnown: Bool,
    isReserved: Bool, _ reading: inout HostReading, _ traits: inout LinkTraits
  ) {
    guard let start = reading.registrableStart else { return }
    if let foreign, !isKnown {
      for label in foreign.labels {
        if let match = lookAlikes.foreign(folded: label.folded, skeleton: label.skeleton) {
          return note(match, &reading, &traits)
        }
      }
    }
    let nameEnd = reading.suffixStart - 1
    if start > 0, let match = lookAlikes.joined(host[..<nameEnd].filter { $0 != 0x2E }, ending) {
      return note(match, &reading, &traits)
    }
    guard !isKnown else { return }
    var label = Array(host[start..<nameEnd])
    if label.starts(with: [0x78, 0x6E, 0x2D, 0x2D]), let foreign { label = foreign.folded(label) }
    if let match = lookAlikes.match(label, ending, onlyOwn: isReserved) {
      note(match, &reading, &traits)
    } else if start > 0, !isReserved, let match = inFront(host[..<(start - 1)], ending) {
      note(match, &reading, &traits)
    }
    if !isReserved, Self.feignsEnding(label, behind: start > 0 ? host[..<(start - 1)] : []) {
      traits.insert(.falseEnding)
    }
  }
  /// Whether a name is made to be read as one that ends in it: `wa.gov-dmv.top`,
  /// `city.com-fine.info`, `irs.gov.fine.top`.
  ///
  /// - Parameters:
  ///   - label: the label that somebody registered.
  ///   - front: the labels in front of it.
  private static func feignsEnding(_ label: [UInt8], behind front: ArraySlice<UInt8>) -> Bool {
    let gov = Array("gov".utf8)
    let labels = front.split(separator: UInt8(ascii: "."))
    let begins = { (label: ArraySlice<UInt8>, ending: String) in
      label.count > ending.utf8.count && label.starts(with: ending.utf8)
    }
    if !labels.isEmpty, ["gov-", "com-", "org-"].contains(where: { begins(label[...], $0) }) {
      return true
    }
    return labels.dropFirst().contains { $0.elementsEqual(gov) || begins($0, "gov-") }
      || label.split(separator: UInt8(ascii: "-")).dropFirst().contains { $0.elementsEqual(gov) }
  }

  private func note(
    _ match: LookAlikeIndex.Match, _ reading: inout HostReading, _ traits: inout LinkTraits
  ) {
    reading.brand = match.brand
    reading.reason = match.reason
    traits.subtract([.official, .agency, .popular])
    switch match.reason {
    case .confusable, .edit, .hyphen, .dot: traits.insert(.lookalike)
    case .ending, .addedWord, .subdomain: traits.insert(.brandElsewhere)
    }
  }

  private func ending(
    _ host: [UInt8], _ name: HostHash.Name, _ suffix: PublicSuffixes.Suffix
  ) -> LookAlikeIndex.Ending {
    let listing = listing(ofHash: name.hash)
    let isProjects = listing.contains(.projectHost)
    return LookAlikeIndex.Ending(
      hash: name.hash,
      isAbused: !isProjects
        && (suffix.isPrivate || !listing.isDisjoint(with: [.suspiciousTopLevel, .freeHost])),
      isGeneric: listing.contains(.genericEnding),
      isNetwork: host[suffix.start...].elementsEqual("net".utf8), isShared: suffix.isPrivate,
      isProjects: isProjects)
  }

  /// A brand's name among the labels in front of the registrable domain.
  private func inFront(
    _ front: ArraySlice<UInt8>, _ ending: LookAlikeIndex.Ending
  ) -> LookAlikeIndex.Match? {
    let labels = front.split(separator: UInt8(ascii: "."))
    guard labels.count <= HostHash.mostLabels else { return nil }
    for (index, label) in labels.enumerated() {
      // `chase.com-verify.…`, `chase.com.…`: an ordinary word that is followed by an ending is a
      // name.
      let next = index + 1 < labels.count ? labels[index + 1] : []
      let ended =
        next.starts(with: "com".utf8) || next.elementsEqual("gov".utf8)
        || next.elementsEqual("co".utf8) || next.elementsEqual("org".utf8)
      let parts = label.split(separator: UInt8(ascii: "-"))
      for part in [label] + (parts.count > 1 ? parts : []) {
        guard let found = lookAlikes.names(part) else { continue }
        let strong =
          parts.contains { lookAlikes.isStrongHook($0) }
          || labels.contains { lookAlikes.isStrongHook($0) }
        let clear = !found.isCommon && (found.length >= 4 || part.count == label.count)
        if clear || ended || strong {
          return LookAlikeIndex.Match(brand: found.brand, reason: .subdomain)
        }
      }
      if label.count >= 6,
        let match = lookAlikes.match(
          Array(label), LookAlikeIndex.Ending(hash: 0, isAbused: true)), match.reason != .ending
      {
        return LookAlikeIndex.Match(brand: match.brand, reason: .subdomain)
      }
    }
    return nil
  }

  /// Whether an unknown host has the shape that link shorteners have: up to eight letters under an
  /// ending that they like, or three under any, and a short path of letters and digits that make no
  /// word.
  func isShortenerShaped(_ host: ArraySlice<UInt8>, ending: Int, path: ArraySlice<UInt8>) -> Bool {
    guard ending > host.startIndex + 1 else { return false }
    let name = host[..<(ending - 1)]
    let most = listing(of: host[ending...]).contains(.shortenerEnding) ? 8 : 3
    guard name.count <= most, !name.contains(UInt8(ascii: ".")),
      !name.contains(UInt8(ascii: "-"))
    else { return false }
    let code = path.drop { $0 == UInt8(ascii: "/") }
    guard (3...10).contains(code.count),
      code.allSatisfy({ $0 | 0x20 &- 0x61 < 26 || $0 &- 0x30 < 10 })
    else { return false }
    let digits = code.contains { $0 &- 0x30 < 10 }
    let vowels = code.contains { [0x61, 0x65, 0x69, 0x6F, 0x75, 0x79].contains($0) }
    return digits || !vowels
  }
}

/// Listings by the hashes of names, while they are read.
private struct ListingTable {
  var values = FlatTable()

  mutating func add(_ hash: UInt64, _ listing: DomainCatalogue.Listing, brand: Int? = nil) {
    var value = values.value(of: hash) | Int(listing.rawValue)
    if let brand { value = value & 0xFFFF | (brand + 1) << 16 }
    values.set(hash, value)
  }

  /// Adds words parted by spaces.
  mutating func add(_ words: String, _ listing: DomainCatalogue.Listing) {
    let bytes = Array(words.utf8)
    var end = bytes.count
    while end > 0 {
      var hash = StableHash.start
      var start = end
      while start > 0, bytes[start - 1] != UInt8(ascii: " ") {
        start -= 1
        hash = StableHash.step(hash, UInt32(bytes[start]))
      }
      if start < end { add(hash, listing) }
      end = start - 1
    }
  }

  /// Adds lines of `suffix: name name`; lines that start with `#` are left out.
  mutating func addPopular(_ text: String) {
    let bytes = Array(text.utf8)
    var index = 0
    while index < bytes.count {
      let start = index
      while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { index += 1 }
      let line = start..<index
      index += 1
      guard line.isEmpty || bytes[start] != UInt8(ascii: "#"),
        let colon = line.first(where: { bytes[$0] == UInt8(ascii: ":") })
      else { continue }
      var ending = StableHash.start
      for place in (start..<colon).reversed() {
        ending = StableHash.step(ending, UInt32(bytes[place]))
      }
      ending = StableHash.step(ending, 0x2E)
      var end = line.upperBound
      while end > colon + 1 {
        var hash = ending
        var first = end
        while first > colon + 1, bytes[first - 1] != UInt8(ascii: " ") {
          first -= 1
          hash = StableHash.step(hash, UInt32(bytes[first]))
        }
        if first < end { add(hash, .popular) }
        end = first - 1
      }
    }
  }
}
