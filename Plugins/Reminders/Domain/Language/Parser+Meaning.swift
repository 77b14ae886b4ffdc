import KithTime

/// Puts the parts of a phrase together.
extension Parser {
  typealias Meant = (meaning: Reading.Meaning, alternatives: [Reading.Meaning])

  func meaning(of phrase: Phrase) -> Meant? {
    if let recurrence = phrase.recurrence { return recurring(recurrence, phrase) }
    if phrase.starting != nil || phrase.until != nil || phrase.count != nil { return nil }
    guard let (moment, others) = once(phrase) else { return nil }
    return (.once(timely(moment)), others.map { .once($0) })
  }

  /// A reminder of a time that has begun is due in what is left of it: "today", said at 10, at
  /// noon.
  private func timely(_ moment: LocalMoment) -> LocalMoment {
    let end = moment.end ?? moment.start.adding(1, moment.grain)
    guard moment.due <= now, now < end, moment.grain >= .hour, moment.shape != .before else {
      return moment
    }
    var moment = moment
    let parts: [DayPart] = [.lunch, .afternoon, .evening, .night]
    moment.due = parts.map { today.at($0.due) }.first { $0 > now && $0 < end } ?? now
    return moment
  }

  // MARK: Once

  private func once(_ phrase: Phrase) -> (LocalMoment, [LocalMoment])? {
    if let range = phrase.clockRange { return clocks(range, phrase).map { ($0, []) } }
    if let clock = phrase.clocks.first {
      // "monday to friday at 8" is said of one day or of five.
      if phrase.clocks.count > 1 || phrase.moment != nil { return nil }
      return clockMoment(clock, phrase)
    }
    if let moment = phrase.moment {
      // "today in one hour": a day beside a moment of it says no more.
      return phrase.dayPart == nil ? bounded(moment, phrase).map { ($0, []) } : nil
    }
    if let part = phrase.dayPart { return partMoment(part, phrase).map { ($0, []) } }
    guard let date = phrase.date else { return nil }
    return bounded(date.moment, phrase).map { ($0, []) }
  }

  /// A time of the day, on its day.
  private func clockMoment(_ clock: Clock, _ phrase: Phrase) -> (LocalMoment, [LocalMoment])? {
    let day = phrase.dayPart?.date ?? phrase.date.map { self.day($0.moment) }
    if let date = phrase.date, let part = phrase.dayPart?.date, part != today,
      day != self.day(date.moment)
    {
      return nil
    }
    let times = resolve(clock, on: phrase.date.map { self.day($0.moment) } ?? day, phrase.dayPart)
    guard let first = times.first else { return nil }
    let moments = times.map { LocalMoment($0, clock.grain) }
    guard let result = bounded(LocalMoment(first, clock.grain), phrase) else { return nil }
    if phrase.bound != nil { return (result, []) }
    return (result, Array(moments.dropFirst()))
  }

  /// The day that a time of day is on, beside a week or a month too: the first, of a weekend
  /// Saturday.
  private func day(_ moment: LocalMoment) -> CivilDate {
    moment.end == nil ? moment.start.date : moment.due.date
  }

  /// When a time of day is meant, the likeliest first.
  func resolve(_ clock: Clock, on day: CivilDate?, _ part: SaidPart?) -> [CivilDateTime] {
    var hours = [clock.hour]
    if !clock.isHalfKnown {
      if let part {
        hours = [part.part.hour(clock.hour, minute: clock.minute)]
      } else {
        let morning = clock.hour % 12
        hours = [morning, morning + 12]
      }
    }
    func time(_ day: CivilDate, _ hour: Int) -> CivilDateTime {
      let wall = day.at(.midnight).adding(
        seconds: hour * 3600 + clock.minute * 60 + clock.second)
      return clock.offset.map { wall.adding(seconds: offset - $0) } ?? wall
    }
    if let day {
      // "this morning at 3", said at 4, is the next one.
      if part?.date == today, day == today, hours.count == 1, time(day, hours[0]) <= now,
        part?.part == .morning
      {
        return [time(day.adding(days: 1), hours[0])]
      }
      if hours.count == 2 {
        // Of a day, people mean the hours in which they are awake: 1 to 6 is the afternoon, 12 is
        // noon.
        let hour = clock.hour % 12
        if clock.isOnTheHour, hour == 0 { return [time(day, 12)] }
        let likely = hour < 7 ? hours[1] : hours[0]
        let other = hour < 7 ? hours[0] : hours[1]
        let first = time(day, likely)
        if day == today, first <= now, time(day, other) > now { return [time(day, other)] }
        return [first, time(day, other)]
      }
      return [time(day, hours[0])]
    }
    let next = hours.map { hour in
      let wall = time(today, hour)
      return wall > now ? wall : time(today.adding(days: 1), hour)
    }.sorted()
    // The nearest, unless it is at night.
    if next.count == 2, clock.offset == nil, next[0].time.hour < 6 { return [next[1], next[0]] }
    return next
  }

