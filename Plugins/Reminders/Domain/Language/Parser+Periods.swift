import KithTime

/// Weeks, months, quarters, years and weekends, their beginnings and ends, and what is counted
/// within them.
extension Parser {
  /// `next week`, `this month`, `third quarter 2018`, `2018Q4`, `in 2014`, `this weekend`,
  /// `next 3 days`.
  func period(_ index: Int) -> Found<Dated>? {
    let start = skipping([.the, .approximately], from: index)
    return weekend(start) ?? cycle(start) ?? quarter(start) ?? yearAlone(start)
  }

  /// The calendar's period of now, and so many further on.
  func cycle(_ unit: Grain, _ count: Int) -> LocalMoment {
    LocalMoment(now.cut(to: unit).adding(count, unit), unit)
  }

  private func cycle(_ index: Int) -> Found<Dated>? {
    if let unit = unit(index, afterNumber: false), unit.value >= .week,
      let next = after(.after, .next, at: unit.end)
    {
      return (Dated(cycle(unit.value, 2)), next)
    }
    var (word, next) = (keyword(index), index + 1)
    var upcoming: Found<Int>?
    if word != .coming, let count = number(index), keyword(count.end) == .coming {
      upcoming = count
      (word, next) = (.coming, count.end + 1)
    }
    if word == .this, KeywordSet([.past, .coming]).contains(keyword(next)) {
      word = keyword(next)
      next += 1
    }
    let count: Int
    switch word {
    case .this, .current: count = 0
    case .next, .coming, .following: count = 1
    case .last, .past: count = -1
    default: return nil
    }
    if word == .coming, let several = upcoming ?? number(next) {
      guard let unit = unit(upcoming == nil ? several.end : next, afterNumber: false) else {
        return nil
      }
      return (Dated(cycle(unit.value, several.value)), unit.end)
    }
    if let several = number(next), let unit = unit(several.end, afterNumber: false), count != 0 {
      return (Dated(row(of: several.value, unit.value, count)), unit.end)
    }
    guard let unit = unit(next, afterNumber: false), unit.value >= .day,
      !lexeme(next).plural
    else { return nil }
    return (Dated(cycle(unit.value, count), isWeak: unit.value == .year), unit.end)
  }

  /// `next 3 days`, `last two weeks`: whole ones, not the one that runs.
  private func row(of count: Int, _ unit: Grain, _ direction: Int) -> LocalMoment {
    let current = now.cut(to: unit)
    let bounded = min(max(count, 1), 10_000)
    let first = direction > 0 ? current.adding(1, unit) : current.adding(-bounded, unit)
    return LocalMoment(first, unit, end: first.adding(bounded, unit), shape: .interval)
  }

  private func quarter(_ index: Int) -> Found<Dated>? {
    var number: Int?
    var next = index
    var year = today.year
    if let count = ordinal(index), lexeme(count.end).unit == .quarter {
      number = count.value
      next = count.end + 1
      if let found = self.year(keyword(next) == .of ? next + 1 : next) {
        year = found.value
        next = found.end
      }
    } else if isNumber(index), keyword(index + 1) == .q, digits(index + 2) == 1 {
      number = tokens[index + 2].value
      year = digits(index) == 2 ? 2000 + tokens[index].value : tokens[index].value
      next = index + 3
    }
    guard let number, (1...4).contains(number),
      let first = CivilDate(year: year, month: number * 3 - 2, day: 1)
    else { return nil }
    return (Dated(LocalMoment(first.at(.midnight), .quarter)), next)
  }

  /// A year behind a preposition: `in 2014`, `in 14 a.d.`.
  private func yearAlone(_ index: Int) -> Found<Dated>? {
    guard
      KeywordSet([.in, .since, .of, .through, .after, .before, .until, .during]).contains(
        keyword(index - 1)),
      isNumber(index), tokens[index].value > 0
    else { return nil }
    let (next, era) = self.era(index + 1)
    if era == .bc { return nil }
    guard era == .ad || year(index) != nil,
      let first = CivilDate(year: tokens[index].value, month: 1, day: 1)
    else { return nil }
    return (Dated(LocalMoment(first.at(.midnight), .year), isWeak: true), next)
  }

