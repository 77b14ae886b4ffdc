import KithTime

/// Reads tokens into values. Each `func x(_ index:)` looks for one kind of value that begins at a
/// token and tells where it ends; nothing is changed on the way, so that another reading may be
/// tried at the same place.
struct Parser: Sendable {
  typealias Found<Value> = (value: Value, end: Int)

  let tokens: [Token]
  /// What the wall shows to who speaks.
  let now: CivilDateTime
  /// Whose English it is.
  let region: Region
  /// Seconds by which that wall is ahead of UTC.
  let offset: Int
  /// Whether a word or sign is there that may join two days to a range.
  let hasConnector: Bool

  init(tokens: [Token], now: CivilDateTime, region: Region, offset: Int) {
    self.tokens = tokens
    self.now = now
    self.region = region
    self.offset = offset
    let connectors: KeywordSet = [.to, .through, .until, .between]
    hasConnector = tokens.contains {
      $0.sign == UInt8(ascii: "-") || connectors.contains($0.lexeme.keyword)
    }
  }

  var today: CivilDate { now.date }
  var dayFirst: Bool { region.isDayFirst }

  // MARK: Tokens

  func lexeme(_ index: Int) -> Lexeme {
    tokens.indices.contains(index) ? tokens[index].lexeme : Lexeme()
  }

  func keyword(_ index: Int) -> Keyword { lexeme(index).keyword }

  func isSign(_ index: Int, _ character: Character) -> Bool {
    tokens.indices.contains(index) && tokens[index].kind == .sign
      && tokens[index].sign == character.asciiValue
  }

  func isNumber(_ index: Int) -> Bool {
    tokens.indices.contains(index) && tokens[index].kind == .number
  }

  func isAdjacent(_ index: Int) -> Bool {
    tokens.indices.contains(index) && tokens[index].isAdjacent
  }

  /// How many digits a number was written in.
  func digits(_ index: Int) -> Int { isNumber(index) ? tokens[index].range.count : 0 }

  /// The index after the words that stand here, if they do.
  func after(_ words: Keyword..., at index: Int) -> Int? {
    for (offset, word) in words.enumerated() where keyword(index + offset) != word { return nil }
    return index + words.count
  }

  /// The index after any of these words.
  func skipping(_ words: KeywordSet, from index: Int) -> Int {
    var index = index
    while words.contains(keyword(index)) { index += 1 }
    return index
  }

  func skippingComma(_ index: Int) -> Int { isSign(index, ",") ? index + 1 : index }

  // MARK: Numbers

  /// A cardinal: `15`, `fifteen`, `twenty-three`, `a couple of`, `a few`. Not the start of `15th`
  /// or `2.5`.
  func number(_ index: Int) -> Found<Int>? {
    if isNumber(index) {
      if isAdjacent(index + 1), keyword(index + 1) == .suffix { return nil }
      return tokens[index].value < 0 ? nil : (tokens[index].value, index + 1)
    }
    let word = lexeme(index)
    if word.number >= 20 {
      let next = isSign(index + 1, "-") ? index + 2 : index + 1
      let unit = lexeme(next).number
      if (1...9).contains(unit) { return (word.number + unit, next + 1) }
    }
    if word.number >= 0 { return (word.number, index + 1) }
    let noun = keyword(index) == .a ? index + 1 : index
    switch keyword(noun) {
    case .couple, .pair: return (2, after(.of, at: noun + 1) ?? noun + 1)
    case .few: return (3, noun + 1)
    default: return nil
    }
  }

  /// An ordinal: `1st`, `first`, `twenty-first`.
  func ordinal(_ index: Int) -> Found<Int>? {
    if isNumber(index), isAdjacent(index + 1), keyword(index + 1) == .suffix {
      return tokens[index].value > 0 ? (tokens[index].value, index + 2) : nil
    }
    let word = lexeme(index)
    if word.ordinal > 0 { return (word.ordinal, index + 1) }
    guard word.number >= 20 else { return nil }
    let next = isSign(index + 1, "-") ? index + 2 : index + 1
    let unit = lexeme(next).ordinal
    return (1...9).contains(unit) ? (word.number + unit, next + 1) : nil
  }

  /// A day of a month, as a cardinal or an ordinal.
  func monthDay(_ index: Int) -> Found<Int>? {
    guard let found = ordinal(index) ?? number(index), (1...31).contains(found.value),
      digits(index) <= 2
    else { return nil }
    return found
  }

  /// A year of four digits, or in words: `two thousand ten`.
  func year(_ index: Int) -> Found<Int>? {
    if digits(index) == 4, (1000...9999).contains(tokens[index].value),
      !(isAdjacent(index + 1) && (isSign(index + 1, ":") || keyword(index + 1) == .suffix))
    {
      return (tokens[index].value, index + 1)
    }
    guard (1...2).contains(lexeme(index).number), text(index + 1) == "thousand" else { return nil }
    let thousands = lexeme(index).number * 1000
    let rest = keyword(index + 2) == .and ? index + 3 : index + 2
    if let found = number(rest), found.value < 100, tokens[rest].kind == .word {
      return (thousands + found.value, found.end)
    }
    return (thousands, index + 2)
  }

