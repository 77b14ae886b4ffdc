import KithTime

/// A day, week, month ... as it was said, and whether it needs company to be believed.
struct Dated: Sendable, Hashable {
  var moment: LocalMoment
  /// Words that mean something else as often: "sat", "2-3".
  var isWeak = false
  /// Whether no year was said, so that another year may be meant.
  var isYearOpen = false
  /// The holiday that it is.
  var holiday: Holiday.Day?

  /// The same in another year.
  func moved(toYear year: Int) -> LocalMoment {
    guard let holiday, let date = Holiday.date(of: holiday, in: year) else {
      return moment.moved(toYear: year)
    }
    return LocalMoment(date.at(.midnight), .day)
  }

  init(_ moment: LocalMoment, isWeak: Bool = false, isYearOpen: Bool = false) {
    self.moment = moment
    self.isWeak = isWeak
    self.isYearOpen = isYearOpen
  }

  init(_ date: CivilDate, isWeak: Bool = false, isYearOpen: Bool = false) {
    self.init(LocalMoment(date.at(.midnight), .day), isWeak: isWeak, isYearOpen: isYearOpen)
  }
}

extension Parser {
  /// A day or a longer period, with what shifts it: `monday`, `the last friday of march`,
  /// `3 days after christmas`.
  func date(_ index: Int) -> Found<Dated>? {
    var start = index
    while KeywordSet([.approximately, .on]).contains(keyword(start)) { start += 1 }
    if let found = shiftedDate(start) { return found }
    let direct = plainDate(start)
    guard var found = direct ?? (keyword(start) == .the ? plainDate(start + 1) : nil) else {
      return nil
    }
    // "on sat", but "in the sun".
    if start > index, keyword(start) != .the { found.value.isWeak = false }
    return within(weekdayAfter(shiftedAfter(found)))
  }

  /// `next week on tuesday`, `next month on the 5th`: a day of what was said.
  private func within(_ found: Found<Dated>) -> Found<Dated> {
    let moment = found.value.moment
    let next = skipping([.on, .the], from: skippingComma(found.end))
    guard moment.end == nil, !found.value.isYearOpen else { return found }
    if moment.grain == .week, lexeme(next).weekday > 0, !lexeme(next).plural {
      let days = weekday(lexeme(next).weekday).days(after: .monday)
      return (Dated(moment.start.date.adding(days: days)), next + 1)
    }
    let date = moment.start.date
    if moment.grain == .month, next > found.end, let day = ordinal(next),
      let exact = CivilDate(year: date.year, month: date.month, day: day.value)
    {
      return (Dated(exact), day.end)
    }
    return found
  }

  /// `Jul 18, Fri`: the year in which the weekday fits.
  private func weekdayAfter(_ found: Found<Dated>) -> Found<Dated> {
    let next = skippingComma(found.end)
    let date = found.value.moment.start.date
    guard found.value.isYearOpen, found.value.moment.grain == .day, lexeme(next).weekday > 0,
      !lexeme(next).plural,
      let dated = (today.year...today.year + 11).lazy
        .compactMap({ CivilDate(year: $0, month: date.month, day: date.day) })
        .first(where: { $0.weekday == weekday(lexeme(next).weekday) })
    else { return found }
    return (Dated(dated), next + 1)
  }

  /// `christmas in 3 years`, `March in a year`: a date that comes every year, so many years from
  /// now.
  private func shiftedAfter(_ found: Found<Dated>) -> Found<Dated> {
    guard found.value.isYearOpen else { return found }
    var next = keyword(found.end) == .in ? found.end + 1 : found.end
    let isIn = next > found.end
    guard let span = span(next), span.value.days == 0, span.value.seconds == 0,
      span.value.months > 0
    else { return found }
    next = span.end
    var sign = 1
    if keyword(next) == .ago {
      sign = -1
      next += 1
    } else if let fromNow = after(.from, .now, at: next) {
      next = fromNow
    } else if keyword(next) == .hence {
      next += 1
    } else if !isIn {
      return found
    }
    // The first one from then on.
    let target = today.adding(months: sign * span.value.months)
    let month = target.adding(days: 1 - target.day).at(.midnight)
    let candidates = [target.year, target.year + 1].map { found.value.moved(toYear: $0) }
    let moment = candidates.first {
      $0.start >= (found.value.moment.grain == .day ? target.at(.midnight) : month)
    }
    return moment.map { (Dated($0), next) } ?? found
  }

