/// Finds links and e-mail addresses in a stretch of text without spaces.
struct LinkReader {
  /// What was found, in normalised scalars.
  enum Found {
    case link(Range<Int>, Link)
    case email(Range<Int>)
  }

  /// Longer links are longer than links are.
  static let longLink = 2048
  /// A path that is longer than this holds more than a place.
  static let longRest = 400

  let catalogue: DomainCatalogue
  /// What is a word, and so hardly a name in front of an ending that is a word, too.
  var lexicon = Lexicon()

  /// Looks for the first link or address in `chunk`.
  ///
  /// - Parameter schemeBefore: whether a scheme stands apart in front (`https //…`).
  func read(_ text: NormalizedText, _ chunk: Range<Int>, schemeBefore: Bool) -> Found? {
    let scalars = text.scalars
    if let scheme = scheme(scalars, chunk) {
      return link(
        text, start: scheme.start, hostStart: scheme.hostStart, end: chunk.upperBound,
        traits: scheme.traits)
    }
    var start = chunk.lowerBound
    while start < chunk.upperBound, !Self.isHostScalar(scalars[start]) { start += 1 }
    // `email:who@where`, `link:host/path`: a word and a colon in front are not part of it.
    var index = start
    while index < chunk.upperBound {
      let scalar = scalars[index]
      if scalar == 0x3A || scalar == 0x3D || scalar == 0x28 || scalar == 0x2C || scalar == 0x3E {
        if index + 1 < chunk.upperBound, !(scalars[index + 1] &- 0x30 < 10),
          scalar != 0x28 || Self.hiddenDot(scalars, index, chunk.upperBound) == nil
        {
          start = index + 1
        }
      } else if scalar == 0x2F || scalar == 0x40 {
        break
      }
      index += 1
    }
    while start < chunk.upperBound, !Self.isHostScalar(scalars[start]) { start += 1 }
    guard start < chunk.upperBound else { return nil }
    if let at = scalars[start..<chunk.upperBound].firstIndex(of: 0x40), at > start {
      let end = Self.trimmedEnd(scalars, at..<chunk.upperBound)
      let domain = scalars[(at + 1)..<max(at + 1, end)]
      guard let dot = domain.lastIndex(of: 0x2E), dot > at + 1, dot + 1 < end,
        catalogue.listing(of: Self.ascii(domain[(dot + 1)...])).contains(.topLevel)
      else { return nil }
      return .email(start..<end)
    }
    return link(
      text, start: start, hostStart: start, end: chunk.upperBound,
      traits: schemeBefore ? [.scheme] : [])
  }

  /// The start of a scheme in the chunk, and of what follows it.
  private func scheme(
    _ scalars: [UInt32], _ chunk: Range<Int>
  ) -> (start: Int, hostStart: Int, traits: LinkTraits)? {
    // The scalars are searched for `:/`, and for `//` where the colon was lost, then what stands in
    // front is compared.
    var index = chunk.lowerBound
    while index + 1 < chunk.upperBound {
      defer { index += 1 }
      let next = scalars[index + 1]
      guard
        scalars[index] == 0x3A && (next == 0x2F || next == 0x5C)
          || scalars[index] == 0x2F && next == 0x2F
      else { continue }
      var start = index
      while start > chunk.lowerBound, index - start < 6, scalars[start - 1] &- 0x61 < 26 {
        start -= 1
      }
      guard index - start >= 3 else { continue }
      let word = Self.ascii(scalars[max(start, index - 5)..<index])
      guard let (length, disguised) = Self.schemeLength(word) else { continue }
      var traits: LinkTraits = disguised ? [.scheme, .obfuscated] : .scheme
      var hostStart = index + 1
      while hostStart < chunk.upperBound,
        scalars[hostStart] == 0x2F || scalars[hostStart] == 0x5C || scalars[hostStart] == 0x3A
      {
        if scalars[hostStart] == 0x5C { traits.formUnion([.backslash, .obfuscated]) }
        hostStart += 1
      }
      return (index - length, hostStart, traits)
    }
    return nil
  }

  /// How many letters at the end of a word are a scheme, and whether it is disguised.
  static func schemeLength(_ word: [UInt8]) -> (Int, Bool)? {
    for (name, disguised) in [
      ("https", false), ("http", false), ("hxxps", true), ("hxxp", true), ("ftp", false),
    ] where word.suffix(name.utf8.count).elementsEqual(name.utf8) {
      return (name.utf8.count, disguised)
    }
    return nil
  }

  /// A link's host, and what was seen up to its end.
  private struct Authority {
    var traits: LinkTraits
    var host: [UInt8] = []
    /// Where the host stands.
    var places: Range<Int>
    /// Whether each byte of the host is one scalar of `places`.
    var isPlain = true
    /// Where the reading stopped.
    var end: Int

