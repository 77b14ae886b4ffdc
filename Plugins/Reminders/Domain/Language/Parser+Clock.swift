import KithTime

/// A time of day as it was said.
struct Clock: Sendable, Hashable {
  var hour: Int
  var minute = 0
  var second = 0
  var grain: Grain
  /// Whether the half of the day is known; otherwise 8 may be 20.
  var isHalfKnown: Bool
  /// Nothing but a number says so, or a letter behind it: a time only in company.
  var isLatent = false
  /// Seconds east of UTC, where a zone was named.
  var offset: Int?

  var secondOfDay: Int { hour * 3600 + minute * 60 + second }

  /// So many minutes later, on the same clock.
  func shifted(minutes: Int) -> Clock {
    var clock = self
    let seconds = (secondOfDay + minutes * 60 + 86_400) % 86_400
    clock.hour = seconds / 3600
    clock.minute = seconds / 60 % 60
    clock.grain = .minute
    if !isHalfKnown, clock.hour == 0 { clock.hour = 12 }
    clock.isLatent = false
    return clock
  }
}

/// The half of the day.
struct Meridiem: Sendable, Hashable {
  var isAfternoon: Bool
  /// Written as a letter: `7p`.
  var isLetter = false
}

extension Parser {
  /// A time of day: `at 8`, `3:15pm`, `15h30`, `half past three`, `noon`, `three twenty pm`, each
  /// with a zone or without.
  func clock(_ index: Int) -> Found<Clock>? {
    var start = index
    var isAnchored = false
    while KeywordSet([.at, .approximately, .the]).contains(keyword(start)) {
      if keyword(start) != .the { isAnchored = true }
      start += 1
    }
    guard var found = relativeClock(start) ?? plainClock(start, isAnchored: isAnchored) else {
      return nil
    }
    if KeywordSet([.approximately, .ish]).contains(keyword(found.end)), found.end < tokens.count {
      found.end += 1
    }
    if isAdjacent(found.end), text(found.end) == "z" {
      found.value.offset = 0
      found.value.isHalfKnown = true
      return (found.value, found.end + 1)
    }
    let isInParentheses = isSign(found.end, "(") && isSign(found.end + 2, ")")
    if let offset = lexeme(isInParentheses ? found.end + 1 : found.end).offset {
      found.value.offset = offset
      found.value.isHalfKnown = true
      found.value.isLatent = false
      // A zone says that somebody means it to the minute.
      found.value.grain = min(found.value.grain, .minute)
      found.end += isInParentheses ? 3 : 1
    }
    return found
  }

  // MARK: In relation to an hour

  /// `half past three`, `quarter to noon`, `20 minutes past 3pm`, `15 minutes from 1pm`,
  /// `half three`.
  private func relativeClock(_ index: Int) -> Found<Clock>? {
    var next = index
    var minutes: Int
    var isCertain = true
    if keyword(next) == .a, lexeme(next + 1).unit == .quarter { next += 1 }
    if keyword(next) == .half {
      minutes = 30
      next += 1
      if let hour = number(next), (1...12).contains(hour.value), tokens[next].kind == .word {
        return (
          Clock(hour: hour.value, minute: 30, grain: .minute, isHalfKnown: false), hour.end
        )
      }
    } else if lexeme(next).unit == .quarter {
      minutes = 15
      next += 1
    } else if let count = number(next), (1...59).contains(count.value), digits(next) <= 2 {
      minutes = count.value
      next = count.end
      if let unit = unit(next) {
        guard unit.value == .minute else { return nil }
        next = unit.end
      } else {
        isCertain = false
      }
    } else {
      return nil
    }
    switch keyword(next) {
    case .past, .after: break
    case .from where isCertain: break
    case .to, .before: minutes = -minutes
    default: return nil
    }
    guard let base = plainClock(next + 1, isAnchored: true), base.value.minute == 0,
      // "13 to 15" is a range of something; "15 to noon" is a time.
      isCertain || minutes > 0 || base.value.isHalfKnown || tokens[index].kind == .word
    else { return nil }
    // "3 to 4 pm" is a range, "ten to six" a time.
    let isSpelt = tokens[index].kind == .word && minutes % 5 == 0
    if !isCertain, minutes < 0, !isSpelt, -minutes <= 12 || base.end == next + 2,
      tokens[next + 1].kind == .number || lexeme(next + 1).number >= 0
    {
      return nil
    }
    return (base.value.shifted(minutes: minutes), base.end)
  }