  // MARK: Relative to another day

  /// `3 days after easter`, `a year from christmas`, `the day after tomorrow`,
  /// `third tuesday after christmas`.
  private func shiftedDate(_ index: Int) -> Found<Dated>? {
    let start = keyword(index) == .the ? index + 1 : index
    if lexeme(start).unit == .day, KeywordSet([.after, .before]).contains(keyword(start + 1)) {
      let sign = keyword(start + 1) == .after ? 1 : -1
      if let base = plainDate(start + 2), base.value.moment.grain == .day {
        return (Dated(base.value.moment.start.date.adding(days: sign)), base.end)
      }
    }
    if let count = ordinal(start), lexeme(count.end).weekday > 0,
      keyword(count.end + 1) == .after,
      let base = plainDate(count.end + 2), base.value.moment.grain == .day
    {
      let first = base.value.moment.start.date.adding(days: 1)
        .onOrAfter(weekday(lexeme(count.end).weekday))
      return (Dated(first.adding(days: 7 * (count.value - 1))), base.end)
    }
    guard let span = span(start), span.value.seconds == 0 else { return nil }
    let sign: Int
    switch keyword(span.end) {
    case .after, .from: sign = 1
    case .before: sign = -1
    default: return nil
    }
    guard let base = plainDate(span.end + 1), base.value.moment.grain == .day,
      base.value.moment.end == nil
    else { return nil }
    // "a year from Christmas" begins at the one that was.
    let isYearLater = base.value.isYearOpen && sign > 0 && span.value.months >= 12
    let from = isYearLater ? base.value.moved(toYear: today.year - 1) : base.value.moment
    return (Dated(span.value.shift(from.start, by: sign).date), base.end)
  }

  // MARK: By itself

  private func plainDate(_ index: Int) -> Found<Dated>? {
    guard tokens.indices.contains(index) else { return nil }
    return relativeDay(index) ?? boundary(index) ?? ordinalOf(index) ?? weekdayDate(index)
      ?? holiday(index) ?? monthDate(index) ?? numericDate(index) ?? period(index)
      ?? dayOfMonth(index)
  }

  private func relativeDay(_ index: Int) -> Found<Dated>? {
    switch keyword(index) {
    case .today: (Dated(today), index + 1)
    case .tomorrow: (Dated(today.adding(days: 1)), index + 1)
    case .yesterday: (Dated(today.adding(days: -1)), index + 1)
    default: nil
    }
  }

  // MARK: Weekdays

  func weekday(_ number: Int) -> Weekday { Weekday(rawValue: number) ?? .monday }

  /// The next one after today.
  func upcoming(_ weekday: Weekday) -> CivilDate { today.adding(days: 1).onOrAfter(weekday) }

  private var monday: CivilDate { now.cut(to: .week).date }

  /// `monday`, `next tuesday`, `friday after next`, `wednesday of next week`, `Monday, Feb 18`,
  /// `Tuesday the 19th`.
  private func weekdayDate(_ index: Int) -> Found<Dated>? {
    if let week = possessiveWeek(index) { return week }
    var start = index
    var modifier = Keyword.none
    if KeywordSet([.this, .next, .last, .past, .coming, .following, .current]).contains(
      keyword(index))
    {
      modifier = keyword(index)
      start += 1
      if modifier == .this, KeywordSet([.past, .coming]).contains(keyword(start)) {
        modifier = keyword(start)
        start += 1
      }
    }
    let word = lexeme(start)
    if Holiday.foreign.contains(text(isSign(index - 1, "-") ? index - 2 : index - 1)) { return nil }
    guard word.weekday > 0, !word.plural || tokens[start].isPossessive else { return nil }
    let weekday = weekday(word.weekday)
    let end = isSign(start + 1, ".") && isAdjacent(start + 1) ? start + 2 : start + 1
    switch modifier {
    case .next, .following:
      return (Dated(monday.adding(days: 7 + weekday.days(after: .monday))), end)
    case .last, .past:
      return (Dated(today.adding(days: -7).onOrAfter(weekday)), end)
    case .none: break
    default: return (Dated(upcoming(weekday)), end)
    }
    if let next = after(.after, .next, at: end) {
      return (Dated(upcoming(weekday).adding(days: 7)), next)
    }
    let link = KeywordSet([.of, .from, .in]).contains(keyword(end)) ? end + 1 : end
    if let week = period(link), week.value.moment.grain == .week, week.value.moment.end == nil {
      let first = week.value.moment.start.date
      return (Dated(first.adding(days: weekday.days(after: .monday))), week.end)
    }
    if let found = weekdayWithDay(weekday, end) { return found }
    // "Monday of the Holy Spirit" is another day.
    if keyword(end) == .of { return nil }
    return (Dated(upcoming(weekday), isWeak: word.isWeak && end == start + 1), end)
  }

