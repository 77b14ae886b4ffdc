import KithTime

/// A recurrence as it was said, before times of the day and an end are joined to it.
struct SaidRecurrence: Sendable, Hashable {
  var rule: RecurrenceRule
  /// Times of the day that the words name: meals, mornings, "twice a day".
  var hours: [Int] = []
  /// The part of the day that was said with it: "every night at 9".
  var part: DayPart?
  /// "Weekly" says how often, "once a week" only when a day is said too.
  var needsDay = false
  /// Meals, without "every": a time only where nothing else says one.
  var isMeal = false

  /// Whether it says which days of its periods.
  var saysDays: Bool {
    !(rule.weekdays.isEmpty && rule.monthDays.isEmpty && rule.yearDays.isEmpty
      && rule.weekNumbers.isEmpty)
  }

  init(_ frequency: RecurrenceRule.Frequency, interval: Int = 1) {
    rule = RecurrenceRule(frequency, interval: interval)
  }
}

extension Parser {
  /// `every other tuesday`, `daily`, `weekdays`, `twice a day`, `the last friday of each month`,
  /// `with meals`.
  func recurrence(_ index: Int) -> Found<SaidRecurrence>? {
    guard mayBeginRecurrence(index),
      let found = everyOrdinal(index) ?? every(index) ?? adverb(index) ?? timesPer(index)
        ?? pluralDays(index) ?? ofEvery(index) ?? meals(index)
    else { return nil }
    return withDays(found)
  }

  /// Whether it is worth looking: most words of a text begin no recurrence.
  private func mayBeginRecurrence(_ index: Int) -> Bool {
    let word = lexeme(index)
    switch word.keyword {
    case .none: return word.weekday > 0 || word.ordinal > 0 || word.number >= 0 || isNumber(index)
    case .every, .once, .twice, .thrice, .daily, .everyday, .weekly, .monthly, .yearly, .hourly,
      .nightly, .biweekly, .with, .after, .before, .at, .on, .the, .last, .beginning, .start, .end,
      .weekdays, .weekend, .few,
      .couple, .a:
      return true
    default: return false
    }
  }

  // MARK: Every

  /// `every 2 weeks`, `each day`, `every mon and fri`, `every morning`, `every july 4th`.
  private func every(_ index: Int) -> Found<SaidRecurrence>? {
    guard keyword(index) == .every else { return nil }
    var interval = 1
    var next = index + 1
    if keyword(next) == .other {
      interval = 2
      next += 1
    } else if keyword(next) != .few, let count = ordinal(next) ?? number(next), !isUnitSecond(next)
    {
      interval = count.value
      next = count.end
    } else if let half = after(.half, at: next) {
      guard lexeme(keyword(half) == .a ? half + 1 : half).unit == .hour else { return nil }
      return (SaidRecurrence(.minutely, interval: 30), keyword(half) == .a ? half + 2 : half + 1)
    }
    guard (1...100_000).contains(interval) else { return nil }
    if keyword(next) == .weekdays || lexeme(next).weekday > 0 || weekendWord(next) != nil,
      let days = weekdayList(next)
    {
      var said = SaidRecurrence(.weekly, interval: interval)
      said.rule.weekdays = days.value.map { RecurrenceRule.WeekdayNumber($0) }
      return (said, days.end)
    }
    if let unit = unit(next, afterNumber: interval > 1), let said = Self.said(unit.value, interval)
    {
      return (said, unit.end)
    }
    if keyword(next) == .meal { return meal(next + 1) }
    if interval == 1, let part = dayPart(next) {
      var said = SaidRecurrence(.daily)
      said.hours = [part.value.part.due.hour]
      said.part = part.value.part
      return (said, part.end)
    }
    if interval == 1, let month = month(next) {
      var said = SaidRecurrence(.yearly)
      said.rule.months = [month.value]
      var after = skipping([.on, .the], from: month.end)
      if lexeme(after).unit == .day { after += 1 }
      guard let days = dayNumbers(after) else { return nil }
      said.rule.monthDays = days.value
      return (said, days.end)
    }
    return nil
  }

