import KithTime

/// Finds the parts of a phrase and joins those that belong together.
extension Parser {
  /// Words between parts that belong to neither.
  static let links: KeywordSet = [
    .at, .on, .in, .of, .for, .the, .and, .approximately, .from, .by, .with, .during, .up, .just,
    .this,
  ]

  /// All times of the text.
  func phrase() -> Phrase {
    var phrase = Phrase()
    var index = 0
    while index < tokens.count {
      if mayBegin(index), let end = part(index, &phrase), end > index {
        phrase.covered.append(index..<end)
        index = end
      } else {
        index += 1
      }
    }
    return phrase
  }

  /// Whether a part may begin here: not with a sign, nor with a word that the grammar does not
  /// know.
  private func mayBegin(_ index: Int) -> Bool {
    let token = tokens[index]
    switch token.kind {
    case .sign: return false
    case .number: return true
    case .word: return token.isKnown
    }
  }

  /// Adds the part that begins here to the phrase; nil if no part begins here, or the phrase has no
  /// place for it.
  private func part(_ index: Int, _ phrase: inout Phrase) -> Int? {
    if phrase.isEmpty, let now = presently(index) {
      phrase.moment = now.value
      phrase.isStrong = true
      return now.end
    }
    return recurrencePart(index, &phrase) ?? rangePart(index, &phrase) ?? boundPart(index, &phrase)
      ?? lengthPart(index, &phrase) ?? dayAndTime(index, &phrase)
  }

  // MARK: Recurrences and what limits them

  private func recurrencePart(_ index: Int, _ phrase: inout Phrase) -> Int? {
    if let found = recurrence(index) {
      if phrase.recurrence == nil {
        phrase.recurrence = found.value
        phrase.isStrong = true
        return found.end
      }
      // "twice a day with meals"; "every other week on weekends".
      if !found.value.hours.isEmpty, phrase.recurrence?.hours.isEmpty == true {
        phrase.recurrence?.hours = found.value.hours
        return found.end
      }
      guard phrase.recurrence?.rule.frequency == .weekly,
        phrase.recurrence?.rule.weekdays.isEmpty == true, !found.value.rule.weekdays.isEmpty,
        found.value.rule.interval == 1
      else {
        phrase.isBroken = true
        return nil
      }
      phrase.recurrence?.rule.weekdays = found.value.rule.weekdays
      return found.end
    }
    if keyword(index) == .starting || keyword(index) == .from && phrase.recurrence != nil
      || text(index) == "starts"
    {
      let start = skipping([.on, .in, .at, .from], from: index + 1)
      if let day = startDay(start), phrase.starting == nil {
        phrase.starting = day.value
        return day.end
      }
    }
    if keyword(index) == .except {
      phrase.isBroken = phrase.isBroken || phrase.recurrence == nil
      return exceptions(index, &phrase)
    }
    return countPart(index, &phrase)
  }

  private func startDay(_ index: Int) -> Found<Dated>? {
    guard let day = date(index) ?? period(index), day.value.moment.grain >= .day else { return nil }
    return day
  }

  /// `for 4 times`, `twice`, `up to 7x`.
  private func countPart(_ index: Int, _ phrase: inout Phrase) -> Int? {
    guard phrase.recurrence != nil, phrase.count == nil else { return nil }
    var next = keyword(index) == .for ? index + 1 : index
    if keyword(next) == .up, keyword(next + 1) == .to { next += 2 }
    guard let count = howOften(next), count.value > 1 || next > index else { return nil }
    phrase.count = count.value
    return count.end
  }