  /// `last week's sunday`.
  private func possessiveWeek(_ index: Int) -> Found<Dated>? {
    guard let week = period(index), week.value.moment.grain == .week,
      tokens[week.end - 1].isPossessive, lexeme(week.end).weekday > 0
    else { return nil }
    let weekday = weekday(lexeme(week.end).weekday)
    return (
      Dated(week.value.moment.start.date.adding(days: weekday.days(after: .monday))), week.end + 1
    )
  }

  /// What follows a weekday and says which: `, Feb 18`, `the 19th`.
  private func weekdayWithDay(_ weekday: Weekday, _ index: Int) -> Found<Dated>? {
    var next = skippingComma(index)
    while KeywordSet([.on, .the]).contains(keyword(next)) { next += 1 }
    if var found = monthDate(next) ?? numericDate(next), found.value.moment.grain == .day,
      found.value.moment.end == nil, !found.value.isWeak
    {
      if found.value.isYearOpen {
        // This year's, past or not, where the weekday fits; else the next that does.
        let date = found.value.moment.start.date
        for year in today.year...today.year + 11 {
          if let candidate = CivilDate(year: year, month: date.month, day: date.day),
            candidate.weekday == weekday
          {
            found.value = Dated(candidate)
            return found
          }
        }
        return nil
      }
      return found.value.moment.start.date.weekday == weekday ? found : nil
    }
    guard let day = ordinal(next), (1...31).contains(day.value), keyword(day.end) != .of,
      lexeme(day.end).month == 0
    else { return nil }
    for months in 0...60 {
      let month = today.adding(days: 1 - today.day).adding(months: months)
      if let date = CivilDate(year: month.year, month: month.month, day: day.value),
        date >= today, date.weekday == weekday
      {
        return (Dated(date), day.end)
      }
    }
    return nil
  }

  // MARK: Months

  /// A month's name and its dot.
  func month(_ index: Int) -> Found<Int>? {
    let month = lexeme(index).month
    guard month > 0 else { return nil }
    return (month, isSign(index + 1, ".") && isAdjacent(index + 1) ? index + 2 : index + 1)
  }

  /// `march 3`, `3rd of march 2015`, `14april 2015`, `October 2014`, `next March`, `March`,
  /// `the ides of march`.
  private func monthDate(_ index: Int) -> Found<Dated>? {
    let modifier = keyword(index)
    if KeywordSet([.this, .next, .last, .coming, .past, .during]).contains(modifier),
      let month = month(index + 1)
    {
      let first = firstOf(month.value, from: today.adding(days: 1 - today.day))
      switch modifier {
      case .last, .past:
        let past = first > today ? first.adding(months: -12) : first
        return (Dated(LocalMoment(past.at(.midnight), .month)), month.end)
      default: return (Dated(LocalMoment(first.at(.midnight), .month), isYearOpen: true), month.end)
      }
    }
    if let month = month(index) { return afterMonth(month, isWeak: lexeme(index).isWeak) }
    if let ides = after(.ides, .of, at: index), let month = month(ides) {
      let day = [3, 5, 7, 10].contains(month.value) ? 15 : 13
      return dated(day, month.value, year: nil, end: month.end)
    }
    guard let day = monthDay(index) else { return nil }
    var next = day.end
    if isSign(next, "-") || isSign(next, "/") { next += 1 }
    if lexeme(next).unit == .day { next += 1 }
    if keyword(next) == .of { next += 1 }
    guard let month = month(next) else { return nil }
    return withYear(day.value, month.value, month.end, isShortAllowed: true)
  }