  /// Whether this is the unit second and not the ordinal: `every second`, but `every second day`.
  private func isUnitSecond(_ index: Int) -> Bool {
    guard lexeme(index).unit == .second, lexeme(index).ordinal == 2 else { return false }
    let next = lexeme(index + 1)
    return next.unit == nil && next.weekday == 0 && keyword(index + 1) != .weekend
      && keyword(index + 1) != .of
  }

  private static func said(_ unit: Grain, _ count: Int) -> SaidRecurrence? {
    switch unit {
    case .second: SaidRecurrence(.secondly, interval: count)
    case .minute: SaidRecurrence(.minutely, interval: count)
    case .hour: SaidRecurrence(.hourly, interval: count)
    case .day: SaidRecurrence(.daily, interval: count)
    case .week: SaidRecurrence(.weekly, interval: count)
    case .month: SaidRecurrence(.monthly, interval: count)
    case .quarter: SaidRecurrence(.monthly, interval: count * 3)
    case .year: SaidRecurrence(.yearly, interval: count)
    }
  }

  // MARK: Words of their own

  private func adverb(_ index: Int) -> Found<SaidRecurrence>? {
    // "bi-weekly" is twice or half as often; "twice weekly" does not say when.
    if isSign(index - 1, "-") { return nil }
    if index > 0, KeywordSet([.once, .twice, .thrice, .times, .x]).contains(keyword(index - 1)) {
      return nil
    }
    return switch keyword(index) {
    case .daily, .everyday: (SaidRecurrence(.daily), index + 1)
    case .weekly: (SaidRecurrence(.weekly), index + 1)
    case .biweekly: (SaidRecurrence(.weekly, interval: 2), index + 1)
    case .monthly: (SaidRecurrence(.monthly), index + 1)
    case .yearly: (SaidRecurrence(.yearly), index + 1)
    case .hourly: (SaidRecurrence(.hourly), index + 1)
    case .nightly:
      {
        var said = SaidRecurrence(.daily)
        said.hours = [DayPart.night.due.hour]
        said.part = .night
        return (said, index + 1)
      }()
    default: nil
    }
  }

  /// `twice a day`, `3 times per day`, `once a week`: of a day they say when, of longer ones a day
  /// must be said.
  private func timesPer(_ index: Int) -> Found<SaidRecurrence>? {
    guard let count = howOften(index) else { return nil }
    var next = count.end
    if keyword(next) == .daily {
      next += 1
    } else {
      guard KeywordSet([.a, .per, .every]).contains(keyword(next)),
        let unit = unit(next + 1, afterNumber: false)
      else { return nil }
      if unit.value != .day {
        guard count.value == 1, unit.value > .day, var said = Self.said(unit.value, 1) else {
          return nil
        }
        said.needsDay = true
        return (said, unit.end)
      }
      next = unit.end
    }
    var said = SaidRecurrence(.daily)
    let withMeals = keyword(next) == .with && keyword(next + 1) == .meal
    switch count.value {
    case 1: said.hours = []
    // Milo: twice a day is 08 and 20; with meals, breakfast and dinner.
    case 2: said.hours = withMeals ? [8, 18] : [8, 20]
    case 3: said.hours = withMeals ? [8, 12, 18] : [8, 14, 20]
    case 4: said.hours = [8, 12, 16, 20]
    default: return nil
    }
    return (said, withMeals ? next + 2 : next)
  }

  /// `once`, `twice`, `three times`, `3x`.
  func howOften(_ index: Int) -> Found<Int>? {
    switch keyword(index) {
    case .once: return (1, index + 1)
    case .twice: return (2, index + 1)
    case .thrice: return (3, index + 1)
    default:
      guard let count = number(index), (1...100_000).contains(count.value) else { return nil }
      if keyword(count.end) == .times { return (count.value, count.end + 1) }
      return keyword(count.end) == .x && isNumber(index) ? (count.value, count.end + 1) : nil
    }
  }

