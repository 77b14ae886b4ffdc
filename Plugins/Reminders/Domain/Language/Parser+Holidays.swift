import KithTime

extension Parser {
  /// `christmas`, `last thanksgiving`, `easter 2013`, `memorial day of last year`.
  func holiday(_ index: Int) -> Found<Dated>? {
    var start = index
    if KeywordSet([.this, .next, .last, .coming]).contains(keyword(index)) { start += 1 }
    guard let (day, end) = holidayName(start) else { return nil }
    if region != .unitedStates, Holiday.isAmerican(day) { return nil }
    if weekendWord(end) != nil { return longWeekend(day, end: end) }
    if let year = holidayYear(end) {
      return Holiday.date(of: day, in: year.value).map { (Dated($0), year.end) }
    }
    let years = (today.year - 1)...(today.year + 1)
    let days = years.compactMap { Holiday.date(of: day, in: $0) }
    if keyword(index) == .last { return days.last { $0 < today }.map { (Dated($0), end) } }
    return days.first { $0 >= today }.map { date in
      var dated = Dated(date, isYearOpen: true)
      dated.holiday = day
      return (dated, end)
    }
  }

  /// `memorial day weekend`: from Friday to the end of the Monday that it is on.
  private func longWeekend(_ day: Holiday.Day, end: Int) -> Found<Dated>? {
    let days = [today.year, today.year + 1].compactMap { Holiday.date(of: day, in: $0) }
    guard let next = weekendWord(end), let monday = days.first(where: { $0 >= today }),
      monday.weekday == .monday
    else { return nil }
    var moment = weekend(friday: monday.adding(days: -3))
    moment.end = monday.adding(days: 1).at(.midnight)
    return (Dated(moment), next)
  }

  private func holidayName(_ index: Int) -> (day: Holiday.Day, end: Int)? {
    guard lexeme(index).beginsHoliday else { return nil }
    if index > 0, Holiday.foreign.contains(tokens[index - 1].text) { return nil }
    for name in Holiday.names where name.words[0] == tokens[index].text {
      let end = index + name.words.count
      guard end <= tokens.count else { continue }
      // "Palm Sundays" and "Christmas days" are none; "new year's" is cut to "new year".
      let isSame = zip(name.words, tokens[index..<end]).allSatisfy { $0 == $1.text }
      if isSame { return (name.day, end) }
    }
    return nil
  }

  /// `2014`, `of next year`, `of this year`, `in 2018`.
  private func holidayYear(_ index: Int) -> Found<Int>? {
    let next = KeywordSet([.of, .in]).contains(keyword(index)) ? index + 1 : index
    if let year = year(next) { return year }
    guard next > index || KeywordSet([.next, .last, .this]).contains(keyword(next)),
      let found = period(next),
      found.value.moment.grain == .year, found.value.moment.end == nil
    else { return nil }
    return (found.value.moment.start.date.year, found.end)
  }
}