  /// `AD`, `a.d.`, `BC`.
  private func era(_ index: Int) -> (end: Int, era: Keyword) {
    if KeywordSet([.ad, .bc]).contains(keyword(index)) { return (index + 1, keyword(index)) }
    guard isSign(index + 1, "."), isAdjacent(index + 1), isAdjacent(index + 2),
      tokens.indices.contains(index + 2), tokens[index].range.count == 1,
      tokens[index + 2].range.count == 1
    else { return (index, .none) }
    let end = isSign(index + 3, ".") ? index + 4 : index + 3
    return (end, keyword(index) == .a ? .ad : .bc)
  }

  /// `this weekend`, `this past weekend`: from Friday 18:00 to Monday.
  private func weekend(_ index: Int) -> Found<Dated>? {
    var next = index
    var weeks = 0
    if keyword(next) == .this { next += 1 }
    switch keyword(next) {
    case .past, .last: weeks = -1
    case .next, .following: weeks = 1
    case .coming, .weekend: weeks = 0
    default: if lexeme(next).unit != .week { return nil }
    }
    if keyword(next) != .weekend, lexeme(next).unit != .week { next += 1 }
    guard let end = weekendWord(next), next > index || keyword(index - 1) == .the else {
      return nil
    }
    let monday = now.cut(to: .week).date.adding(days: 7 * weeks)
    return (Dated(weekend(friday: monday.adding(days: 4))), end)
  }

  func weekend(friday: CivilDate) -> LocalMoment {
    let hour = CivilTime(secondOfDay: 18 * 3600)
    return LocalMoment(
      friday.at(hour), .hour, due: friday.adding(days: 1).at(DayPart.morning.due),
      end: friday.adding(days: 3).at(.midnight), shape: .interval)
  }

  /// `weekend`, `week-end`, `week end`.
  func weekendWord(_ index: Int) -> Int? {
    if keyword(index) == .weekend { return index + 1 }
    guard lexeme(index).unit == .week else { return nil }
    let next = isSign(index + 1, "-") ? index + 2 : index + 1
    return keyword(next) == .end ? next + 1 : nil
  }

  // MARK: Beginnings and ends

  /// `end of the month`, `EOM`, `beginning of next week`, `early March`, `rest of the week`,
  /// `the week of october 6th`.
  func boundary(_ index: Int) -> Found<Dated>? {
    switch keyword(index) {
    case .eom: return (Dated(part(of: cycle(.month, 0), .end)), index + 1)
    case .bom: return (Dated(part(of: cycle(.month, 0), .beginning)), index + 1)
    case .eoy: return (Dated(part(of: cycle(.year, 0), .end)), index + 1)
    case .boy where keyword(index - 1) == .the || tokens.count == 1:
      return (Dated(part(of: cycle(.year, 0), .beginning)), index + 1)
    case .eod: return (Dated(interval(today, today)), index + 1)
    case .all where lexeme(index + 1).unit == .week:
      return (Dated(untilSunday(from: now.cut(to: .week).date)), index + 2)
    case .rest:
      guard let next = after(.rest, .of, at: index) else { return nil }
      let noun = skipping([.the, .this], from: next)
      return lexeme(noun).unit == .week ? (Dated(untilSunday(from: today)), noun + 1) : nil
    case .early, .mid, .late:
      guard let month = month(index + 1) else { return nil }
      let first = firstOf(month.value, from: today.adding(days: 1 - today.day))
      return (Dated(part(of: LocalMoment(first.at(.midnight), .month), keyword(index))), month.end)
    case .beginning, .start, .end:
      return beginningOrEnd(index)
    default:
      // The week of a day.
      guard lexeme(index).unit == .week, keyword(index - 1) == .the, keyword(index + 1) == .of,
        let day = date(index + 2), day.value.moment.grain == .day
      else { return nil }
      let monday = day.value.moment.start.cut(to: .week)
      // A week that the day ends is not the week that begins behind it.
      return (
        Dated(
          LocalMoment(
            day.value.moment.start.date.weekday == .sunday ? monday.adding(7, .day) : monday, .week)
        ),
        day.end
      )
    }
  }

  private func beginningOrEnd(_ index: Int) -> Found<Dated>? {
    guard keyword(index + 1) == .of else { return nil }
    var next = index + 2
    let which: Keyword = keyword(index) == .end ? .end : .beginning
    next = skipping([.the, .approximately], from: next)
    if let unit = unit(next, afterNumber: false), [.week, .month, .year, .day].contains(unit.value)
    {
      let current = cycle(unit.value, 0)
      return (Dated(unit.value == .day ? current : part(of: current, which)), unit.end)
    }
    guard let base = period(next) ?? container(next) ?? date(next),
      base.value.moment.end == nil, base.value.moment.grain > .day
    else { return nil }
    return (Dated(part(of: base.value.moment, which)), base.end)
  }