  /// `with meals`, `with every meal`: breakfast, lunch and dinner.
  private func meals(_ index: Int) -> Found<SaidRecurrence>? {
    guard KeywordSet([.with, .at, .after, .before]).contains(keyword(index)) else { return nil }
    let next = keyword(index + 1) == .every ? index + 2 : index + 1
    return keyword(next) == .meal && (next > index + 1 || keyword(index) != .at)
      ? meal(next + 1) : nil
  }

  private func meal(_ end: Int) -> Found<SaidRecurrence>? {
    var said = SaidRecurrence(.daily)
    said.hours = [DayPart.breakfast.due.hour, DayPart.lunch.due.hour, DayPart.dinner.due.hour]
    return (said, end)
  }

  /// `tuesdays and thursdays`, `weekends`, `on weekdays`, `sunday nights`: the plural says that
  /// there are many.
  private func pluralDays(_ index: Int) -> Found<SaidRecurrence>? {
    let start = keyword(index) == .on ? index + 1 : index
    if let days = weekdayList(start), lexeme(days.end).plural, let part = dayPart(days.end) {
      var said = SaidRecurrence(.weekly)
      said.rule.weekdays = days.value.map { RecurrenceRule.WeekdayNumber($0) }
      said.hours = [part.value.part.due.hour]
      said.part = part.value.part
      return (said, part.end)
    }
    guard lexeme(start).plural && !tokens[start].isPossessive || keyword(start) == .weekdays,
      lexeme(start).weekday > 0 || keyword(start) == .weekdays || weekendWord(start) != nil,
      !lexeme(start).isWeak || start > index || tokens.count == 1, text(start) != "weekday",
      !(number(start - 1) != nil && start == index),
      let days = weekdayList(start)
    else { return nil }
    var said = SaidRecurrence(.weekly)
    said.rule.weekdays = days.value.map { RecurrenceRule.WeekdayNumber($0) }
    return (said, days.end)
  }

  /// `mon and fri`, `monday, tuesday & friday`, `mon-wed`, `saturdays through tuesdays`,
  /// `weekends`.
  func weekdayList(_ index: Int) -> Found<[Weekday]>? {
    guard var (days, end) = weekdays(index) else { return nil }
    while true {
      if days.count == 1 || isSign(end, "-") || KeywordSet([.through, .to]).contains(keyword(end)) {
        let next = end + 1
        if isSign(end, "-") || KeywordSet([.through, .to]).contains(keyword(end)),
          let to = weekdays(next), to.value.count == 1, let from = days.last
        {
          days.removeLast()
          let count = to.value[0].days(after: from)
          for step in 0...count { days.append(weekday((from.rawValue - 1 + step) % 7 + 1)) }
          end = to.end
          continue
        }
      }
      let next = skipping([.and, .on], from: skippingComma(end))
      guard next > end || isSign(end, "/"), let more = weekdays(isSign(end, "/") ? end + 1 : next)
      else { break }
      days += more.value
      end = more.end
    }
    var seen: Set<Weekday> = []
    return (days.filter { seen.insert($0).inserted }, end)
  }

  private func weekdays(_ index: Int) -> Found<[Weekday]>? {
    if lexeme(index).weekday > 0 {
      let end = isSign(index + 1, ".") && isAdjacent(index + 1) ? index + 2 : index + 1
      return ([weekday(lexeme(index).weekday)], end)
    }
    if keyword(index) == .weekdays {
      return ([.monday, .tuesday, .wednesday, .thursday, .friday], index + 1)
    }
    return weekendWord(index).map { ([.saturday, .sunday], $0) }
  }

  /// `20 and 30`, `4th and 10th`, `1, 15`.
  func dayNumbers(_ index: Int) -> Found<[Int]>? {
    guard let first = monthDay(index), !isSign(first.end, ":") else { return nil }
    var days = [first.value]
    var end = first.end
    while true {
      let next = skipping([.and, .the], from: skippingComma(end))
      guard next > end, let day = monthDay(next), !isSign(day.end, ":"), meridiem(day.end) == nil,
        unit(day.end) == nil || lexeme(day.end).unit == .day
      else { return (days, end) }
      days.append(day.value)
      end = day.end
    }
  }

  // MARK: The nth