    /// Begins behind `@`: what stood before it is only a name for the visit,
    /// `paypal.com@elsewhere.example`.
    mutating func beginAgain(at place: Int) {
      if traits.contains(.user) { traits.insert(.manyAt) }
      traits.insert(.user)
      traits.remove(.port)
      host.removeAll(keepingCapacity: true)
      places = place..<place
      isPlain = true
    }

    /// Takes away the punctuation at the end.
    mutating func trim() {
      while host.last == UInt8(ascii: ".") || host.last == UInt8(ascii: "-") {
        host.removeLast()
        if isPlain { places = places.lowerBound..<max(places.lowerBound, places.upperBound - 1) }
      }
    }
  }

  /// Reads the host in `range`; nil when what stands there is none.
  private func authority(
    _ text: NormalizedText, _ range: Range<Int>, _ traits: LinkTraits
  ) -> Authority? {
    let scalars = text.scalars
    let (hostStart, end) = (range.lowerBound, range.upperBound)
    var read = Authority(traits: traits, places: hostStart..<hostStart, end: hostStart)
    var index = hostStart
    var colon = false
    authority: while index < end {
      let scalar = scalars[index]
      switch scalar {
      case 0x2F, 0x3F, 0x23, 0x5C: break authority
      case 0x40:
        guard read.traits.contains(.scheme) else { return nil }
        read.beginAgain(at: index + 1)
        colon = false
      case 0x3A: colon = true
      case 0x5B, 0x28:
        // `[.]`, `(.)`, `[dot]`, `(dot)` hide a dot from filters.
        guard let after = Self.hiddenDot(scalars, index, end) else { break authority }
        read.host.append(UInt8(ascii: "."))
        read.traits.insert(.obfuscated)
        read.isPlain = false
        index = after
        continue authority
      case _ where colon:
        if scalar &- 0x30 < 10 {
          read.traits.insert(.port)
        } else if !read.traits.contains(.scheme) || !Self.hasAt(scalars, index, end) {
          // `name:word@host`: only what follows tells whether it is a host at all.
          break authority
        }
      case 0x80...: read.host.append(UInt8(ascii: "?"))
      case _ where Self.isHostScalar(scalar) || scalar == 0x5F || scalar == 0x25:
        read.host.append(UInt8(scalar))
        if text.marks[index].contains(.afterInvisible), index > hostStart {
          read.traits.insert(.obfuscated)
        }
      default:
        guard read.traits.contains(.scheme), Self.hasAt(scalars, index, end) else {
          break authority
        }
      }
      if !colon { read.places = read.places.lowerBound..<(index + 1) }
      index += 1
    }
    read.end = index
    return read
  }

  /// The last dot of a host, -1 for none; nil when it is neither a name nor an address.
  private func lastDot(_ read: inout Authority, hasPath: Bool) -> Int? {
    let host = read.host
    let dot = host.lastIndex(of: UInt8(ascii: ".")) ?? -1
    if let address = NumericAddress.read(host), read.traits.contains(.scheme) || hasPath && dot > 0
    {
      read.traits.insert(.address)
      if address.isDisguised { read.traits.insert(.obfuscated) }
      return max(dot, 0)
    }
    guard host.count >= 4, host.count <= 253, dot > 0 else { return nil }
    if host[(dot + 1)...].allSatisfy({ $0 &- 0x30 < 10 }) { return nil }
    guard read.traits.contains(.scheme) || isPlainHost(host, dot: dot, hasPath: hasPath) else {
      return nil
    }
    return dot
  }