  /// `except on weekends`, `except tomorrow and 1/5 at 4pm`, `except in may`.
  private func exceptions(_ index: Int, _ phrase: inout Phrase) -> Int? {
    guard phrase.recurrence != nil else { return nil }
    var end = index + 1
    var isFirst = true
    while true {
      let next = skipping(
        isFirst ? [.for, .on, .in] : [.and, .on, .in, .for],
        from: isFirst ? end : skippingComma(end))
      guard isFirst || next > end else { return end }
      if lexeme(next).weekday > 0 || weekendWord(next) != nil, let days = weekdayList(next) {
        phrase.excludedWeekdays += days.value
        end = days.end
      } else if let day = date(skipping([.the], from: next)) ?? container(next),
        [.day, .month].contains(day.value.moment.grain), day.value.moment.end == nil
      {
        var clock: Clock?
        end = day.end
        if keyword(end) == .at || isNumber(end), let found = self.clock(end), !found.value.isLatent
        {
          clock = found.value
          end = found.end
        }
        phrase.exclusions.append((day.value, clock))
      } else {
        // What is left out is not understood, so nothing is.
        phrase.isBroken = phrase.isBroken || isFirst
        return isFirst ? nil : end
      }
      isFirst = false
    }
  }

  // MARK: Bounds

  /// `until friday`, `by 2pm`, `before 11 am`, `after 2014`.
  private func boundPart(_ index: Int, _ phrase: inout Phrase) -> Int? {
    let bound: Phrase.Bound
    var next = index + 1
    switch keyword(index) {
    case .until, .through: bound = .until
    case .to where phrase.recurrence != nil && phrase.starting != nil: bound = .until
    case .by: bound = .by
    case .before: bound = .before
    case .after, .since: bound = .after
    case .from where phrase.recurrence == nil: bound = .after
    default: return nil
    }
    if keyword(next) == .the, boundary(next + 1) != nil || boundary(next) != nil { next += 1 }
    if bound == .after, let span = fromNow(index), keyword(index) == .after, phrase.moment == nil {
      phrase.moment = span.value
      phrase.isStrong = true
      return span.end
    }
    if bound == .after, dayPart(index) != nil { return nil }
    if keyword(index) == .from {
      guard let clock = clock(next), !clock.value.isLatent, phrase.bound == nil,
        phrase.clocks.isEmpty
      else { return nil }
      phrase.clocks = [clock.value]
      phrase.bound = .after
      phrase.isStrong = true
      return clock.end
    }
    if phrase.recurrence != nil, bound == .until || bound == .by {
      return recurrenceEnd(next, &phrase)
    }
    guard phrase.bound == nil, phrase.date == nil, phrase.clocks.isEmpty, phrase.moment == nil
    else { return nil }
    if let clock = clock(next), !clock.value.isLatent {
      phrase.clocks = [clock.value]
      phrase.bound = bound
      phrase.isStrong = true
      return clock.end
    }
    guard let day = boundary(next) ?? date(next) ?? period(next) else { return nil }
    phrase.date = day.value
    phrase.bound = bound
    phrase.isStrong = phrase.isStrong || !day.value.isWeak || bound == .until
    return day.end
  }

  private func recurrenceEnd(_ index: Int, _ phrase: inout Phrase) -> Int? {
    guard phrase.until == nil else { return nil }
    let start = skipping([.the], from: index)
    if let day = boundary(start) ?? date(index) ?? period(start) {
      var end = day.end
      var clock: Clock?
      if keyword(end) == .at, let found = self.clock(end) {
        clock = found.value
        end = found.end
      }
      phrase.until = (day.value, clock)
      return end
    }
    guard let clock = clock(index) else { return nil }
    phrase.until = (nil, clock.value)
    return clock.end
  }

  // MARK: Lengths

  /// `for 30 minutes`, `for the next three weeks`, `for up to 2 months`.
  private func lengthPart(_ index: Int, _ phrase: inout Phrase) -> Int? {
    guard keyword(index) == .for, phrase.length == nil else { return nil }
    // "for a quarter past 3" is a time, "for 3 hours" none.
    if let clock = clock(index + 1), !clock.value.isLatent { return nil }
    var next = skipping([.the, .next, .up, .to, .all], from: index + 1)
    if keyword(next) == .approximately { next += 1 }
    if let span = span(next) {
      phrase.length = span.value
      return span.end
    }
    if next > index + 1, let unit = unit(next, afterNumber: false), !lexeme(next).plural {
      phrase.length = Span(unit.value, hundredths: 100)
      return unit.end
    }
    return nil
  }