  // MARK: Plain

  private func plainClock(_ index: Int, isAnchored: Bool) -> Found<Clock>? {
    switch keyword(index) {
    case .noon: return (Clock(hour: 12, grain: .hour, isHalfKnown: true), index + 1)
    case .midnight: return (Clock(hour: 0, grain: .hour, isHalfKnown: true), index + 1)
    case .mid where lexeme(index + 1).unit == .day:
      return (Clock(hour: 12, grain: .hour, isHalfKnown: true), index + 2)
    default: break
    }
    guard
      var found = isNumber(index)
        ? digitClock(index, isAnchored: isAnchored) : wordClock(index, isAnchored: isAnchored)
    else { return nil }
    let isHourAlone = found.value.grain == .hour && !found.value.isHalfKnown
    var end = found.end
    if keyword(end) == .ish, isAdjacent(end) { end += 1 }
    if keyword(end) == .oclock {
      found.value.isLatent = false
      end += 1
    }
    if let half = meridiem(end) {
      guard (1...12).contains(found.value.hour) else { return nil }
      found.value.hour = found.value.hour % 12 + (half.value.isAfternoon ? 12 : 0)
      found.value.isHalfKnown = true
      // "7a" alone is an apartment as often as a time.
      found.value.isLatent = half.value.isLetter && isHourAlone && !isAnchored
      return (found.value, half.end)
    }
    if found.value.isLatent, isAnchored { found.value.isLatent = false }
    return (found.value, end)
  }

  private func digitClock(_ index: Int, isAnchored: Bool) -> Found<Clock>? {
    let value = tokens[index].value
    if isAdjacent(index + 1), keyword(index + 1) == .suffix || isSign(index + 1, "/") { return nil }
    if let colon = colonClock(index) ?? hClock(index) { return colon }
    // What goes on in digits is a telephone number, a price or an amount.
    if isAdjacent(index + 1), isSign(index + 1, ".") || isSign(index + 1, "-"), isNumber(index + 2),
      isAdjacent(index + 2)
    {
      if isSign(index + 1, ".") || digits(index) > 2 { return nil }
    }
    switch digits(index) {
    case 3, 4:
      guard isAnchored || meridiem(index + 1) != nil, (0...24).contains(value / 100),
        value % 100 < 60
      else { return nil }
      let hour = value / 100
      return (
        Clock(
          hour: hour % 24, minute: value % 100, grain: .minute,
          isHalfKnown: hour == 0 || hour > 12 || digits(index) == 4 && value < 1000),
        index + 1
      )
    case 1, 2:
      guard value <= 24 else { return nil }
      if isAnchored, (1...24).contains(value), digits(index + 1) == 2, !isAdjacent(index + 1),
        (0...59).contains(tokens[index + 1].value), unit(index + 2) == nil,
        lexeme(index + 2).month == 0, keyword(index + 2) != .suffix
      {
        return (
          Clock(
            hour: value % 24, minute: tokens[index + 1].value, grain: .minute,
            isHalfKnown: value > 12),
          index + 2
        )
      }
      if unit(index + 1) != nil, meridiem(index + 1) == nil { return nil }
      return (
        Clock(
          hour: value % 24, grain: .hour, isHalfKnown: value == 0 || value > 12, isLatent: true),
        index + 1
      )
    default: return nil
    }
  }

  /// `15:30`, `9:01:10`.
  private func colonClock(_ index: Int) -> Found<Clock>? {
    // "8.30pm" is British.
    let isDotted = isSign(index + 1, ".") && meridiem(index + 3) != nil
    guard digits(index) <= 2, (0...24).contains(tokens[index].value),
      isSign(index + 1, ":") || isDotted, isAdjacent(index + 1), digits(index + 2) == 2,
      isAdjacent(index + 2),
      tokens[index + 2].value < 60
    else { return nil }
    let hour = tokens[index].value
    var clock = Clock(
      hour: hour % 24, minute: tokens[index + 2].value, grain: .minute,
      isHalfKnown: hour == 0 || hour > 12 || tokens[index].range.count == 2 && hour < 10)
    guard isSign(index + 3, ":"), isAdjacent(index + 3), digits(index + 4) == 2,
      isAdjacent(index + 4), tokens[index + 4].value < 60
    else { return (clock, index + 3) }
    clock.second = tokens[index + 4].value
    clock.grain = .second
    return (clock, index + 5)
  }