  private func clocks(_ range: (from: Clock, to: Clock), _ phrase: Phrase) -> LocalMoment? {
    var (from, to) = range
    if to.offset != nil, from.offset == nil { from.offset = to.offset }
    if from.offset != nil { (from.isHalfKnown, to.isHalfKnown) = (true, true) }
    if to.isHalfKnown, !from.isHalfKnown, to.hour >= 12 {
      // "3 to 6 pm": both; "11 to 1 pm": not.
      let evening = from.hour % 12 + 12
      from.hour = evening * 60 + from.minute < to.hour * 60 + to.minute ? evening : from.hour % 12
      from.isHalfKnown = true
    } else if to.isHalfKnown, !from.isHalfKnown {
      from.isHalfKnown = true
    }
    let day = phrase.dayPart?.date ?? phrase.date.map { self.day($0.moment) }
    guard let start = resolve(from, on: day, phrase.dayPart).first else { return nil }
    var end = start.date.at(.midnight).adding(seconds: to.secondOfDay)
    if to.offset != nil {
      // Both are in another zone; what lies between them is the same here.
      end = start.adding(
        seconds: (to.secondOfDay - from.secondOfDay + 86_400) % 86_400)
    } else if !to.isHalfKnown {
      end = start.date.at(.midnight).adding(seconds: to.secondOfDay % 43_200)
      while end <= start { end = end.adding(seconds: 43_200) }
    } else if end <= start {
      end = end.adding(seconds: 86_400)
    }
    let grain = min(from.grain, to.grain)
    return LocalMoment(start, grain, end: end.adding(1, grain), shape: .interval)
  }

  private func partMoment(_ said: SaidPart, _ phrase: Phrase) -> LocalMoment? {
    let day: CivilDate
    if let date = phrase.date {
      guard date.moment.grain == .day, date.moment.end == nil else { return nil }
      day = date.moment.start.date
      if let other = said.date, other != day, other != today { return nil }
    } else if let date = said.date {
      day = date
    } else {
      let end = today.at(.midnight).adding(seconds: said.part.hours.to * 3600)
      day = end > now ? today : today.adding(days: 1)
    }
    let midnight = day.at(.midnight)
    let hours = said.part.hours
    return LocalMoment(
      midnight.adding(seconds: hours.from * 3600), .hour, due: day.at(said.part.due),
      end: midnight.adding(seconds: hours.to * 3600), shape: .interval)
  }

  /// A moment with what was said before it: until, by, after; and how long it lasts.
  private func bounded(_ moment: LocalMoment, _ phrase: Phrase) -> LocalMoment? {
    var moment = moment
    if let length = phrase.length {
      guard moment.end == nil, phrase.bound == nil || phrase.bound == .after else { return nil }
      let grain = min(moment.grain, length.grain)
      // The last day, hour or minute is of it, as duckling has it.
      moment.end = length.shift(moment.start).adding(1, grain)
      moment.shape = .interval
      moment.grain = grain
      return moment
    }
    switch phrase.bound {
    case nil: return moment
    case .until, .before:
      moment.shape = .before
      moment.end = nil
    case .after:
      moment.shape = .after
      moment.end = nil
    case .by:
      // The end of a period is the end of what "by" it means: by the end of the month, the month is
      // over.
      let end = moment.end ?? moment.start
      guard now < end else { return nil }
      return LocalMoment(now, .second, due: moment.due, end: end, shape: .interval)
    }
    return moment
  }