  // MARK: Ranges

  private func rangePart(_ index: Int, _ phrase: inout Phrase) -> Int? {
    if let every = phrase.recurrence { return hoursPart(index, every, &phrase) }
    guard phrase.moment == nil else { return nil }
    if phrase.isEmpty, isNumber(index), let found = momentRange(index) {
      phrase.moment = found.value
      phrase.isStrong = true
      return found.end
    }
    if phrase.clocks.isEmpty, phrase.clockRange == nil, let found = clockRange(index) {
      phrase.clockRange = (found.value.from, found.value.to)
      phrase.isStrong = phrase.isStrong || !found.value.isWeak
      return found.end
    }
    if phrase.date == nil, isRangeOfMonths(index) {
      phrase.isBroken = true
      return nil
    }
    if phrase.date == nil, hasConnector, let found = dateRange(index) {
      phrase.moment = found.value
      phrase.isStrong = true
      return found.end
    }
    return nil
  }

  /// `every 2 hours from 9 to 5`: these hours of the wall, every day.
  private func hoursPart(_ index: Int, _ every: SaidRecurrence, _ phrase: inout Phrase) -> Int? {
    guard every.rule.frequency < .daily, let found = clockRange(index) else { return nil }
    let (from, to, _) = found.value
    let first = from.hour
    var last = to.hour
    if !to.isHalfKnown, last <= first { last += 12 }
    guard every.rule.frequency == .hourly, from.minute == to.minute, first < last, last < 24,
      from.isHalfKnown || to.isHalfKnown || last > 12 && first >= 5,
      from.isHalfKnown || !to.isHalfKnown || last <= 12 || first >= 5
    else {
      phrase.isBroken = true
      return nil
    }
    var said = SaidRecurrence(.daily)
    said.rule.weekdays = every.rule.weekdays
    phrase.recurrence = said
    phrase.clocks = stride(from: first, through: last, by: every.rule.interval).map {
      Clock(hour: $0, minute: from.minute, grain: .hour, isHalfKnown: true)
    }
    return found.end
  }

  // MARK: Days and times

  private func dayAndTime(_ index: Int, _ phrase: inout Phrase) -> Int? {
    if phrase.moment == nil, phrase.recurrence == nil, let found = fromNow(index),
      // "today in one hour" says the day for nothing.
      phrase.date.map({ found.value.grain < .hour && $0.moment.start.date == today }) ?? true
    {
      // Days and longer take a time beside them: "in 7 days at 5pm".
      if found.value.grain >= .hour, found.value.shape == .point, found.value.end == nil {
        phrase.date = Dated(found.value)
      } else if let day = phrase.dayPart?.date ?? nil, day != today {
        return nil
      } else {
        phrase.moment = found.value
      }
      // So many years from now is no time for a reminder.
      phrase.isStrong = phrase.isStrong || found.value.grain < .month
      return found.end
    }
    if let end = clockBeforeDay(index, &phrase) { return end }
    if phrase.dayPart == nil, phrase.recurrence == nil || phrase.clocks.isEmpty,
      let found = dayPart(index),
      // "lunch with Sam", "a dinner table": a meal by itself is no time.
      !(found.value.isWeak && found.value.part.isMeal)
        || phrase.covered.last?.upperBound == index || tokens.count == 1
    {
      phrase.dayPart = found.value
      phrase.isStrong = phrase.isStrong || !found.value.isWeak
      return found.end
    }
    if phrase.date == nil, phrase.moment == nil {
      let start = index
      if let found = date(start) ?? (keyword(index) == .in ? date(index + 1) : nil)
        ?? (Self.links.contains(keyword(index)) ? period(index + 1) : nil)
      {
        // "in march", but "in the sun".
        let isIn = keyword(index) == .in || keyword(index - 1) == .in
        let isSupported =
          Self.supports(keyword(index - 1)) || isIn && lexeme(found.end - 1).weekday == 0
        if !found.value.isWeak || isSupported || stands(index, found.end, in: phrase) {
          phrase.date = found.value
          phrase.isStrong =
            phrase.isStrong
            || !found.value.isWeak || isSupported && found.value.moment.grain != .year
          return found.end
        }
      }
    }
    return clockPart(index, &phrase)
  }

