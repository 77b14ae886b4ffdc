import KithTime

/// From one time to another.
extension Parser {
  /// Two times of a day: `3-4pm`, `from 9:30 to 11:00`, `between 3:30pm and 6 pm`, `8am until 6`.
  func clockRange(_ index: Int) -> Found<(from: Clock, to: Clock, isWeak: Bool)>? {
    var start = skipping([.approximately], from: index)
    var connectors: KeywordSet = [.to, .until, .through]
    var isOpened = false
    if keyword(start) == .from {
      start += 1
      isOpened = true
    } else if let between = after(.between, at: start) ?? after(.in, .between, at: start) {
      start = between
      connectors = [.and]
      isOpened = true
    } else if let later = after(.late, .than, at: start) {
      start = later
      connectors = [.but]
      isOpened = true
    }
    guard let from = clock(start) else { return nil }
    var next = from.end
    if connectors.contains(keyword(next)) {
      next += 1
      if keyword(next) == .before { next += 1 }
    } else if isSign(next, "-"), !isOpened || connectors.contains(.to) || connectors.contains(.and)
    {
      next += 1
    } else {
      return nil
    }
    guard let to = clock(next), unit(to.end) == nil || meridiem(to.end) != nil,
      lexeme(to.end).month == 0, keyword(to.end) != .times
    else { return nil }
    if from.value.isLatent && to.value.isLatent && !isOpened { return nil }
    // "13 to 15" is more often of a month.
    if from.value.isLatent && to.value.isLatent,
      isNumber(from.end - 1) && from.value.isHalfKnown
        || isNumber(to.end - 1) && to.value.isHalfKnown
        || keyword(to.end) == .of
    {
      return nil
    }
    return ((from.value, to.value, from.value.isLatent && to.value.isLatent), to.end)
  }

  /// Two days: `July 13-15`, `from the 13th to the 15th of July`, `Aug 8 - Aug 12`,
  /// `1-8 september`.
  func dateRange(_ index: Int) -> Found<LocalMoment>? {
    var start = index
    var isOpened = false
    if KeywordSet([.from, .between]).contains(keyword(start)) {
      isOpened = true
      start += 1
    }
    if let found = daysBeforeMonth(start) { return found }
    guard let from = date(start), from.value.moment.grain == .day, from.value.moment.end == nil
    else { return nil }
    guard let next = connector(from.end, isOpened: isOpened) else { return nil }
    let first = from.value.moment.start.date
    let last: CivilDate
    let end: Int
    if let to = date(next), to.value.moment.grain == .day, to.value.moment.end == nil {
      last = to.value.moment.start.date
      end = to.end
    } else if let day = monthDay(skipping([.the], from: next)), !isSign(day.end, ":"),
      unit(day.end) == nil, meridiem(day.end) == nil,
      let date = CivilDate(year: first.year, month: first.month, day: day.value),
      [.month, .day].contains(from.value.moment.grain)
    {
      last = date
      end = day.end
    } else {
      return nil
    }
    guard first < last else { return nil }
    return (interval(first, last), end)
  }

  /// `from september to november`, which is read only in a recurrence.
  func isRangeOfMonths(_ index: Int) -> Bool {
    guard keyword(index) == .from, let from = month(index + 1) else { return false }
    return KeywordSet([.to, .until, .through]).contains(keyword(from.end))
      && month(from.end + 1) != nil
  }

  func interval(_ first: CivilDate, _ last: CivilDate) -> LocalMoment {
    LocalMoment(
      first.at(.midnight), .day, end: last.adding(days: 1).at(.midnight), shape: .interval)
  }

  private func connector(_ index: Int, isOpened: Bool) -> Int? {
    if KeywordSet([.to, .through, .until]).contains(keyword(index)) { return index + 1 }
    if isSign(index, "-") { return index + 1 }
    return isOpened && keyword(index) == .and ? index + 1 : nil
  }

  /// `13 to 15 of July`, `23rd to 26th Oct`.
  private func daysBeforeMonth(_ index: Int) -> Found<LocalMoment>? {
    let start = skipping([.the], from: index)
    guard let from = monthDay(start), let next = connector(from.end, isOpened: false) else {
      return nil
    }
    guard let to = date(next), to.value.moment.grain == .day, to.value.moment.end == nil,
      to.value.isYearOpen || year(to.end - 1) != nil,
      let day = monthDay(skipping([.the], from: next)), day.value > from.value
    else { return nil }
    let last = to.value.moment.start.date
    guard last.day == day.value,
      let first = CivilDate(year: last.year, month: last.month, day: from.value)
    else { return nil }
    return (interval(first, last), to.end)
  }