  private func afterMonth(_ month: Found<Int>, isWeak: Bool) -> Found<Dated>? {
    var next = month.end
    if isSign(next, "-") || isSign(next, "/") { next += 1 }
    while KeywordSet([.on, .the]).contains(keyword(next)) { next += 1 }
    if let year = year(skippingComma(keyword(next) == .of ? next + 1 : next)) {
      guard let first = CivilDate(year: year.value, month: month.value, day: 1) else { return nil }
      return (Dated(LocalMoment(first.at(.midnight), .month)), year.end)
    }
    if let day = monthDay(next), unit(day.end) == nil || lexeme(day.end).unit == .second,
      !isSign(day.end, ":"), !(isAdjacent(day.end) && (keyword(day.end) == .h)),
      meridiem(day.end) == nil || ordinal(next) != nil
    {
      return withYear(
        day.value, month.value, day.end, isShortAllowed: next > month.end && isSign(next - 1, "-"))
    }
    if let afterNext = after(.after, .next, at: month.end) {
      let first = firstOf(month.value, from: today.adding(days: 1)).adding(months: 12)
      return (Dated(LocalMoment(first.at(.midnight), .month)), afterNext)
    }
    let first = firstOf(month.value, from: today.adding(days: 1 - today.day))
    return (
      Dated(LocalMoment(first.at(.midnight), .month), isWeak: isWeak, isYearOpen: true), month.end
    )
  }

  /// The first of a month, on or after a day.
  func firstOf(_ month: Int, from day: CivilDate) -> CivilDate {
    let first = CivilDate(year: day.year, month: month, day: 1) ?? day
    return first < day ? first.adding(months: 12) : first
  }

  /// A day and a month, and the year behind them if there is one.
  private func withYear(
    _ day: Int, _ month: Int, _ index: Int, isShortAllowed: Bool
  ) -> Found<Dated>? {
    var next = skippingComma(index)
    if isSign(next, "-") || isSign(next, "/"), isAdjacent(next), isAdjacent(next + 1) { next += 1 }
    if KeywordSet([.of, .in]).contains(keyword(next)) { next += 1 }
    if let year = year(next) { return dated(day, month, year: year.value, end: year.end) }
    // "31-Oct-74", "14th April 15".
    if isShortAllowed, digits(next) == 2, !isSign(next + 1, ":"), unit(next + 1) == nil,
      keyword(next + 1) != .suffix, keyword(next + 1) != .h, lexeme(next + 1).month == 0,
      meridiem(next + 1) == nil, !isSign(index, ","), !isSign(next + 1, "-")
    {
      return dated(day, month, year: fullYear(tokens[next].value), end: next + 1)
    }
    if let period = period(next), period.value.moment.grain == .year, next > index {
      return dated(day, month, year: period.value.moment.start.date.year, end: period.end)
    }
    return dated(day, month, year: nil, end: index)
  }

  private func fullYear(_ short: Int) -> Int { short < 70 ? 2000 + short : 1900 + short }

  /// A day of a month: of this year, or of the next one that has it and is not past.
  private func dated(_ day: Int, _ month: Int, year: Int?, end: Int) -> Found<Dated>? {
    if let year {
      return CivilDate(year: year, month: month, day: day).map { (Dated($0), end) }
    }
    for year in today.year...today.year + 8 {
      if let date = CivilDate(year: year, month: month, day: day), date >= today {
        return (Dated(date, isYearOpen: true), end)
      }
    }
    return nil
  }

  // MARK: In digits

