/// Finds links and e-mail addresses in a stretch of text without spaces.
struct LinkReader {
  /// What was found, in normalised scalars.
  enum Found {
    case link(Range<Int>, Link)
    case email(Range<Int>)
  }

  let catalogue: DomainCatalogue

  /// Looks for the first link or address in `chunk`.
  ///
  /// - Parameter schemeBefore: whether a scheme stands apart in front (`https //…`).
  func read(_ text: NormalizedText, _ chunk: Range<Int>, schemeBefore: Bool) -> Found? {
    let scalars = text.scalars
    if let scheme = scheme(scalars, chunk) {
      return link(
        text, start: scheme.start, hostStart: scheme.hostStart, end: chunk.upperBound,
        traits: scheme.disguised ? [.scheme, .obfuscated] : .scheme)
    }
    var start = chunk.lowerBound
    while start < chunk.upperBound, !Self.isHostScalar(scalars[start]) { start += 1 }
    // `email:who@where`, `link:host/path`: a word and a colon in front are not part of it.
    var index = start
    while index < chunk.upperBound {
      let scalar = scalars[index]
      if scalar == 0x3A || scalar == 0x3D || scalar == 0x28 || scalar == 0x2C || scalar == 0x3E {
        if index + 1 < chunk.upperBound, !(scalars[index + 1] &- 0x30 < 10) {
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
  ) -> (start: Int, hostStart: Int, disguised: Bool)? {
    // The scalars are searched for `:/`, then what stands in front is compared.
    var index = chunk.lowerBound
    while index + 1 < chunk.upperBound {
      defer { index += 1 }
      guard scalars[index] == 0x3A, scalars[index + 1] == 0x2F || scalars[index + 1] == 0x5C else {
        continue
      }
      var start = index
      while start > chunk.lowerBound, scalars[start - 1] &- 0x61 < 26 { start -= 1 }
      guard index - start >= 3 else { continue }
      let word = Self.ascii(scalars[max(start, index - 5)..<index])
      guard let (length, disguised) = Self.schemeLength(word) else { continue }
      var hostStart = index + 1
      while hostStart < chunk.upperBound,
        scalars[hostStart] == 0x2F || scalars[hostStart] == 0x5C || scalars[hostStart] == 0x3A
      {
        hostStart += 1
      }
      return (index - length, hostStart, disguised)
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

  /// Reads host and rest from `hostStart`; nil when there is no host.
  private func link(
    _ text: NormalizedText, start: Int, hostStart: Int, end: Int, traits given: Link.Traits
  ) -> Found? {
    let scalars = text.scalars
    var traits = given
    var host: [UInt8] = []
    var folded = false
    var index = hostStart
    var colon = false
    authority: while index < end {
      let scalar = scalars[index]
      switch scalar {
      case 0x2F, 0x3F, 0x23, 0x5C: break authority
      case 0x40:
        // What stood before `@` is only a name for the visit: `paypal.com@elsewhere.example`.
        guard traits.contains(.scheme) else { return nil }
        traits.insert(.user)
        host.removeAll(keepingCapacity: true)
        folded = false
        colon = false
      case 0x3A: colon = true
      case 0x5B, 0x28:
        // `[.]`, `(.)`, `[dot]`, `(dot)` hide a dot from filters.
        guard let after = Self.hiddenDot(scalars, index, end) else { break authority }
        host.append(UInt8(ascii: "."))
        traits.insert(.obfuscated)
        index = after
        continue authority
      default:
        if colon {
          guard scalar &- 0x30 < 10 else { break authority }
        } else if scalar < 0x80 {
          guard Self.isHostScalar(scalar) || scalar == 0x5F else { break authority }
          host.append(UInt8(scalar))
          if text.marks[index].contains(.homoglyph) || text.marks[index].contains(.styled) {
            folded = true
          }
        } else {
          host.append(UInt8(ascii: "?"))
        }
      }
      index += 1
    }
    let hasPath = index < end && scalars[index] == 0x2F
    while host.last == UInt8(ascii: ".") || host.last == UInt8(ascii: "-") { host.removeLast() }
    guard host.count >= 4, host.count <= 253,
      let dot = host.lastIndex(of: UInt8(ascii: ".")), dot > 0
    else { return nil }
    let top = host[(dot + 1)...]
    if top.allSatisfy({ $0 &- 0x30 < 10 }) {
      guard isAddress(host), traits.contains(.scheme) || hasPath else { return nil }
      traits.insert(.address)
    } else if !traits.contains(.scheme) {
      guard isPlainHost(host, dot: dot, hasPath: hasPath) else { return nil }
    }
    let stop = Self.trimmedEnd(scalars, start..<end)
    readRest(scalars, index..<max(index, stop), &traits)
    if !traits.contains(.address) {
      catalogue.examine(host: host, folded: folded, traits: &traits)
    }
    return .link(
      start..<max(stop, index),
      Link(token: 0, host: host, topLevelStart: dot + 1, hasPath: hasPath, traits: traits))
  }

  /// Whether labels, without a scheme in front, are likely a host and not two sentences without a space.
  private func isPlainHost(_ host: [UInt8], dot: Int, hasPath: Bool) -> Bool {
    let listing = catalogue.listing(of: host[(dot + 1)...])
    guard listing.contains(.topLevel) else { return false }
    let labels = host[..<dot].split(
      separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard labels.allSatisfy({ !$0.isEmpty }) else { return false }
    if hasPath || labels.count >= 2 && labels[0].elementsEqual("www".utf8) { return true }
    guard host[..<dot].contains(where: { $0 &- 0x61 < 26 || $0 == UInt8(ascii: "?") }) else {
      return false
    }
    if listing.contains(.ambiguousTopLevel) {
      let known = catalogue.listing(of: host)
      return labels.count >= 2 && labels.allSatisfy { $0.count >= 2 }
        || host.contains { $0 &- 0x30 < 10 || $0 == UInt8(ascii: "-") }
        || !known.isDisjoint(with: [.shortener, .brand, .popular])
    }
    return labels.last.map { $0.count >= 2 } ?? false
  }

  private func isAddress(_ host: [UInt8]) -> Bool {
    let parts = host.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return parts.count == 4 && parts.allSatisfy { (1...3).contains($0.count) }
      && host.allSatisfy { $0 &- 0x30 < 10 || $0 == UInt8(ascii: ".") }
  }

  /// Path and query: another address inside, a second `@`, a backslash.
  private func readRest(_ scalars: [UInt32], _ rest: Range<Int>, _ traits: inout Link.Traits) {
    var index = rest.lowerBound
    while index < rest.upperBound {
      switch scalars[index] {
      case 0x5C: traits.insert(.obfuscated)
      case 0x3A
      where index + 2 < rest.upperBound && scalars[index + 1] == 0x2F
        && scalars[index + 2] == 0x2F:
        traits.insert(.nested)
      default: break
      }
      index += 1
    }
    if rest.count > 400 { traits.insert(.nested) }
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

  static func ascii(_ scalars: some Sequence<UInt32>) -> [UInt8] {
    scalars.map { $0 < 0x80 ? UInt8($0) : UInt8(ascii: "?") }
  }
}