  /// `2015-03-28 17:00:00/2015-03-29 21:00:00`.
  func momentRange(_ index: Int) -> Found<LocalMoment>? {
    guard let fromDate = date(index), fromDate.value.moment.grain == .day,
      let from = clock(fromDate.end), isSign(from.end, "/") || isSign(from.end, "-"),
      let toDate = date(from.end + 1), toDate.value.moment.grain == .day,
      let to = clock(toDate.end)
    else { return nil }
    let start = fromDate.value.moment.start.adding(seconds: from.value.secondOfDay)
    let end = toDate.value.moment.start.adding(seconds: to.value.secondOfDay)
    let grain = min(from.value.grain, to.value.grain)
    guard start < end else { return nil }
    return (LocalMoment(start, grain, end: end.adding(1, grain), shape: .interval), to.end)
  }

  // MARK: From now

  /// `in 20 minutes`, `2 hours from now`, `three weeks ago`, `7 days hence`, `within 2 weeks`,
  /// `after 5 days`.
  func fromNow(_ index: Int) -> Found<LocalMoment>? {
    var start = index
    let word = keyword(start)
    if [.in, .within, .after].contains(word) { start += 1 }
    if word == .in {
      if keyword(start) == .approximately { start += 1 }
      if let minutes = minutesAlone(start) { return minutes }
    }
    if let weekdays = weekdaysFromNow(start) { return weekdays }
    guard let span = span(start) else { return nil }
    if word == .in { return (shifted(by: span.value, sign: 1), span.end) }
    if word == .within {
      let end = span.value.shift(now).cut(to: span.value.shiftGrain)
      return (LocalMoment(now, .second, end: end, shape: .interval), span.end)
    }
    if word == .after {
      var moment = shifted(by: span.value, sign: 1)
      moment.shape = .after
      return (moment, span.end)
    }
    switch keyword(span.end) {
    case .ago: return (shifted(by: span.value, sign: -1), span.end + 1)
    case .hence: return (shifted(by: span.value, sign: 1), span.end + 1)
    case .late:
      guard text(span.end) == "later", keyword(span.end + 1) != .than else { return nil }
      return (shifted(by: span.value, sign: 1), span.end + 1)
    case .from:
      if keyword(span.end + 1) == .now {
        return (shifted(by: span.value, sign: 1), span.end + 2)
      }
      if let exact = after(.from, .right, .now, at: span.end) {
        return (LocalMoment(span.value.shift(now), .second), exact)
      }
      return nil
    default: return nil
    }
  }

  func shifted(by span: Span, sign: Int) -> LocalMoment {
    let exact = span.shift(now, by: sign)
    return LocalMoment(exact.cut(to: span.shiftGrain), span.shiftGrain, due: exact)
  }

  /// `in 15`: minutes, where nothing else follows.
  private func minutesAlone(_ index: Int) -> Found<LocalMoment>? {
    guard isNumber(index), digits(index) <= 2, index + 1 == tokens.count, index > 0 else {
      return nil
    }
    return (
      shifted(by: Span(.minute, hundredths: tokens[index].value * 100), sign: 1), index + 1
    )
  }

  /// `3 fridays from now`, `2 thursdays ago`.
  private func weekdaysFromNow(_ index: Int) -> Found<LocalMoment>? {
    guard let count = number(index), (1...500).contains(count.value),
      lexeme(count.end).weekday > 0
    else { return nil }
    let weekday = weekday(lexeme(count.end).weekday)
    let end = count.end + 1
    if let fromNow = after(.from, .now, at: end) {
      let day = upcoming(weekday).adding(days: 7 * (count.value - 1))
      return (LocalMoment(day.at(.midnight), .day), fromNow)
    }
    guard keyword(end) == .ago else { return nil }
    let day = today.adding(days: -7).onOrAfter(weekday).adding(days: -7 * (count.value - 1))
    return (LocalMoment(day.at(.midnight), .day), end + 1)
  }

  /// `now`, `right now`, `at the moment`, `as soon as possible`.
  func presently(_ index: Int) -> Found<LocalMoment>? {
    switch keyword(index) {
    case .now, .moment: return (LocalMoment(now, .second), index + 1)
    case .right, .just:
      return keyword(index + 1) == .now ? (LocalMoment(now, .second), index + 2) : nil
    case .asap: return (LocalMoment(now, .second, shape: .after), index + 1)
    case .at:
      if let the = after(.at, .the, at: index), text(the) == "moment" {
        return (LocalMoment(now, .second), the + 1)
      }
      if let this = after(.at, .this, .time, at: index) {
        return (LocalMoment(today.at(.midnight), .day), this)
      }
      return nil
    default:
      let words = ["as", "soon", "as", "possible"]
      guard text(index) == words[0], (0..<4).allSatisfy({ text(index + $0) == words[$0] }) else {
        return nil
      }
      return (LocalMoment(now, .second, shape: .after), index + 4)
    }
  }

  func text(_ index: Int) -> String { tokens.indices.contains(index) ? tokens[index].text : "" }
}
