/// Street addresses as the US Postal Service writes them: number, name, suffix, then unit, city,
/// state and ZIP code where they follow.
extension Scan {
  mutating func findAddress(at group: Int) {
    let number = run.groups[group]
    guard number.count <= 6, separator(before: group) != .dot, separator(behind: group) != .dot
    else { return }
    if findBox(number) { return }
    findMilitaryPost(number)
    // `12-34 Main Street`, `12 1/2 Main Street`: the last group is the one before the name.
    var place = number.upperBound
    if at(place).isASCIILetter, !at(place + 1).isWord { place += 1 }
    guard at(place) == 0x20, before(number.lowerBound) != UInt8(ascii: "$"),
      before(number.lowerBound) != UInt8(ascii: ":") || !before(number.lowerBound - 1).isDigit
    else { return }
    guard let end = streetEnd(from: place + 1) else { return }
    var start = number.lowerBound
    if before(start) == UInt8(ascii: "-") || before(start) == UInt8(ascii: "/") {
      start = wordStart(before: start - 1)
    }
    add(.streetAddress, start..<endOfPlace(from: endOfUnit(from: end)))
  }

  private func wordStart(before end: Int) -> Int {
    var start = end
    while start > 0, end - start < 6, bytes[start - 1].isDigit { start -= 1 }
    return start
  }

  /// `P.O. Box 12`.
  private mutating func findBox(_ number: Range<Int>) -> Bool {
    let label = wordBefore(number.lowerBound)
    guard equals(label, "box") || equals(label, "pobox") else { return false }
    var start = label.lowerBound
    if equals(label, "box") {
      let office = wordBefore(start)
      if equals(office, "po") {
        start = office.lowerBound
      } else if equals(office, "office"), equals(wordBefore(office.lowerBound), "post") {
        start = wordBefore(office.lowerBound).lowerBound
      } else if before(start) == 0x20, before(start - 1) == UInt8(ascii: "."),
        before(start - 2).lowercased == UInt8(ascii: "o")
      {
        // P.O. or P. O.
        var place = start - 3
        while place > 0, start - place < 7, !bytes[place].isASCIILetter || place == start - 3 {
          place -= 1
        }
        guard bytes[place].lowercased == UInt8(ascii: "p"), !before(place).isWord else {
          return false
        }
        start = place
      } else {
        return false
      }
    }
    add(.streetAddress, start..<endOfPlace(from: number.upperBound))
    return true
  }

  /// A military post office before its ZIP code: `Unit 2758 Box 3916, DPO AA 27433`,
  /// `PSC 12, Box 34, APO AE 09123`, `USS Name, FPO AP 96620`.
  private mutating func findMilitaryPost(_ zip: Range<Int>) {
    guard zip.count == 5 else { return }
    let state = wordBefore(zip.lowerBound)
    guard equals(state, "aa") || equals(state, "ae") || equals(state, "ap") else { return }
    var start = wordBefore(state.lowerBound)
    guard equals(start, "apo") || equals(start, "fpo") || equals(start, "dpo") else { return }
    var begin = start.lowerBound
    for _ in 0..<5 {
      var place = start.lowerBound
      while place > 0, start.lowerBound - place < 3, before(place) == 0x20 || before(place) == 0x2C
      {
        place -= 1
      }
      start = wordBefore(place)
      guard !start.isEmpty else { break }
      let isShip =
        start.count >= 3 && start.count <= 5 && bytes[start].allSatisfy(\.isUppercase)
        && equals(start.lowerBound..<(start.lowerBound + 2), "us")
      if isShip || equals(start, "psc") || equals(start, "unit") || equals(start, "cmr") {
        begin = start.lowerBound
        break
      }
    }
    add(.streetAddress, begin..<zipPlusFour(zip.upperBound))
  }