  /// `15h30`, `15h`.
  private func hClock(_ index: Int) -> Found<Clock>? {
    guard digits(index) <= 2, (0...24).contains(tokens[index].value), keyword(index + 1) == .h,
      isAdjacent(index + 1)
    else { return nil }
    let hour = tokens[index].value
    var clock = Clock(hour: hour % 24, grain: .minute, isHalfKnown: true)
    guard digits(index + 2) == 2, isAdjacent(index + 2), tokens[index + 2].value < 60 else {
      // "2h" is two hours as often.
      return hour > 12 || lexeme(index + 2).offset != nil ? (clock, index + 2) : hRangeEnd(index)
    }
    clock.minute = tokens[index + 2].value
    return (clock, index + 3)
  }

  /// `9h` on either side of a dash, where the other side is a time too.
  private func hRangeEnd(_ index: Int) -> Found<Clock>? {
    guard isSign(index - 1, "-") || isSign(index + 2, "-") else { return nil }
    return (
      Clock(hour: tokens[index].value, grain: .minute, isHalfKnown: false, isLatent: true),
      index + 2
    )
  }

  /// `three twenty`, `twelve oh three`, `eight`.
  private func wordClock(_ index: Int, isAnchored: Bool) -> Found<Clock>? {
    let hour = lexeme(index).number
    guard (1...12).contains(hour) else { return nil }
    let next = isSign(index + 1, "-") ? index + 2 : index + 1
    var minutes: Found<Int>?
    if keyword(next) == .oh || lexeme(next).number == 0 {
      let unit = lexeme(isSign(next + 1, "-") ? next + 2 : next + 1).number
      if (1...9).contains(unit) { minutes = (unit, isSign(next + 1, "-") ? next + 3 : next + 2) }
    } else if tokens.indices.contains(next), tokens[next].kind == .word, let found = number(next),
      (10...59).contains(found.value), lexeme(next).number >= 10
    {
      minutes = found
    }
    if let minutes, unit(minutes.end) == nil {
      return (
        Clock(
          hour: hour, minute: minutes.value, grain: .minute, isHalfKnown: false, isLatent: true),
        minutes.end
      )
    }
    if unit(index + 1) != nil, meridiem(index + 1) == nil { return nil }
    return (Clock(hour: hour, grain: .hour, isHalfKnown: false, isLatent: true), index + 1)
  }

  /// `pm`, `p.m.`, `p m`, `p`, `in the AM`; a letter alone only right behind a number.
  func meridiem(_ index: Int) -> Found<Meridiem>? {
    if let inThe = after(.in, .the, at: index) ?? after(.in, at: index),
      KeywordSet([.am, .pm]).contains(keyword(inThe))
    {
      return (Meridiem(isAfternoon: keyword(inThe) == .pm), inThe + 1)
    }
    switch keyword(index) {
    case .am, .pm: return (Meridiem(isAfternoon: keyword(index) == .pm), dotted(index))
    case .a, .p:
      let isAfternoon = keyword(index) == .p
      guard tokens[index].range.count == 1 else { return nil }
      if isSign(index + 1, "."), keyword(index + 2) == .m {
        return (Meridiem(isAfternoon: isAfternoon), dotted(index + 2))
      }
      if keyword(index + 1) == .m { return (Meridiem(isAfternoon: isAfternoon), dotted(index + 1)) }
      return isAdjacent(index)
        ? (Meridiem(isAfternoon: isAfternoon, isLetter: true), dotted(index)) : nil
    default: return nil
    }
  }

  /// The index after a word and its dot.
  private func dotted(_ index: Int) -> Int {
    isSign(index + 1, ".") && isAdjacent(index + 1) ? index + 2 : index + 1
  }
}