  // MARK: Again and again

  private func recurring(_ said: SaidRecurrence, _ phrase: Phrase) -> Meant? {
    var said = said
    if said.needsDay, phrase.clocks.isEmpty || said.rule.frequency != .daily { return nil }
    if phrase.moment != nil || phrase.clockRange != nil || phrase.bound != nil { return nil }
    if phrase.date != nil { return nil }
    if let part = phrase.dayPart {
      if part.date != nil || !said.hours.isEmpty && phrase.clocks.isEmpty { return nil }
      said.hours = phrase.clocks.isEmpty ? [part.part.due.hour] : []
    }
    guard remove(phrase.excludedWeekdays, from: &said.rule) else { return nil }
    let isShort = said.rule.frequency < .daily
    if isShort, !said.hours.isEmpty || phrase.dayPart != nil { return nil }
    // "every 4 hours starting tomorrow at 8am": of hours, a time of day says only when they begin.
    if isShort, phrase.clocks.count > (phrase.starting == nil ? 0 : 1) { return nil }
    if !phrase.clocks.isEmpty, !isShort { said.hours = [] }
    if phrase.until.map({ $0.date == nil }) == true, !isShort { return nil }
    let choices =
      isShort && phrase.clocks.isEmpty ? [[]] : clockChoices(phrase, said.hours, said.part)
    let schedules = choices.compactMap { schedule(said.rule, at: $0, phrase) }
    guard let first = schedules.first else { return nil }
    return (.recurring(first), schedules.dropFirst().map { .recurring($0) })
  }

  /// The times of the day, the likeliest first; an hour that may be of either half gives two.
  private func clockChoices(
    _ phrase: Phrase, _ hours: [Int], _ part: DayPart?
  ) -> [[CivilTime]] {
    let part = phrase.dayPart?.part ?? part
    if phrase.clocks.isEmpty { return [hours.map { CivilTime(secondOfDay: $0 * 3600) }] }
    // "at 8 and 20": who counts to 24 does so for all.
    let countsTo24 = phrase.clocks.contains { $0.isHalfKnown && $0.hour > 12 && $0.offset == nil }
    var likely: [CivilTime] = []
    var other: [CivilTime] = []
    for clock in phrase.clocks {
      var hour = clock.hour
      var otherHour = hour
      if !clock.isHalfKnown, let part {
        hour = part.hour(hour, minute: clock.minute) % 24
        otherHour = hour
      } else if !clock.isHalfKnown, !countsTo24 {
        let half = hour % 12
        hour = half == 0 || half < 7 ? half + 12 : half
        otherHour = half == 0 ? 12 : half < 7 ? half : half + 12
      }
      let rest = clock.minute * 60 + clock.second
      likely.append(CivilTime(secondOfDay: hour * 3600 + rest))
      other.append(CivilTime(secondOfDay: otherHour * 3600 + rest))
    }
    return likely == other ? [likely] : [likely, other]
  }

  /// Leaves weekdays out of a rule by naming the others.
  private func remove(_ weekdays: [Weekday], from rule: inout RecurrenceRule) -> Bool {
    if weekdays.isEmpty { return true }
    guard
      rule.frequency == .daily && rule.interval == 1 || rule.frequency == .weekly
        || rule.frequency < .daily
    else { return false }
    if rule.frequency == .weekly, rule.weekdays.isEmpty { return false }
    let all =
      rule.weekdays.isEmpty
      ? Weekday.allCases.map { RecurrenceRule.WeekdayNumber($0) } : rule.weekdays
    rule.weekdays = all.filter { !weekdays.contains($0.weekday) }
    return !rule.weekdays.isEmpty
  }