  /// Reads host and rest from `hostStart`; nil when there is no host.
  private func link(
    _ text: NormalizedText, start: Int, hostStart: Int, end: Int, traits given: LinkTraits
  ) -> Found? {
    let scalars = text.scalars
    let end = Self.end(scalars, hostStart, end, start: start)
    guard var read = authority(text, hostStart..<end, given) else { return nil }
    let index = read.end
    let hasPath = index < end && scalars[index] == 0x2F
    if index < end, scalars[index] == 0x5C { read.traits.formUnion([.backslash, .obfuscated]) }
    read.trim()
    guard let dot = lastDot(&read, hasPath: hasPath) else { return nil }
    let stop = Self.trimmedEnd(scalars, start..<end)
    readRest(scalars, index..<max(index, stop), &read.traits)
    if max(stop, index) - start > Self.longLink { read.traits.insert(.long) }
    var link = Link(
      token: 0, host: read.host, topLevelStart: dot + 1, hasPath: hasPath, traits: read.traits)
    if !read.traits.contains(.address) {
      let originals = read.isPlain && !read.places.isEmpty ? text.originals(in: read.places) : nil
      examine(&link, originals)
      if hasPath, link.traits.isUnknown, let registrable = link.reading.registrableStart,
        registrable == 0,
        catalogue.isShortenerShaped(
          link.reading.host[...], ending: link.reading.suffixStart,
          path: Self.ascii(scalars[index..<max(index, min(stop, index + 16))])[...])
      {
        link.traits.insert(.shortShaped)
      }
    }
    if let override = text.firstDirectionOverride {
      let span = text.span(of: start..<max(stop, index))
      if override.start >= span.start, override.start < span.end {
        link.traits.formUnion([.directionOverride, .obfuscated])
      }
    }
    return .link(start..<max(stop, index), link)
  }
  /// Takes what the host's name says into the link.
  func examine(_ link: inout Link, _ originals: [UInt32]?) {
    link.reading = catalogue.examine(host: link.host, scalars: originals, traits: &link.traits)
  }

  /// Where a link ends at the latest: quotes, angle brackets and bars are never part of one, nor is
  /// what closes the text or the target of a Markdown link.
  private static func end(_ scalars: [UInt32], _ from: Int, _ limit: Int, start: Int) -> Int {
    let isTarget = start >= 2 && scalars[start - 1] == 0x28 && scalars[start - 2] == 0x5D
    var index = from
    while index < limit {
      switch scalars[index] {
      case 0x22, 0x3C, 0x3E, 0x7C: return index
      case 0x29 where isTarget: return index
      case 0x5D where index + 1 < limit && scalars[index + 1] == 0x28: return index
      // Another link behind a comma.
      case 0x2C, 0x3B:
        if scalars[(index + 1)..<limit].starts(with: [0x68, 0x74, 0x74, 0x70]) { return index }
        index += 1
      default: index += 1
      }
    }
    return limit
  }

  /// Whether an `@` follows within the authority.
  private static func hasAt(_ scalars: [UInt32], _ start: Int, _ end: Int) -> Bool {
    for scalar in scalars[start..<min(end, start + 256)] {
      if scalar == 0x40 { return true }
      if scalar == 0x2F || scalar == 0x3F || scalar == 0x23 { return false }
    }
    return false
  }