  /// `first and third friday and second tuesday`, `2nd to the last`, `last day`, `beginning`.
  private struct CountedDays {
    var weekdays: [RecurrenceRule.WeekdayNumber] = []
    var days: [Int] = []
    var setPositions: [Int] = []
  }

  private func countedDays(_ index: Int) -> Found<CountedDays>? {
    switch keyword(index) {
    case .beginning, .start: return (CountedDays(days: [1]), index + 1)
    case .end: return (CountedDays(days: [-1]), index + 1)
    default: break
    }
    var counted = CountedDays()
    var end = index
    repeat {
      let start = end == index ? index : skipping([.and, .the], from: skippingComma(end))
      guard end == index || start > end, let group = countedGroup(start) else { break }
      counted.weekdays += group.value.weekdays
      counted.days += group.value.days
      counted.setPositions += group.value.setPositions
      end = group.end
    } while true
    return end > index ? (counted, end) : nil
  }

  private func countedGroup(_ index: Int) -> Found<CountedDays>? {
    guard let first = position(index) else { return nil }
    var positions = [first.value]
    var end = first.end
    while true {
      let next = skipping([.and, .the], from: skippingComma(end))
      guard next > end, let more = position(next) else { break }
      positions.append(more.value)
      end = more.end
    }
    if keyword(end) == .instance, keyword(end + 1) == .of, let days = weekdayList(end + 2) {
      let weekdays = days.value.map { RecurrenceRule.WeekdayNumber($0) }
      return (CountedDays(weekdays: weekdays, setPositions: positions), days.end)
    }
    if let days = weekdays(end), days.value.count == 1 {
      let weekdays = positions.map { RecurrenceRule.WeekdayNumber(days.value[0], number: $0) }
      return (CountedDays(weekdays: weekdays), days.end)
    }
    if keyword(end) == .weekdays {
      let weekdays = [Weekday.monday, .tuesday, .wednesday, .thursday, .friday]
        .map { RecurrenceRule.WeekdayNumber($0) }
      return (CountedDays(weekdays: weekdays, setPositions: positions), end + 1)
    }
    if lexeme(end).unit == .day { end += 1 }
    return (CountedDays(days: positions), end)
  }

  /// `every first friday of the month`, `every 4th and 10th of the month`,
  /// `every fourth thursday in november`.
  private func everyOrdinal(_ index: Int) -> Found<SaidRecurrence>? {
    guard keyword(index) == .every, let counted = countedDays(index + 1),
      KeywordSet([.of, .in]).contains(keyword(counted.end))
    else { return nil }
    let next = skipping([.the], from: counted.end + 1)
    if let month = month(next) { return yearly(counted.value, month: month) }
    guard let unit = unit(next, afterNumber: false), next > counted.end + 1 || unit.value == .month
    else { return nil }
    return repeated(counted.value, unit.value, interval: 1, end: unit.end)
  }

  /// `the 4th of every other month`, `first friday of each month`, `end of each month`,
  /// `31st of every year`.
  private func ofEvery(_ index: Int) -> Found<SaidRecurrence>? {
    let start = skipping([.on, .the, .at], from: index)
    guard let counted = countedDays(start), KeywordSet([.of, .in]).contains(keyword(counted.end)),
      keyword(counted.end + 1) == .every
    else { return nil }
    var next = counted.end + 2
    var interval = 1
    if keyword(next) == .other {
      interval = 2
      next += 1
    } else if let count = ordinal(next) ?? number(next) {
      interval = count.value
      next = count.end
    }
    if let month = month(next), interval == 1 { return yearly(counted.value, month: month) }
    guard let unit = unit(next, afterNumber: false), (1...10_000).contains(interval) else {
      return nil
    }
    return repeated(counted.value, unit.value, interval: interval, end: unit.end)
  }

  private func yearly(_ counted: CountedDays, month: Found<Int>) -> Found<SaidRecurrence>? {
    var said = SaidRecurrence(.yearly)
    said.rule.months = [month.value]
    guard place(counted, in: &said.rule) else { return nil }
    return (said, month.end)
  }