  private func schedule(
    _ said: RecurrenceRule, at times: [CivilTime], _ phrase: Phrase
  ) -> Schedule? {
    var rule = said
    let isShort = rule.frequency < .daily
    guard isShort || put(times.sorted(), into: &rule) else { return nil }
    let day = phrase.starting.map { self.day($0.moment) }
    var start = (day ?? today).at(times.min() ?? DayPart.morning.due)
    if isShort { start = day?.at(times.first ?? DayPart.morning.due) ?? now }
    // The period that has the first day is the first period, also of every other week.
    var every = rule
    every.interval = 1
    if !isShort {
      let from = day == nil ? now.adding(seconds: 1) : start
      var occurrences = Occurrences(every, start: start, from: from)
      guard let first = occurrences.next() else { return nil }
      start = first
    }
    guard limit(&rule, start: start, phrase) else { return nil }
    var schedule = Schedule(start: start, rule: rule, policy: isShort ? .elapsed : .wall)
    schedule.exclusions = exclusions(phrase, from: start)
    return schedule
  }

  /// Times of the day as `BYHOUR` and `BYMINUTE`.
  private func put(_ times: [CivilTime], into rule: inout RecurrenceRule) -> Bool {
    if times.isEmpty { return true }
    for time in times {
      if !rule.hours.contains(time.hour) { rule.hours.append(time.hour) }
      if !rule.minutes.contains(time.minute) { rule.minutes.append(time.minute) }
    }
    rule.minutes.sort()
    if times.contains(where: { $0.second != 0 }) { rule.seconds = [times[0].second] }
    if rule.minutes.count == 1 || Set(times).count == rule.hours.count * rule.minutes.count {
      return true
    }
    // 7:30 and 20:00 are two of the four that their hours and minutes give: the positions within a
    // day say which.
    if rule.frequency == .weekly, rule.interval == 1, rule.setPositions.isEmpty {
      rule.frequency = .daily
    }
    guard rule.frequency == .daily, rule.setPositions.isEmpty else { return false }
    let all = rule.hours.flatMap { hour in rule.minutes.map { hour * 60 + $0 } }
    rule.setPositions = all.indices.filter { index in
      times.contains { $0.hour * 60 + $0.minute == all[index] }
    }.map { $0 + 1 }
    return true
  }

  private func limit(_ rule: inout RecurrenceRule, start: CivilDateTime, _ phrase: Phrase) -> Bool {
    if let count = phrase.count {
      rule.end = .count(count)
      return phrase.until == nil && phrase.length == nil
    }
    if let until = phrase.until {
      // The end of next month is later than the first of it.
      var day = until.date?.moment.start.date ?? start.date
      if let end = until.date?.moment.end { day = end.date.adding(days: -1) }
      // "from november until june": the next one after the start.
      if until.date?.isYearOpen == true, day < start.date { day = day.adding(months: 12) }
      if let clock = until.clock {
        guard let time = resolve(clock, on: day, nil).first else { return false }
        rule.end = .until(.local(time))
        return phrase.length == nil && time >= start
      }
      rule.end = .until(.date(day))
      return phrase.length == nil && day >= start.date
    }
    if let length = phrase.length {
      let from = phrase.starting.map { self.day($0.moment).at(.midnight) } ?? now
      if rule.frequency == .daily, length.seconds == 0 {
        // The day on which it begins is the first of "for 3 days".
        let end = length.shift(start.date.at(.midnight)).date
        rule.end = .until(.date(end.adding(days: -1)))
        return true
      }
      let end = length.shift(from)
      rule.end = length.seconds == 0 ? .until(.date(end.date)) : .until(.local(end))
    }
    return true
  }

  private func exclusions(_ phrase: Phrase, from start: CivilDateTime) -> [Schedule.Exclusion] {
    phrase.exclusions.flatMap { said -> [Schedule.Exclusion] in
      var moment = said.date.moment
      if said.date.isYearOpen, moment.start.adding(1, moment.grain) <= start.date.at(.midnight) {
        moment = moment.moved(toYear: moment.start.date.year + 1)
      }
      if let clock = said.clock {
        return resolve(clock, on: moment.start.date, nil).prefix(1).map { .time($0) }
      }
      if moment.grain == .day { return [.day(moment.start.date)] }
      let first = moment.start.date
      let count = CivilDate.days(inMonth: first.month, of: first.year)
      return (0..<count).map { .day(first.adding(days: $0)) }
    }
  }
}

extension Clock {
  fileprivate var isOnTheHour: Bool { minute == 0 && second == 0 }
}
