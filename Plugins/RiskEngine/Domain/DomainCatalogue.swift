/// The lists of internet domains, ready to be asked.
struct DomainCatalogue {
  /// What a list says of a name.
  struct Listing: OptionSet {
    let rawValue: UInt16
    static let topLevel = Listing(rawValue: 1)
    static let ambiguousTopLevel = Listing(rawValue: 2)
    static let suspiciousTopLevel = Listing(rawValue: 4)
    static let suffix = Listing(rawValue: 8)
    static let shortener = Listing(rawValue: 16)
    static let freeHost = Listing(rawValue: 32)
    static let popular = Listing(rawValue: 64)
    static let agency = Listing(rawValue: 128)
    static let brand = Listing(rawValue: 256)
    static let lure = Listing(rawValue: 512)
    static let brandLabel = Listing(rawValue: 1024)
    static let freeMail = Listing(rawValue: 2048)
  }

  private var listings = FlatTable()
  /// The labels of brands, each as its bytes and its skeleton.
  private var brandLabels: [(label: [UInt8], skeleton: [UInt8])] = []
  private var lures: [[UInt8]] = []

  init(_ lists: DomainLists, _ senders: SenderFile) {
    func each(_ words: String, _ body: (Substring) -> Void) {
      for word in words.split(whereSeparator: \.isWhitespace) { body(word) }
    }
    var listings: [UInt64: Listing] = [:]
    func add(_ words: String, _ listing: Listing) {
      each(words) { listings[StableHash.word($0), default: []].insert(listing) }
    }
    add(lists.topLevel, .topLevel)
    add(lists.ambiguousTopLevel, [.topLevel, .ambiguousTopLevel])
    add(lists.suspiciousTopLevel, [.topLevel, .suspiciousTopLevel])
    add(lists.suffixes, .suffix)
    add(lists.shorteners, .shortener)
    add(lists.freeHosts, .freeHost)
    add(lists.freeMail, .freeMail)
    add(lists.popular, .popular)
    add(lists.official, .agency)
    add(lists.lureWords, .lure)
    each(lists.lureWords) { lures.append(Array($0.utf8)) }
    for brand in senders.senders {
      add(brand.domains, .brand)
      each(brand.labels) { word in
        let label = Array(word.utf8)
        brandLabels.append((label, Self.skeleton(label)))
        listings[StableHash.word(word), default: []].insert(.brandLabel)
      }
    }
    for (hash, listing) in listings { self.listings.set(hash, Int(listing.rawValue)) }
  }

  /// What the lists say of a name.
  func listing(of name: some Sequence<UInt8>) -> Listing {
    var hash = StableHash.start
    for byte in name { hash = StableHash.step(hash, UInt32(byte)) }
    return Listing(rawValue: UInt16(listings.value(of: hash)))
  }

  /// Takes what a host's name shows into `traits`.
  ///
  /// - Parameters:
  ///   - host: lower-case ASCII, a scalar of another script as `?`.
  ///   - folded: whether a look-alike letter was folded to ASCII on the way here.
  func examine(host: [UInt8], folded: Bool, traits: inout Link.Traits) {
    let labels = host.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard labels.count >= 2, let top = labels.last else { return }
    if host.contains(UInt8(ascii: "?")) { traits.insert(.foreignScript) }
    if listing(of: top).contains(.suspiciousTopLevel) { traits.insert(.suspiciousTopLevel) }
    if labels.count > 5 { traits.insert(.deep) }

    var registrable = labels.count - 2
    let pair = host[labels[labels.count - 2].startIndex...]
    if labels.count >= 3, listing(of: pair).contains(.suffix) { registrable -= 1 }
    let name = host[labels[registrable].startIndex...]
    // The lists name registrable domains, and hosts below them where the service is only there.
    var known: Listing = []
    var depth = registrable
    while depth >= 0 {
      known.formUnion(listing(of: host[labels[depth].startIndex...]))
      depth -= 1
    }
    known.formUnion(listing(of: name))
    let suffix: Listing = labels.count >= 3 ? listing(of: pair) : []
    if !folded {
      if known.contains(.brand) { traits.insert(.official) }
      if known.contains(.popular) { traits.insert(.popular) }
      if known.contains(.agency) || listing(of: top).contains(.agency) || suffix.contains(.agency) {
        traits.insert(.agency)
      }
    }
    if known.contains(.shortener) { traits.insert(.short) }
    if known.contains(.freeHost) { traits.insert(.freeHost) }
    guard traits.isDisjoint(with: [.official, .agency, .popular, .short]) else { return }

    if folded || isLookalike(Array(labels[registrable])) { traits.insert(.lookalike) }
    for label in labels[..<registrable] where namesBrand(label) {
      traits.insert(.brandElsewhere)
    }
    if carriesBrand(labels[registrable]) { traits.insert(.brandElsewhere) }
  }