  /// The end of a street's name with its suffix, which begins at a place; nil when there is none.
  private func streetEnd(from start: Int) -> Int? {
    var place = start
    var names = 0
    var isLower = false
    var end: Int?
    // Names begin with capitals, mostly; in lower case there is at least a letter.
    for position in 0..<6 {
      let word = wordWithMarks(at: place)
      guard !word.isEmpty, word.count <= 24, place < bytes.count else { break }
      let meaning = StreetWords.of(bytes, word)
      let isInLowerCase = isLower || bytes[word.lowerBound].isLowercase
      if names > 0, meaning.contains(.suffix) || meaning.contains(.capitalSuffix) && !isInLowerCase
      {
        end = word.upperBound
      }
      let isOrdinal = bytes[word.lowerBound].isDigit
      if isOrdinal {
        guard word.count >= 3, word.count <= 6, bytes[word].last?.isASCIILetter == true else {
          break
        }
      }
      guard bytes[word.lowerBound].isUppercase || isOrdinal || !meaning.contains(.plain) else {
        break
      }
      if bytes[word.lowerBound].isLowercase { isLower = true }
      if !meaning.contains(.direction) || position > 0 { names += 1 }
      place = word.upperBound
      if at(place) == UInt8(ascii: "."), at(place + 1) == 0x20 { place += 1 }
      guard at(place) == 0x20, names < 5 else { break }
      // What stands behind a suffix is the next word's only when that is a suffix too:
      // `Park Avenue`.
      place += 1
    }
    guard var end else { return nil }
    if at(end) == UInt8(ascii: "."), at(end + 1) != UInt8(ascii: "."),
      at(end + 1) == UInt8(ascii: ",")
    {
      end += 1
    }
    // A direction behind: `Main St NW`.
    if at(end) == 0x20 {
      let word = letters(at: end + 1)
      if word.count <= 2, bytes[word].allSatisfy(\.isUppercase),
        StreetWords.of(bytes, word).contains(.direction)
      {
        end = word.upperBound
      }
    }
    return end
  }

  private func wordWithMarks(at place: Int) -> Range<Int> {
    let place = min(place, bytes.count)
    var end = place
    while end < bytes.count, end - place < 30,
      bytes[end].isWord
        || (bytes[end] == 0x27 || bytes[end] == 0x2D) && end > place && at(end + 1).isWord
    {
      end += 1
    }
    return place..<end
  }

  /// The end of `, Apt. 4B`, `Suite 376`, `#12` behind an address.
  private func endOfUnit(from start: Int) -> Int {
    var place = start
    while place - start < 4,
      at(place) == 0x20 || at(place) == 0x2C || at(place) == 0x0A || at(place) == 0x2E
    {
      place += 1
    }
    let word = letters(at: place)
    if at(place) == UInt8(ascii: "#") {
      place += 1
    } else if StreetWords.of(bytes, word).contains(.unit) {
      place = word.upperBound
      if at(place) == UInt8(ascii: ".") { place += 1 }
      if at(place) == 0x20 { place += 1 }
      if at(place) == UInt8(ascii: "#") { place += 1 }
    } else {
      return start
    }
    let number = wordWithMarks(at: place)
    guard !number.isEmpty, number.count <= 6,
      bytes[number].contains(where: \.isDigit) || number.count == 1
    else { return start }
    return number.upperBound
  }

  /// The end of `, City, ST 12345-6789` behind an address; where it began when there is no state
  /// with a ZIP code.
  private func endOfPlace(from start: Int) -> Int {
    let limit = min(bytes.count, start + 60)
    var place = start
    var words = 0
    while place < limit {
      let byte = bytes[place]
      if byte.isSpace || byte == 0x2C || byte == 0x2E {
        place += 1
        continue
      }
      guard byte.isWord else { break }
      let word = wordWithMarks(at: place)
      if word.count == 2, bytes[word].allSatisfy(\.isUppercase),
        StreetWords.of(bytes, word).contains(.state)
      {
        let zip = zipEnd(from: word.upperBound)
        if let zip { return zip }
        // A state alone ends it where a comma stood before.
        return words > 0 && words <= 4 ? word.upperBound : start
      }
      if word.count == 5, bytes[word].allSatisfy(\.isDigit), words > 0 {
        return zipPlusFour(word.upperBound)
      }
      words += 1
      guard words <= 5, bytes[word.lowerBound].isUppercase || bytes[word.lowerBound] == 0x80 else {
        break
      }
      place = word.upperBound
    }
    return start
  }

  private func zipEnd(from start: Int) -> Int? {
    var place = start
    while place - start < 3, at(place) == 0x20 || at(place) == 0x2C { place += 1 }
    let zip = wordAt(place)
    guard zip.count == 5, bytes[zip].allSatisfy(\.isDigit) else { return nil }
    return zipPlusFour(zip.upperBound)
  }

  private func zipPlusFour(_ end: Int) -> Int {
    guard at(end) == UInt8(ascii: "-") else { return end }
    let more = wordAt(end + 1)
    return more.count == 4 && bytes[more].allSatisfy(\.isDigit) ? more.upperBound : end
  }
}
