extension Scan {
  /// The longest local part and the longest domain in bytes, RFC 5321.
  private static let longestLocal = 64
  private static let longestDomain = 253

  /// An address around an `@`, or user and password before it in a URL.
  mutating func findEmail(at sign: Int) {
    findCredentials(before: sign)
    guard let start = localPart(before: sign), let end = domain(at: sign + 1) else { return }
    add(.emailAddress, start..<end, isConfirmed: true)
  }

  /// `jo%40example.org` in a query.
  mutating func findEscapedEmail(at percent: Int) {
    guard at(percent + 1) == UInt8(ascii: "4"), at(percent + 2) == UInt8(ascii: "0"),
      let start = localPart(before: percent), let end = domain(at: percent + 3)
    else { return }
    add(.emailAddress, start..<end, isConfirmed: true)
  }

  /// `jo (at) example dot org`, `jo[at]example.org`, `jo at example dot org`.
  mutating func findSpokenEmail(at place: Int) {
    guard place > 0, at(place + 1).lowercased == UInt8(ascii: "a") else { return }
    let isBracketed = bytes[place] != 0x20
    // A space may stand before a bracket; that is then where it is found.
    guard equals(wordAt(place + 1), "at") else { return }
    var domain = place + 3
    if isBracketed {
      guard [UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}")].contains(at(domain)) else {
        return
      }
      domain += 1
    } else {
      guard at(domain) == 0x20 else { return }
    }
    var local = place
    if before(local) == 0x20 { local -= 1 }
    if at(domain) == 0x20 { domain += 1 }
    guard let start = localPart(before: local) else { return }
    var end = domain
    var labels = 0
    var hasDot = false
    var hasSpokenDot = false
    while true {
      let label = wordOrHyphen(at: end)
      guard !label.isEmpty, label.count <= 63 else { break }
      labels += 1
      hasDot = labels > 1
      end = label.upperBound
      guard labels < 5, let (next, isSpoken) = spokenDot(at: end) else { break }
      guard bytes[next..<min(bytes.count, next + 1)].allSatisfy(\.isWord), next < bytes.count else {
        break
      }
      hasSpokenDot = hasSpokenDot || isSpoken
      end = next
    }
    guard hasDot, isBracketed || hasSpokenDot else { return }
    let last = wordBefore(end)
    guard last.count >= 2, last.count <= 24, bytes[last].allSatisfy(\.isASCIILetter) else { return }
    add(.emailAddress, start..<end)
  }

  private func wordOrHyphen(at place: Int) -> Range<Int> {
    let place = min(place, bytes.count)
    var end = place
    while end < bytes.count, end - place < 64,
      bytes[end].isWord || bytes[end] == UInt8(ascii: "-")
    {
      end += 1
    }
    return place..<end
  }

  /// Where the next label begins behind ` dot `, `(dot)`, `[.]` or `.`.
  private func spokenDot(at place: Int) -> (next: Int, isSpoken: Bool)? {
    if at(place) == UInt8(ascii: "."), at(place + 1).isWord { return (place + 1, false) }
    var next = place
    if at(next) == 0x20 { next += 1 }
    let open = at(next)
    let isBracketed =
      open == UInt8(ascii: "(") || open == UInt8(ascii: "[") || open == UInt8(ascii: "{")
    if isBracketed { next += 1 }
    if isBracketed, at(next) == UInt8(ascii: ".") {
      next += 1
    } else if equals(wordAt(next), "dot") {
      next += 3
    } else {
      return nil
    }
    if isBracketed {
      next += 1
    } else {
      guard at(next) == 0x20 else { return nil }
    }
    if at(next) == 0x20 { next += 1 }
    return (next, true)
  }

  private func localPart(before end: Int) -> Int? {
    var start = end
    while start > 0, end - start <= Self.longestLocal, isLocal(bytes[start - 1]) { start -= 1 }
    guard end - start <= Self.longestLocal else { return nil }
    while start < end, !bytes[start].isWord, bytes[start] != UInt8(ascii: "_") { start += 1 }
    guard start < end, before(end) != UInt8(ascii: ".") else { return nil }
    for place in start..<end where bytes[place] == 0x2E && bytes[place + 1] == 0x2E { return nil }
    return start
  }

  private func isLocal(_ byte: UInt8) -> Bool {
    if byte.isWord { return true }
    switch byte {
    case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "+"),
      UInt8(ascii: "'"), UInt8(ascii: "~"), UInt8(ascii: "!"), UInt8(ascii: "#"),
      UInt8(ascii: "$"), UInt8(ascii: "*"), UInt8(ascii: "^"):
      return true
    default: return false
    }
  }

  /// The end of a domain with at least two labels, of which the last has no digits; nil when there
  /// is none.
  private func domain(at start: Int) -> Int? {
    var end: Int?
    var place = start
    while place - start < Self.longestDomain {
      let label = wordOrHyphen(at: place)
      guard !label.isEmpty, label.count <= 63, bytes[label.lowerBound].isWord else { break }
      var last = label.upperBound
      while last > label.lowerBound, !bytes[last - 1].isWord { last -= 1 }
      if label.lowerBound > start, isTopLevel(label.lowerBound..<last) { end = last }
      guard last == label.upperBound, at(last) == UInt8(ascii: "."), at(last + 1).isWord else {
        break
      }
      place = last + 1
    }
    return end
  }

  private func isTopLevel(_ label: Range<Int>) -> Bool {
    guard label.count >= 2 else {
      return label.count == 1 && bytes[label.lowerBound] == FoldedText.letter
    }
    if label.count > 4, equals(label.lowerBound..<(label.lowerBound + 4), "xn--") { return true }
    return label.count <= 24 && bytes[label].allSatisfy { !$0.isDigit && $0 != 0x2D }
  }

  /// `user:password` of `scheme://user:password@host`.
  private mutating func findCredentials(before sign: Int) {
    var start = sign
    while start > 0, sign - start <= 128 {
      let byte = bytes[start - 1]
      if byte.isSpace || byte == UInt8(ascii: "@") { return }
      if byte == UInt8(ascii: "/") {
        guard start >= 3, bytes[start - 2] == byte, bytes[start - 3] == UInt8(ascii: ":"),
          start < sign, at(sign + 1).isWord || at(sign + 1) == UInt8(ascii: "[")
        else { return }
        add(.urlCredentials, start..<sign, isConfirmed: true)
        return
      }
      start -= 1
    }
  }
}