  /// Whether a label is nearly a brand's: equal skeletons, or few edits away.
  func isLookalike(_ raw: [UInt8]) -> Bool {
    var label = raw
    if label.starts(with: Array("xn--".utf8)) { label = Punycode.foldedLabel(label) }
    guard label.count >= 4, label.count <= 40 else { return false }
    let own = Self.skeleton(label)
    for brand in brandLabels where brand.label.count >= 4 {
      if brand.label == raw { continue }
      if own == brand.skeleton { return true }
      let length = brand.label.count
      let allowed = length >= 9 ? 2 : (length >= 6 ? 1 : 0)
      if allowed > 0, abs(length - label.count) <= allowed,
        Self.distance(label, brand.label, atMost: allowed) <= allowed
      {
        return true
      }
    }
    return false
  }

  /// Whether a label, or a part of it between hyphens, is a brand's.
  private func namesBrand(_ label: ArraySlice<UInt8>) -> Bool {
    if listing(of: label).contains(.brandLabel) { return true }
    return label.split(separator: UInt8(ascii: "-")).contains {
      listing(of: $0).contains(.brandLabel)
    }
  }

  /// Whether a registered label is a brand's name with something added: `paypal-secure`, `verifyusps`.
  private func carriesBrand(_ label: ArraySlice<UInt8>) -> Bool {
    if namesBrand(label) { return true }
    for brand in brandLabels where brand.label.count < label.count && brand.label.count >= 3 {
      // Brand first, then what was added to it: few labels come as far as the second.
      let length = brand.label.count
      let front = Self.equal(label.prefix(length), brand.label)
      if front, length >= 6 { return true }
      let back = Self.equal(label.suffix(length), brand.label)
      guard front || back else { continue }
      for lure in lures
      where lure.count + length <= label.count && lure.count + length >= 7 {
        if front, Self.equal(label.dropFirst(length).prefix(lure.count), lure) { return true }
        if back, Self.equal(label.dropLast(length).suffix(lure.count), lure) { return true }
      }
    }
    return false
  }

  @inline(__always)
  private static func equal(_ a: ArraySlice<UInt8>, _ b: [UInt8]) -> Bool {
    guard a.count == b.count else { return false }
    for (index, byte) in b.enumerated() where a[a.startIndex + index] != byte { return false }
    return true
  }

  /// What a label looks like: pairs and digits that pass for letters are replaced.
  static func skeleton(_ label: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(label.count)
    var index = 0
    while index < label.count {
      let byte = label[index]
      let next = index + 1 < label.count ? label[index + 1] : 0
      index += 1
      switch (byte, next) {
      case (UInt8(ascii: "r"), UInt8(ascii: "n")):
        result.append(UInt8(ascii: "m"))
        index += 1
      case (UInt8(ascii: "v"), UInt8(ascii: "v")):
        result.append(UInt8(ascii: "w"))
        index += 1
      case (UInt8(ascii: "c"), UInt8(ascii: "l")):
        result.append(UInt8(ascii: "d"))
        index += 1
      case (UInt8(ascii: "0"), _): result.append(UInt8(ascii: "o"))
      case (UInt8(ascii: "1"), _), (UInt8(ascii: "i"), _): result.append(UInt8(ascii: "l"))
      case (UInt8(ascii: "3"), _): result.append(UInt8(ascii: "e"))
      case (UInt8(ascii: "5"), _): result.append(UInt8(ascii: "s"))
      case (UInt8(ascii: "-"), _): continue
      default: result.append(byte)
      }
    }
    return result
  }

  /// The Damerau-Levenshtein distance (adjacent swaps count once), or more than `limit`.
  static func distance(_ a: [UInt8], _ b: [UInt8], atMost limit: Int) -> Int {
    guard abs(a.count - b.count) <= limit else { return limit + 1 }
    var before = [Int](repeating: 0, count: b.count + 1)
    var previous = Array(0...b.count)
    var current = previous
    for i in 1...max(1, a.count) where !a.isEmpty {
      current[0] = i
      var best = i
      for j in 1...max(1, b.count) where !b.isEmpty {
        let cost = a[i - 1] == b[j - 1] ? 0 : 1
        var value = min(previous[j] + 1, current[j - 1] + 1, previous[j - 1] + cost)
        if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
          value = min(value, before[j - 2] + 1)
        }
        current[j] = value
        best = min(best, value)
      }
      if best > limit { return limit + 1 }
      (before, previous, current) = (previous, current, before)
    }
    return previous[b.count]
  }
}