  private func untilSunday(from day: CivilDate) -> LocalMoment {
    let sunday = now.cut(to: .week).date.adding(days: 6)
    return LocalMoment(
      day.at(.midnight), .day, end: max(sunday, day).at(.midnight), shape: .interval)
  }

  /// A third of a month, four months of a year, the first or last three days of a week: as duckling
  /// divides them.
  private func part(of whole: LocalMoment, _ which: Keyword) -> LocalMoment {
    let first = whole.start
    let next = first.adding(1, whole.grain)
    let (start, end): (CivilDateTime, CivilDateTime)
    switch (whole.grain, which) {
    case (.month, .beginning), (.month, .early): (start, end) = (first, first.adding(10, .day))
    case (.month, .mid): (start, end) = (first.adding(10, .day), first.adding(20, .day))
    case (.month, _): (start, end) = (first.adding(20, .day), next)
    case (.year, .beginning): (start, end) = (first, first.adding(3, .month))
    case (.year, _): (start, end) = (first.adding(8, .month), next)
    case (.week, .beginning): (start, end) = (first, first.adding(3, .day))
    case (.week, _): (start, end) = (next.adding(-3, .day), next)
    default: (start, end) = (first, next)
    }
    // What is due "at the end" is due on the last day of it.
    let due = which == .end ? end.adding(-1, .day) : start
    return LocalMoment(
      start, whole.grain == .year ? .month : .day, due: due.date.at(DayPart.morning.due), end: end,
      shape: .interval)
  }

  // MARK: Counted

  /// What an ordinal counts in: `october 2014`, `next month`, `this month`, `the month`, `2018`.
  func container(_ index: Int) -> Found<Dated>? {
    var start = skipping([.the], from: index)
    if let unit = unit(start, afterNumber: false), [.month, .year, .week].contains(unit.value),
      !lexeme(start).plural
    {
      return (Dated(cycle(unit.value, 0)), unit.end)
    }
    if let year = year(start) {
      return CivilDate(year: year.value, month: 1, day: 1).map {
        (Dated(LocalMoment($0.at(.midnight), .year)), year.end)
      }
    }
    if let period = period(start), period.value.moment.end == nil { return period }
    if KeywordSet([.this, .next, .last]).contains(keyword(start)), month(start + 1) == nil {
      return nil
    }
    if keyword(start) == .this { start += 1 }
    guard let month = month(start) else { return nil }
    let link =
      KeywordSet([.of, .in]).contains(keyword(month.end)) ? month.end + 1 : skippingComma(month.end)
    if let year = year(link), let first = CivilDate(year: year.value, month: month.value, day: 1) {
      return (Dated(LocalMoment(first.at(.midnight), .month)), year.end)
    }
    let first = firstOf(month.value, from: today.adding(days: 1 - today.day))
    return (Dated(LocalMoment(first.at(.midnight), .month), isYearOpen: true), month.end)
  }

  /// From the end: `last`, `third last`, `2nd to the last`; from the start: `first`, `2nd`.
  func position(_ index: Int) -> Found<Int>? {
    if keyword(index) == .last { return (-1, index + 1) }
    guard let count = ordinal(index) else { return nil }
    if keyword(count.end) == .last { return (-count.value, count.end + 1) }
    let toLast = after(.to, .the, .last, at: count.end) ?? after(.to, .last, at: count.end)
    return toLast.map { (-count.value, $0) } ?? count
  }

