import KithTime

/// Days that people name, as the United States keep them; others' are not known and never guessed.
enum Holiday {
  /// When in the year.
  enum Day: Sendable, Hashable {
    case fixed(month: Int, day: Int)
    /// The nth weekday of a month, and days after it.
    case weekday(Weekday, number: Int, month: Int, plus: Int)
    /// Days after Easter Sunday.
    case easter(Int)
  }

  /// Each by its words, the longer first where one begins another.
  static let names: [(words: [String], day: Day)] = [
    (["christmas", "eve"], .fixed(month: 12, day: 24)),
    (["xmas", "eve"], .fixed(month: 12, day: 24)),
    (["christmas", "day"], .fixed(month: 12, day: 25)),
    (["xmas", "day"], .fixed(month: 12, day: 25)),
    (["christmas"], .fixed(month: 12, day: 25)),
    (["xmas"], .fixed(month: 12, day: 25)),
    (["boxing", "day"], .fixed(month: 12, day: 26)),
    (["new", "years", "eve"], .fixed(month: 12, day: 31)),
    (["new", "year", "eve"], .fixed(month: 12, day: 31)),
    (["new", "years", "day"], .fixed(month: 1, day: 1)),
    (["new", "year", "day"], .fixed(month: 1, day: 1)),
    (["valentine", "day"], .fixed(month: 2, day: 14)),
    (["valentines", "day"], .fixed(month: 2, day: 14)),
    (["st", "patrick", "day"], .fixed(month: 3, day: 17)),
    (["saint", "patricks", "day"], .fixed(month: 3, day: 17)),
    (["halloween"], .fixed(month: 10, day: 31)),
    (["independence", "day"], .fixed(month: 7, day: 4)),
    (["veterans", "day"], .fixed(month: 11, day: 11)),
    (["earth", "day"], .fixed(month: 4, day: 22)),
    (["easter", "monday"], .easter(1)),
    (["easter", "mon"], .easter(1)),
    (["easter", "sunday"], .easter(0)),
    (["easter"], .easter(0)),
    (["good", "friday"], .easter(-2)),
    (["palm", "sunday"], .easter(-7)),
    (["ash", "wednesday"], .easter(-46)),
    (["mardi", "gras"], .easter(-47)),
    (["maundy", "thursday"], .easter(-3)),
    (["pentecost"], .easter(49)),
    (["whit", "monday"], .easter(50)),
    (["trinity", "sunday"], .easter(56)),
    (["thanksgiving", "day"], .weekday(.thursday, number: 4, month: 11, plus: 0)),
    (["thanksgiving"], .weekday(.thursday, number: 4, month: 11, plus: 0)),
    (["black", "friday"], .weekday(.thursday, number: 4, month: 11, plus: 1)),
    (["cyber", "monday"], .weekday(.thursday, number: 4, month: 11, plus: 4)),
    (["memorial", "day"], .weekday(.monday, number: -1, month: 5, plus: 0)),
    (["labor", "day"], .weekday(.monday, number: 1, month: 9, plus: 0)),
    (["columbus", "day"], .weekday(.monday, number: 2, month: 10, plus: 0)),
    (["mother", "day"], .weekday(.sunday, number: 2, month: 5, plus: 0)),
    (["mothers", "day"], .weekday(.sunday, number: 2, month: 5, plus: 0)),
    (["father", "day"], .weekday(.sunday, number: 3, month: 6, plus: 0)),
    (["fathers", "day"], .weekday(.sunday, number: 3, month: 6, plus: 0)),
    (["mlk", "day"], .weekday(.monday, number: 3, month: 1, plus: 0)),
    (["presidents", "day"], .weekday(.monday, number: 3, month: 2, plus: 0)),
  ]

  /// Whether other countries keep it on another day.
  static func isAmerican(_ day: Day) -> Bool {
    if case .weekday = day { true } else { false }
  }

  /// Words before a name or a weekday that make it another day: the Chinese New Year, Super
  /// Tuesday.
  static let foreign: Set<String> = [
    "orthodox", "chinese", "lunar", "islamic", "parsi", "jewish", "persian", "coptic", "julian",
    "super", "duper", "giga", "mega", "mini", "tsunami", "clean", "shrove", "white", "branch",
    "covenant", "lazarus", "great", "good", "holy", "mothering",
  ]

  static func date(of day: Day, in year: Int) -> CivilDate? {
    switch day {
    case .fixed(let month, let day): return CivilDate(year: year, month: month, day: day)
    case .easter(let days): return easter(year)?.adding(days: days)
    case .weekday(let weekday, let number, let month, let plus):
      guard let first = CivilDate(year: year, month: month, day: 1) else { return nil }
      let start = number > 0 ? first : first.adding(months: 1).adding(days: -7)
      return start.onOrAfter(weekday).adding(days: 7 * (max(number, 1) - 1) + plus)
    }
  }

  /// Easter Sunday of the Gregorian calendar (the anonymous algorithm of Nature, 1876).
  static func easter(_ year: Int) -> CivilDate? {
    let (a, b, c) = (year % 19, year / 100, year % 100)
    let h = (19 * a + b - b / 4 - (b - (b + 8) / 25 + 1) / 3 + 15) % 30
    let l = (32 + 2 * (b % 4) + 2 * (c / 4) - h - c % 4) % 7
    let m = (a + 11 * h + 22 * l) / 451
    let n = h + l - 7 * m + 114
    return CivilDate(year: year, month: n / 31, day: n % 31 + 1)
  }
}