  /// Whether labels, without a scheme in front, are likely a host and not two sentences without a
  /// space.
  private func isPlainHost(_ host: [UInt8], dot: Int, hasPath: Bool) -> Bool {
    let top = host[(dot + 1)...]
    let listing = catalogue.listing(of: top)
    let labels = host[..<dot].split(
      separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let isWeb = labels.count >= 2 && labels[0].elementsEqual("www".utf8)
    // `IMG-24.mov`, `notes-2.zip`: endings that are more often those of files.
    let isFile = top.elementsEqual("mov".utf8) || top.elementsEqual("zip".utf8)
    let isMarked = !isFile && (labels.count >= 2 || host.contains { $0 == UInt8(ascii: "-") })
    guard
      listing.contains(.topLevel)
        || (hasPath || isWeb || isMarked && top.count >= 3) && catalogue.isTopLevel(top)
    else { return false }
    guard labels.allSatisfy({ !$0.isEmpty }) else { return false }
    if hasPath || isWeb { return true }
    guard host[..<dot].contains(where: { $0 &- 0x61 < 26 || $0 == UInt8(ascii: "?") }) else {
      return false
    }
    if listing.contains(.ambiguousTopLevel) {
      let known = catalogue.listing(of: host)
      return labels.count >= 2 && labels.allSatisfy { $0.count >= 2 }
        || host.contains { $0 &- 0x30 < 10 || $0 == UInt8(ascii: "-") }
        || !known.isDisjoint(with: [.shortener, .brand, .popular])
        || top.count >= 4 && host.count - top.count > 5
          && lexicon.number(ofHash: StableHash.word(host[..<dot].lazy.map(UInt32.init))) == 0
    }
    return labels.last.map { $0.count >= 2 } ?? false
  }

  /// Path and query: another address inside, a second `@`, a backslash.
  private func readRest(_ scalars: [UInt32], _ rest: Range<Int>, _ traits: inout LinkTraits) {
    var index = rest.lowerBound
    while index < rest.upperBound {
      switch scalars[index] {
      case 0x5C: traits.formUnion([.backslash, .obfuscated])
      case 0x3A
      where index + 2 < rest.upperBound && scalars[index + 1] == 0x2F
        && scalars[index + 2] == 0x2F:
        traits.insert(.nested)
      case 0x25
      where index + 6 < rest.upperBound && scalars[index + 1] == 0x33 && scalars[index + 2] == 0x61
        && scalars[index + 3] == 0x25 && scalars[index + 4] == 0x32 && scalars[index + 5] == 0x66:
        // `%3A%2F`
        traits.insert(.nested)
      default: break
      }
      index += 1
    }
    if rest.count > Self.longRest { traits.insert(.nested) }
  }

  /// The index behind `[.]`, `(.)`, `[dot]` or `(dot)` at `index`; nil when it is none of them.
  static func hiddenDot(_ scalars: [UInt32], _ index: Int, _ end: Int) -> Int? {
    guard index + 2 < end else { return nil }
    let close: UInt32 = scalars[index] == 0x5B ? 0x5D : 0x29
    if scalars[index + 1] == 0x2E, scalars[index + 2] == close { return index + 3 }
    guard index + 4 < end, scalars[index + 1] == 0x64, scalars[index + 2] == 0x6F,
      scalars[index + 3] == 0x74, scalars[index + 4] == close
    else { return nil }
    return index + 5
  }

  /// The end without the punctuation that closes a sentence.
  static func trimmedEnd(_ scalars: [UInt32], _ range: Range<Int>) -> Int {
    var end = range.upperBound
    while end > range.lowerBound {
      switch scalars[end - 1] {
      case 0x21, 0x22, 0x27, 0x29, 0x2C, 0x2E, 0x3A, 0x3B, 0x3E, 0x3F, 0x5D: end -= 1
      default: return end
      }
    }
    return end
  }

  @inline(__always)
  static func isHostScalar(_ scalar: UInt32) -> Bool {
    scalar &- 0x61 < 26 || scalar &- 0x30 < 10 || scalar == 0x2E || scalar == 0x2D
      || scalar >= 0x80
  }

  /// Whether a scalar stands in a label.
  static func isNameScalar(_ scalar: UInt32) -> Bool {
    scalar != 0x2E && scalar < 0x80 && isHostScalar(scalar)
  }

  static func ascii(_ scalars: some Sequence<UInt32>) -> [UInt8] {
    scalars.map { $0 < 0x80 ? UInt8($0) : UInt8(ascii: "?") }
  }
}

/// Addresses of IPv4 in the notations that browsers take: dotted, one number, hexadecimal, octal.
struct NumericAddress: Equatable {
  /// The address.
  var value: UInt32
  /// Whether it is written otherwise than as four decimal numbers.
  var isDisguised: Bool

  /// Reads a host; nil when it is a name. As WHATWG's URL standard has it: one to four numbers, of
  /// which the last fills the bytes that are left.
  static func read(_ host: [UInt8]) -> NumericAddress? {
    guard let first = host.first, first &- 0x30 < 10, host.count <= 48 else { return nil }
    let parts = host.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count <= 4 else { return nil }
    var numbers: [UInt64] = []
    var isDisguised = parts.count != 4
    for part in parts {
      guard let number = number(part, &isDisguised) else { return nil }
      numbers.append(number)
    }
    guard let last = numbers.last, numbers.dropLast().allSatisfy({ $0 < 256 }) else { return nil }
    guard last < UInt64(1) << UInt64(8 * (5 - numbers.count)) else { return nil }
    // One short number is a number, not an address.
    if parts.count == 1, last < 1 << 24 { return nil }
    if parts.count == 2 || parts.count == 3 {
      guard isDisguised, parts.contains(where: { $0.count > 2 && $0.starts(with: "0x".utf8) })
      else { return nil }
    }
    var value: UInt64 = 0
    for (index, number) in numbers.enumerated() {
      value |= index == numbers.count - 1 ? number : number << UInt64(8 * (3 - index))
    }
    return NumericAddress(value: UInt32(truncatingIfNeeded: value), isDisguised: isDisguised)
  }

  private static func number(_ part: ArraySlice<UInt8>, _ isDisguised: inout Bool) -> UInt64? {
    guard !part.isEmpty else { return nil }
    var digits = part
    var base: UInt64 = 10
    if part.starts(with: "0x".utf8) {
      (digits, base, isDisguised) = (part.dropFirst(2), 16, true)
    } else if part.count > 1, part.first == UInt8(ascii: "0") {
      (digits, base, isDisguised) = (part.dropFirst(), 8, true)
    }
    guard digits.count <= 12 else { return nil }
    var value: UInt64 = 0
    for digit in digits {
      let amount: UInt64
      switch digit {
      case 0x30...0x39: amount = UInt64(digit) - 0x30
      case 0x61...0x66: amount = UInt64(digit) - 0x61 + 10
      default: return nil
      }
      guard amount < base else { return nil }
      value = value * base + amount
    }
    return value
  }
}