  private func repeated(
    _ counted: CountedDays, _ unit: Grain, interval: Int, end: Int
  ) -> Found<SaidRecurrence>? {
    guard unit == .month || unit == .year, var said = Self.said(unit, interval) else { return nil }
    guard place(counted, in: &said.rule) else { return nil }
    return (said, end)
  }

  /// Puts counted days where the rule has them: days of the month, of the year, or of a week that
  /// begins on Sunday, as people count who say "the 4th day of the week".
  private func place(_ counted: CountedDays, in rule: inout RecurrenceRule) -> Bool {
    rule.weekdays += counted.weekdays
    rule.setPositions += counted.setPositions
    if counted.days.isEmpty { return true }
    switch rule.frequency {
    case .monthly: rule.monthDays += counted.days
    case .yearly where !rule.months.isEmpty: rule.monthDays += counted.days
    case .yearly: rule.yearDays += counted.days
    case .weekly:
      guard counted.days.allSatisfy({ (1...7).contains($0) }) else { return false }
      rule.weekdays += counted.days.map { .init(weekday(($0 + 5) % 7 + 1)) }
    default: return false
    }
    let range = rule.frequency == .yearly && rule.months.isEmpty ? 366 : 31
    return counted.days.allSatisfy { (1...range).contains(abs($0)) }
  }

  // MARK: Which days

  /// What follows and says which days: `on wednesdays and fridays`, `on the 4th`,
  /// `on december 25th`, `in week 12`.
  private func withDays(_ found: Found<SaidRecurrence>) -> Found<SaidRecurrence> {
    var said = found.value
    var end = found.end
    guard said.rule.frequency >= .weekly else { return found }
    while let next = days(end, into: &said) { end = next }
    return (said, end)
  }

  private func days(_ index: Int, into said: inout SaidRecurrence) -> Int? {
    let start = skipping([.on, .in, .at, .the, .during], from: skippingComma(index))
    guard start > index else { return nil }
    if text(start) == "week", let weeks = dayOrWeekNumbers(start + 1, upTo: 53) {
      guard said.rule.weekNumbers.isEmpty else { return nil }
      if said.rule.frequency == .weekly { said.rule.frequency = .yearly }
      guard said.rule.frequency == .yearly else { return nil }
      said.rule.weekNumbers = weeks.value
      said.needsDay = false
      return weeks.end
    }
    guard said.rule.weekdays.isEmpty, said.rule.monthDays.isEmpty, said.rule.yearDays.isEmpty
    else { return nil }
    if said.rule.frequency == .yearly, let month = month(start), said.rule.months.isEmpty,
      let days = dayNumbers(skipping([.the], from: month.end))
    {
      said.rule.months = [month.value]
      said.rule.monthDays = days.value
      said.needsDay = false
      return days.end
    }
    if lexeme(start).unit == .day, let days = dayOrWeekNumbers(start + 1, upTo: 366),
      place(CountedDays(days: days.value), in: &said.rule)
    {
      said.needsDay = false
      return days.end
    }
    if let counted = countedDays(start) {
      var rule = said.rule
      var end = counted.end
      if rule.frequency == .yearly, KeywordSet([.in, .of]).contains(keyword(end)),
        let month = month(end + 1)
      {
        rule.months = [month.value]
        end = month.end
      } else if KeywordSet([.of, .in]).contains(keyword(end)) {
        guard let noun = after(.the, at: end + 1), let unit = unit(noun, afterNumber: false),
          Self.said(unit.value, 1)?.rule.frequency == rule.frequency
        else { return nil }
        end = unit.end
      }
      if place(counted.value, in: &rule) {
        said.rule = rule
        said.needsDay = false
        return end
      }
    }
    if let days = weekdayList(start) {
      said.rule.weekdays = days.value.map { .init($0) }
      said.needsDay = false
      return days.end
    }
    return nil
  }

  private func dayOrWeekNumbers(_ index: Int, upTo limit: Int) -> Found<[Int]>? {
    guard let first = number(index), (1...limit).contains(first.value) else { return nil }
    var values = [first.value]
    var end = first.end
    while let next = after(.and, at: end), let more = number(next),
      (1...limit).contains(more.value)
    {
      values.append(more.value)
      end = more.end
    }
    return (values, end)
  }
}