  /// `2/15`, `10/31/74`, `10.31.1974`, `2015-03-03`, `2/2013`, `2014-10`.
  private func numericDate(_ index: Int) -> Found<Dated>? {
    guard isNumber(index), let sign = ["/", "-", "."].first(where: { isSign(index + 1, $0) }),
      isNumber(index + 2)
    else { return plainNumberDate(index) }
    let isTight = isAdjacent(index + 1) && isAdjacent(index + 2)
    let (first, second) = (tokens[index].value, tokens[index + 2].value)
    if isSign(index + 3, sign), isNumber(index + 4), isTight {
      return threeNumbers(index, first, second)
    }
    if isAdjacent(index + 3), isSign(index + 3, ":") || keyword(index + 3) == .h { return nil }
    if sign == "." { return nil }
    if isTight, digits(index) == 4, (1...2).contains(digits(index + 2)),
      (1000...2999).contains(first)
    {
      return monthOf(first, second, end: index + 3)
    }
    if isTight, sign == "/", digits(index + 2) == 4, (1000...2999).contains(second) {
      return monthOf(second, first, end: index + 3)
    }
    guard digits(index) <= 2, digits(index + 2) <= 2,
      !isAdjacent(index + 3) || isSign(index + 3, ",") || isSign(index + 3, ".")
        || isSign(index + 3, "?"), unit(index + 3) == nil
    else { return nil }
    let (month, day) = dayFirst ? (second, first) : (first, second)
    guard let found = dated(day, month, year: nil, end: index + 3) else { return nil }
    let isFraction = [1, 2, 3].contains(first) && [2, 3, 4, 8].contains(second) && first < second
    return (
      Dated(
        found.value.moment.start.date, isWeak: sign == "-" || !isTight || isFraction,
        isYearOpen: true), found.end
    )
  }

  private func threeNumbers(_ index: Int, _ first: Int, _ second: Int) -> Found<Dated>? {
    let third = tokens[index + 4].value
    let end = index + 5
    if digits(index) == 4 { return dated(third, second, year: first, end: end) }
    guard digits(index) <= 2, digits(index + 2) <= 2, [2, 4].contains(digits(index + 4)) else {
      return nil
    }
    let year = digits(index + 4) == 4 ? third : fullYear(third)
    return dated(dayFirst ? first : second, dayFirst ? second : first, year: year, end: end)
  }

  private func monthOf(_ year: Int, _ month: Int, end: Int) -> Found<Dated>? {
    CivilDate(year: year, month: month, day: 1).map {
      (Dated(LocalMoment($0.at(.midnight), .month)), end)
    }
  }

  /// `10 31 1974`.
  private func plainNumberDate(_ index: Int) -> Found<Dated>? {
    guard (1...2).contains(digits(index)), (1...2).contains(digits(index + 1)),
      let year = year(index + 2), !isAdjacent(index + 1), !isAdjacent(index + 2)
    else { return nil }
    let (first, second) = (tokens[index].value, tokens[index + 1].value)
    return dated(
      dayFirst ? first : second, dayFirst ? second : first, year: year.value, end: year.end)
  }

  /// `the 15th`, `on the first`: the next one from today on.
  private func dayOfMonth(_ index: Int) -> Found<Dated>? {
    guard keyword(index - 1) == .the, let day = ordinal(index), (1...31).contains(day.value),
      isNumber(index) || keyword(index - 2) == .on
    else { return nil }
    // "the first thing", "the 2nd floor".
    if keyword(index - 2) != .on || !isNumber(index), tokens.indices.contains(day.end),
      tokens[day.end].kind == .word,
      keyword(day.end) == .none, lexeme(day.end).month == 0
    {
      return nil
    }
    let end = lexeme(day.end).unit == .day ? day.end + 1 : day.end
    if keyword(end) == .of || lexeme(end).unit != nil || lexeme(end).weekday > 0 { return nil }
    for months in 0...12 {
      let month = today.adding(days: 1 - today.day).adding(months: months)
      if let date = CivilDate(year: month.year, month: month.month, day: day.value), date >= today {
        return (Dated(date), end)
      }
    }
    return nil
  }
}

extension LocalMoment {
  /// The same days of another year.
  func moved(toYear year: Int) -> LocalMoment {
    var moved = self
    let months = (year - start.date.year) * 12
    moved.start = start.date.adding(months: months).at(start.time)
    moved.due = due.date.adding(months: months).at(due.time)
    moved.end = end.map { $0.date.adding(months: months).at($0.time) }
    return moved
  }
}