  // MARK: Spans

  /// A unit of time; single letters only right after a number.
  func unit(_ index: Int, afterNumber: Bool = true) -> Found<Grain>? {
    guard let unit = lexeme(index).unit else { return nil }
    return afterNumber || tokens[index].range.count > 1 ? (unit, index + 1) : nil
  }

  /// A length of time: `20 minutes`, `an hour and a half`, `2 years, 3 months`, `1 hour thirty`.
  func span(_ index: Int) -> Found<Span>? {
    guard var found = singleSpan(index) else { return nil }
    while true {
      let next = skipping([.and], from: skippingComma(found.end))
      if let more = singleSpan(next), more.value.grain < found.value.grain,
        next > found.end || !(keyword(next) == .a)
      {
        found = (found.value + more.value, more.end)
      } else if found.value.grain == .hour, next <= found.end + 1, let minutes = number(next),
        (1...59).contains(minutes.value), unit(minutes.end) == nil, !isSign(minutes.end, ":"),
        ordinal(next) == nil, lexeme(minutes.end).month == 0
      {
        return (found.value + Span(.minute, hundredths: minutes.value * 100), minutes.end)
      } else {
        return found
      }
    }
  }

  private func singleSpan(_ index: Int) -> Found<Span>? {
    if let found = fractionSpan(index) { return found }
    guard let amount = amount(index) else { return nil }
    let more = keyword(amount.end) == .more ? amount.end + 1 : amount.end
    if isNumber(index), isAdjacent(amount.end) {
      if isSign(amount.end, "'") { return (Span(.minute, hundredths: amount.value), more + 1) }
      if isSign(amount.end, "\"") { return (Span(.second, hundredths: amount.value), more + 1) }
    }
    if keyword(more) == .fortnight { return (Span(.day, hundredths: 14 * amount.value), more + 1) }
    let noun = keyword(more) == .of ? more + 1 : more
    guard let unit = unit(noun, afterNumber: isNumber(index)) else { return nil }
    if let half = halfAfter(unit.end) {
      return (Span(unit.value, hundredths: amount.value + 50), half)
    }
    return (Span(unit.value, hundredths: amount.value), unit.end)
  }

  /// `and a half` behind the unit.
  private func halfAfter(_ index: Int) -> Int? {
    guard var next = after(.and, at: index) else { return nil }
    if keyword(next) == .a { next += 1 }
    return after(.half, at: next)
  }

  /// `half an hour`, `1/4 h`, `a quarter of an hour`, `three-quarters of an hour`.
  private func fractionSpan(_ index: Int) -> Found<Span>? {
    var hundredths: Int?
    var next = index
    if keyword(index) == .half {
      hundredths = 50
      next += 1
    } else if isNumber(index), isSign(index + 1, "/"), isNumber(index + 2) {
      switch (tokens[index].value, tokens[index + 2].value) {
      case (1, 2): hundredths = 50
      case (1, 4): hundredths = 25
      case (3, 4): hundredths = 75
      default: return nil
      }
      next += 3
    } else {
      let count = keyword(index) == .a ? (1, index + 1) : number(index) ?? (1, index)
      next = isSign(count.1, "-") ? count.1 + 1 : count.1
      guard lexeme(next).unit == .quarter, (1...3).contains(count.0),
        keyword(next + 1) == .of || keyword(next + 1) == .a
      else { return nil }
      hundredths = 25 * count.0
      next += 1
    }
    if keyword(next) == .of { next += 1 }
    if keyword(next) == .a { next += 1 }
    guard let hundredths, let unit = unit(next) else { return nil }
    return (Span(unit.value, hundredths: hundredths), unit.end)
  }

  /// Hundredths: `2.5`, `two and a half`, `one and three quarters of`, `an`.
  private func amount(_ index: Int) -> Found<Int>? {
    if isNumber(index), isSign(index + 1, "."), isAdjacent(index + 1), isNumber(index + 2),
      isAdjacent(index + 2), digits(index + 2) <= 2, digits(index) <= 6
    {
      let part = tokens[index + 2].value * (digits(index + 2) == 1 ? 10 : 1)
      return (tokens[index].value * 100 + part, index + 3)
    }
    guard let whole = number(index) ?? (keyword(index) == .a ? (1, index + 1) : nil),
      whole.value <= 1_000_000
    else { return nil }
    guard var next = after(.and, at: whole.end) else { return (whole.value * 100, whole.end) }
    if let half = after(.half, at: keyword(next) == .a ? next + 1 : next), unit(half) != nil {
      return (whole.value * 100 + 50, half)
    }
    var quarters = 1
    if keyword(next) == .a {
      next += 1
    } else if let count = number(next) {
      quarters = count.value
      next = count.end
    }
    let noun = keyword(next + 1) == .of ? next + 2 : next + 1
    if lexeme(next).unit == .quarter, (1...3).contains(quarters), lexeme(noun).unit != nil {
      return (whole.value * 100 + 25 * quarters, next + 1)
    }
    return (whole.value * 100, whole.end)
  }
}
