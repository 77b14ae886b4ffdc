import KithTime

/// A length of time as it is said: months and days of the calendar, seconds of the clock.
struct Span: Sendable, Hashable {
  var months = 0
  var days = 0
  var seconds = 0
  /// The finest unit that was said.
  var grain: Grain

  /// Hundredths of a unit; a month and a half are 45 days.
  init(_ unit: Grain, hundredths: Int) {
    let isWhole = hundredths % 100 == 0
    grain = isWhole ? unit : Grain(rawValue: max(0, unit.rawValue - 1)) ?? unit
    switch unit {
    case .second: seconds = hundredths / 100
    case .minute: seconds = hundredths * 60 / 100
    case .hour: seconds = hundredths * 3600 / 100
    case .day, .week:
      let count = unit == .week ? hundredths * 7 : hundredths
      if isWhole { days = count / 100 } else { seconds = count * 864 }
      if !isWhole { grain = .hour }
    case .month, .quarter:
      let count = unit == .quarter ? hundredths * 3 : hundredths
      if isWhole { months = count / 100 } else { days = count * 30 / 100 }
      if !isWhole { grain = .day }
    case .year:
      months = hundredths * 12 / 100
      if !isWhole { grain = .month }
    }
  }

  static func + (left: Span, right: Span) -> Span {
    var sum = left
    sum.months += right.months
    sum.days += right.days
    sum.seconds += right.seconds
    sum.grain = min(left.grain, right.grain)
    return sum
  }

  /// The time so much later (or earlier, with -1).
  func shift(_ civil: CivilDateTime, by sign: Int = 1) -> CivilDateTime {
    let date = civil.date.adding(months: sign * months).adding(days: sign * days)
    return date.at(civil.time).adding(seconds: sign * seconds)
  }

  /// How exact "in so much" is: one unit finer than what was said, as duckling has it (in a week:
  /// that day; in an hour: that minute).
  var shiftGrain: Grain {
    switch grain {
    case .second, .minute: .second
    case .hour: .minute
    case .day: .hour
    case .week, .month: .day
    case .quarter, .year: .month
    }
  }
}

extension CivilDateTime {
  /// The beginning of the second, minute ... year that this is in; weeks begin on Monday.
  func cut(to grain: Grain) -> CivilDateTime {
    let first = date.adding(days: 1 - date.day)
    switch grain {
    case .second: return self
    case .minute: return adding(seconds: -time.second)
    case .hour: return adding(seconds: -(time.secondOfDay % 3600))
    case .day: return date.at(.midnight)
    case .week: return date.adding(days: -date.weekday.days(after: .monday)).at(.midnight)
    case .month: return first.at(.midnight)
    case .quarter: return first.adding(months: -((date.month - 1) % 3)).at(.midnight)
    case .year: return first.adding(months: 1 - date.month).at(.midnight)
    }
  }

  /// So many units later, in the calendar.
  func adding(_ count: Int, _ grain: Grain) -> CivilDateTime {
    Span(grain, hundredths: min(max(count, -1_000_000), 1_000_000) * 100).shift(self)
  }
}