  /// `last friday of october`, `first week of october 2014`, `third last week of 2018`,
  /// `20th of next month`, `40th day of 2020`, `last weekend of July`,
  /// `the second closest monday to Oct 5th`.
  func ordinalOf(_ index: Int) -> Found<Dated>? {
    if let closest = closestWeekday(index) { return closest }
    guard let position = position(index) ?? bareDay(index) else { return nil }
    let noun = position.end
    let weekday = lexeme(noun).weekday
    var end: Int
    if weekday > 0 || [.day, .week].contains(lexeme(noun).unit), !lexeme(noun).plural {
      end = weekendWord(noun) ?? noun + 1
      if weekday > 0, isSign(end, "."), isAdjacent(end) { end += 1 }
    } else if let word = weekendWord(noun) {
      end = word
    } else if position.value > 0 {
      end = noun
    } else {
      return nil
    }
    guard KeywordSet([.of, .in]).contains(keyword(end)), let whole = container(end + 1) else {
      return dayOfThisYear(position, end: end)
    }
    let isDay = end == noun || lexeme(noun).unit == .day
    // "3rd of march" is read where years are looked for.
    if isDay, whole.value.moment.grain == .month, month(skipping([.the], from: end + 1)) != nil,
      position.value > 0
    {
      return nil
    }
    guard let found = nth(position.value, noun, isDay: isDay, in: whole.value.moment) else {
      return nil
    }
    if whole.value.isYearOpen, found.start.date < today,
      let later = nth(
        position.value, noun, isDay: isDay, in: whole.value.moment.moved(toYear: today.year + 1))
    {
      return (Dated(later), whole.end)
    }
    return (Dated(found), whole.end)
  }

  /// `20 of next month`.
  private func bareDay(_ index: Int) -> Found<Int>? {
    guard let day = monthDay(index), keyword(day.end) == .of else { return nil }
    let next = skipping([.the], from: day.end + 1)
    return KeywordSet([.next, .this, .last, .current, .past]).contains(keyword(next)) ? day : nil
  }

  /// `35th day`, by itself: of this year.
  private func dayOfThisYear(_ position: Found<Int>, end: Int) -> Found<Dated>? {
    guard lexeme(position.end).unit == .day, position.value > 31, !lexeme(position.end).plural,
      let found = nth(position.value, position.end, isDay: true, in: cycle(.year, 0))
    else { return nil }
    return (Dated(found), end)
  }

  private func nth(_ position: Int, _ noun: Int, isDay: Bool, in whole: LocalMoment) -> LocalMoment?
  {
    let first = whole.start.date
    let next = whole.start.adding(1, whole.grain).date
    if isDay {
      let day = position > 0 ? first.adding(days: position - 1) : next.adding(days: position)
      return first <= day && day < next ? LocalMoment(day.at(.midnight), .day) : nil
    }
    if lexeme(noun).weekday > 0 {
      let weekday = weekday(lexeme(noun).weekday)
      let day = nthWeekday(position, weekday, from: first, to: next)
      return first <= day && day < next ? LocalMoment(day.at(.midnight), .day) : nil
    }
    if weekendWord(noun) != nil {
      let friday = nthWeekday(position, .friday, from: first, to: next)
      return first <= friday && friday < next ? weekend(friday: friday) : nil
    }
    // Weeks are counted by their Mondays.
    let monday =
      position > 0
      ? first.onOrAfter(.monday).adding(days: 7 * (position - 1))
      : nthWeekday(position, .monday, from: first, to: lastWeekEnd(next))
    return LocalMoment(monday.at(.midnight), .week)
  }

  /// The last week of a month is the last that ends in it or with it.
  private func lastWeekEnd(_ next: CivilDate) -> CivilDate {
    next.adding(days: -next.weekday.days(after: .monday))
  }

  func nthWeekday(
    _ position: Int, _ weekday: Weekday, from first: CivilDate, to next: CivilDate
  ) -> CivilDate {
    position > 0
      ? first.onOrAfter(weekday).adding(days: 7 * (position - 1))
      : next.adding(days: -7).onOrAfter(weekday).adding(days: 7 * (position + 1))
  }

  private func closestWeekday(_ index: Int) -> Found<Dated>? {
    let rank = ordinal(index) ?? (1, index)
    guard keyword(rank.end) == .closest, lexeme(rank.end + 1).weekday > 0,
      keyword(rank.end + 2) == .to, let base = date(rank.end + 3),
      base.value.moment.grain == .day, rank.value <= 10
    else { return nil }
    let day = base.value.moment.start.date
    let weekday = weekday(lexeme(rank.end + 1).weekday)
    let around = (-10...10).map { day.onOrAfter(weekday).adding(days: 7 * $0) }
    let sorted = around.sorted {
      (abs($0.dayNumber - day.dayNumber), $0) < (abs($1.dayNumber - day.dayNumber), $1)
    }
    return (Dated(sorted[rank.value - 1]), base.end)
  }
}
