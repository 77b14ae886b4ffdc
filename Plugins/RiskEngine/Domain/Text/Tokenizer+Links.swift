extension Tokenizer {
  /// `http` or `hxxps:` that stands apart from its slashes.
  func standsForScheme(_ scalars: [UInt32], _ range: Range<Int>) -> Bool {
    let word = scalars[range]
    let bare = word.last == 0x3A ? word.dropLast() : word
    let bytes = LinkReader.ascii(bare)
    guard let (length, _) = LinkReader.schemeLength(bytes) else { return false }
    return length == bytes.count
  }

  /// Where the link starts behind slashes that stand apart; nil when none follow.
  func skipSlashes(_ scalars: [UInt32], _ start: Int) -> Int? {
    var index = start
    var slashes = 0
    while index < scalars.count, index - start < 8 {
      switch scalars[index] {
      case 0x2F: slashes += 1
      case 0x20, 0x3A: break
      default: return slashes > 0 ? index : nil
      }
      index += 1
    }
    return nil
  }

  /// A link whose host is written in pieces. Only hosts that the lists know count, ones with a
  /// path, and ones whose dots nobody writes who ends a sentence.
  func spacedLink(_ text: NormalizedText, _ chunk: Range<Int>) -> (Range<Int>, Link)? {
    let scalars = text.scalars
    guard let host = SpacedHost(scalars, chunk) else { return nil }
    let listing = reader.catalogue.listing(of: host.topLevel)
    guard
      listing.contains(.topLevel) || host.pieces > 2 && reader.catalogue.isTopLevel(host.topLevel)
    else { return nil }
    let hasPath = host.end < scalars.count && scalars[host.end] == 0x2F
    var link = Link(
      token: 0, host: host.bytes, topLevelStart: host.topLevelStart, hasPath: hasPath,
      traits: .obfuscated)
    reader.examine(&link, nil)
    // Nobody hides what is known to be right: that is how it is spoken.
    if !link.traits.isDisjoint(with: [.official, .agency]) { link.traits.remove(.obfuscated) }
    // Two words with a full stop between are no link, unless they are a known one or an imitation.
    let isMeant =
      switch host.dot {
      case .apart: !link.traits.isUnknown || !listing.contains(.ambiguousTopLevel)
      case .behindSpace, .word: !link.traits.isUnknown
      case .fullStop: false
      }
    guard hasPath || host.pieces > 2 || isMeant || link.reading.reason == .confusable else {
      return nil
    }
    var end = host.end
    while end < scalars.count, scalars[end] != 0x20 { end += 1 }
    return (chunk.lowerBound..<end, link)
  }

  /// How far from a link the text that is shown for it may stand, in scalars.
  private static var shownReach: Int { 200 }

  /// Finds the text that is shown for a link (`[paypal.com](http://…)`,
  /// `<a href="…">paypal.com</a>`, `paypal.com <http://…>`) and marks the link when it names
  /// another site.
  func compareWithShown(
    _ link: inout Link, _ range: Range<Int>, _ text: NormalizedText, _ result: TokenizedText
  ) {
    let scalars = text.scalars
    guard range.lowerBound >= 1 else { return }
    var shown: HostReading?
    switch scalars[range.lowerBound - 1] {
    case 0x28 where range.lowerBound >= 2 && scalars[range.lowerBound - 2] == 0x5D:
      let end = range.lowerBound - 2
      var start = end
      while start > 0, end - start < Self.shownReach, scalars[start - 1] != 0x5B { start -= 1 }
      shown = firstHost(text, start..<end)
    case 0x3C, 0x28:
      // The word in front is a link that was read before.
      var before = range.lowerBound - 1
      if before > 0, scalars[before - 1] == 0x20 { before -= 1 }
      if let last = result.links.last, last.token == result.tokens.count - 1,
        let token = result.tokens.last, token.range.upperBound == before
      {
        shown = last.reading
      }
    case 0x22, 0x27, 0x3D:
      let limit = min(scalars.count, range.upperBound + Self.shownReach)
      var start = range.upperBound
      while start < limit, scalars[start] != 0x3E { start += 1 }
      var end = min(start + 1, limit)
      while end < limit, scalars[end] != 0x3C { end += 1 }
      if start + 1 < end, end < scalars.count, scalars[end] == 0x3C {
        shown = firstHost(text, (start + 1)..<end)
      }
    default: break
    }
    guard let shown, let first = shown.registrableStart else { return }
    let own = link.reading
    guard let second = own.registrableStart ?? (link.traits.contains(.address) ? 0 : nil) else {
      return
    }
    if own.reason == nil, let brand = own.brand, brand == shown.brand, shown.reason == nil {
      return
    }
    let real = link.traits.contains(.address) ? link.host[...] : own.host[second...]
    if ShownDistance.between(Array(shown.host[first...]), Array(real)) > 0 {
      link.traits.insert(.mismatch)
    }
  }

  /// The first host in a stretch of text.
  private func firstHost(_ text: NormalizedText, _ range: Range<Int>) -> HostReading? {
    var start = range.lowerBound
    while start < range.upperBound {
      var end = start
      while end < range.upperBound, text.scalars[end] != 0x20 { end += 1 }
      if case .link(_, let link) = reader.read(text, start..<end, schemeBefore: false) {
        return link.reading
      }
      start = end + 1
    }
    return nil
  }

  func report(_ link: Link, _ result: inout TokenizedText) {
    note(.link, link.token, &result)
    for observation in link.traits.observations { note(observation, link.token, &result) }
  }
}
