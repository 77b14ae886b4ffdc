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

  /// The most pieces behind the first.
  private static var mostPieces: Int { 4 }

  /// `bit . ly/x`, `example dot com`: a host in pieces. Only hosts that the lists know count, ones with a path, and ones
  /// whose dots nobody writes who ends a sentence.
  func spacedLink(_ text: NormalizedText, _ chunk: Range<Int>) -> (Range<Int>, Link)? {
    let scalars = text.scalars
    guard chunk.count >= 2, chunk.count <= 40, chunk.upperBound + 2 < scalars.count,
      scalars[chunk.upperBound - 1] == 0x2E || scalars[chunk.upperBound + 1] == 0x2E
        || scalars[chunk.upperBound + 1] == 0x64 && scalars[chunk.upperBound + 2] == 0x6F,
      scalars[chunk].allSatisfy({ LinkReader.isHostScalar($0) })
    else { return nil }
    var index = chunk.upperBound
    var host = LinkReader.ascii(scalars[chunk])
    // `call us. To see it`: a full stop, as it stands at the end of a sentence.
    let endsSentence = host.last == UInt8(ascii: ".")
    var isApart = false
    if scalars[index] == 0x20, scalars[index + 1] == 0x2E {
      index += 2
      isApart = index < scalars.count && scalars[index] == 0x20
    } else if scalars[index] == 0x20, scalars[index + 1] == 0x64, scalars[index + 2] == 0x6F,
      index + 4 < scalars.count, scalars[index + 3] == 0x74, scalars[index + 4] == 0x20
    {
      index += 4
    } else if host.last == UInt8(ascii: "."), scalars[index] == 0x20 {
      host.removeLast()
    } else {
      return nil
    }
    if index < scalars.count, scalars[index] == 0x20 { index += 1 }
    // `txtag . org-a3w . top`: more pieces of the same kind.
    var pieces = 1
    var topLevelStart = host.count
    while true {
      let start = index
      while index < scalars.count, LinkReader.isNameScalar(scalars[index]), index - start < 30 {
        index += 1
      }
      guard index - start >= 2 else { return nil }
      host.append(UInt8(ascii: "."))
      topLevelStart = host.count
      host.append(contentsOf: LinkReader.ascii(scalars[start..<index]))
      guard pieces < Self.mostPieces, index + 3 < scalars.count, scalars[index] == 0x20,
        scalars[index + 1] == 0x2E, scalars[index + 2] == 0x20,
        LinkReader.isNameScalar(scalars[index + 3])
      else { break }
      index += 3
      pieces += 1
    }
    let top = host[topLevelStart...]
    guard top.count <= 12, top.allSatisfy({ $0 &- 0x61 < 26 }),
      index == scalars.count || !LinkReader.isHostScalar(scalars[index]) || scalars[index] == 0x2E
    else { return nil }
    let hasPath = index < scalars.count && scalars[index] == 0x2F
    let listing = reader.catalogue.listing(of: top)
    guard listing.contains(.topLevel) || pieces > 1 && reader.catalogue.isTopLevel(top) else {
      return nil
    }
    while index < scalars.count, scalars[index] != 0x20 { index += 1 }
    var link = Link(
      token: 0, host: host, topLevelStart: topLevelStart, hasPath: hasPath, traits: .obfuscated)
    reader.examine(&link, nil)
    // Nobody hides what is known to be right: that is how it is spoken.
    if !link.traits.isDisjoint(with: [.official, .agency]) { link.traits.remove(.obfuscated) }
    // Two words with a full stop between are no link, unless they are a known one or an imitation.
    guard
      hasPath || link.reading.reason == .confusable || pieces > 1
        || !endsSentence
          && (!link.traits.isUnknown || isApart && !listing.contains(.ambiguousTopLevel))
    else { return nil }
    return (chunk.lowerBound..<index, link)
  }

  /// How far from a link the text that is shown for it may stand, in scalars.
  private static var shownReach: Int { 200 }

  /// Finds the text that is shown for a link (`[paypal.com](http://…)`, `<a href="…">paypal.com</a>`,
  /// `paypal.com <http://…>`) and marks the link when it names another site.
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