  /// Whether a weak day stands where a time does: at either end of the text, or beside another
  /// time.
  private func stands(_ index: Int, _ end: Int, in phrase: Phrase) -> Bool {
    // "1/2 at bedtime", "2-3 pills".
    if isSign(index + 1, "/"), isNumber(index), index > 0, end < tokens.count { return false }
    let isBehind = index == 0 || phrase.covered.last?.upperBound == index || isSign(index - 1, ",")
    return isBehind && (index > 0 || end == tokens.count || !isWord(end)) || keyword(end) == .at
      || clock(end).map { !$0.value.isLatent } == true
      || dayPart(end) != nil
  }

  /// Whether a word stands here that the grammar does not know.
  private func isWord(_ index: Int) -> Bool {
    tokens.indices.contains(index) && tokens[index].kind == .word && keyword(index) == .none
  }

  /// Words before a weak day that say it is one.
  private static func supports(_ word: Keyword) -> Bool {
    KeywordSet([.on, .by, .until, .before, .after, .since, .this, .next, .from, .during])
      .contains(word)
  }

  /// `8 tonight`, `9 tomorrow morning`, `3 in the morning`, `7 in 3 years`: a number made a time by
  /// what follows.
  private func clockBeforeDay(_ index: Int, _ phrase: inout Phrase) -> Int? {
    guard phrase.clocks.isEmpty, phrase.clockRange == nil, let found = clock(index),
      found.value.isLatent
    else { return nil }
    let next = found.end
    let isTime =
      dayPart(next).map { !$0.value.part.isMeal } == true
      // "9 tomorrow", but "chapter 3 tomorrow".
      || KeywordSet([.tomorrow, .today]).contains(keyword(next)) && !isWord(index - 1)
    guard isTime else { return nil }
    var clock = found.value
    clock.isLatent = false
    phrase.clocks = [clock]
    phrase.isStrong = true
    return next
  }

  private func clockPart(_ index: Int, _ phrase: inout Phrase) -> Int? {
    guard phrase.clocks.isEmpty, phrase.clockRange == nil else { return nil }
    // The T of 2026-12-24T18:00.
    if text(index) == "t", isAdjacent(index), isAdjacent(index + 1), isNumber(index + 1) {
      return clockPart(index + 1, &phrase)
    }
    let start =
      Self.links.contains(keyword(index))
        && !KeywordSet([.at, .approximately]).contains(keyword(index))
      ? index + 1 : index
    guard let found = clock(start) else { return nil }
    if found.value.isLatent {
      // "7p" beside a day; a bare number never.
      guard
        found.value.isHalfKnown
          || found.value.grain == .minute && tokens[found.end - 1].kind == .word,
        phrase.date != nil || phrase.recurrence != nil
      else { return nil }
    }
    guard isTime(found, from: start) else { return nil }
    phrase.clocks = [found.value]
    phrase.isStrong = true
    var end = found.end
    while let next = nextClock(end) {
      phrase.clocks.append(next.value)
      end = next.end
    }
    return end
  }

  /// Whether what follows leaves it a time: not "at 8 places" in digits that go on.
  private func isTime(_ found: Found<Clock>, from start: Int) -> Bool {
    if isSign(found.end, "%") || isSign(found.end - 2, "$") { return false }
    if isAdjacent(found.end), isSign(found.end, "-") || isSign(found.end, "."),
      isNumber(found.end + 1),
      isAdjacent(found.end + 1)
    {
      return false
    }
    return true
  }

  /// `and 8 pm`, `, 20:00`: another time of the same day.
  private func nextClock(_ index: Int) -> Found<Clock>? {
    let next = skipping([.and], from: skippingComma(index))
    guard next > index, let found = clock(next), unit(found.end) == nil else { return nil }
    return found.value.isLatent && tokens[next].kind == .word && found.value.grain == .hour
      && keyword(index) != .and ? nil : found
  }
}
