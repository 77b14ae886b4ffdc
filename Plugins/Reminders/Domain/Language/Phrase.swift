import KithTime

/// The times that a text holds, in the order in which they were found, before they are put
/// together.
struct Phrase: Sendable {
  /// What was said to come before a day or time.
  enum Bound: Sendable {
    case until, by, before, after
  }

  var recurrence: SaidRecurrence?
  var date: Dated?
  var moment: LocalMoment?
  var dayPart: SaidPart?
  var clocks: [Clock] = []
  var clockRange: (from: Clock, to: Clock)?
  var bound: Bound?
  var starting: Dated?
  var until: (date: Dated?, clock: Clock?)?
  var count: Int?
  var length: Span?
  var exclusions: [(date: Dated, clock: Clock?)] = []
  var excludedWeekdays: [Weekday] = []
  /// The tokens that were read.
  var covered: [Range<Int>] = []
  /// Whether something in it is a time by itself.
  var isStrong = false
  /// Whether something was said that cannot be put into a rule.
  var isBroken = false

  var isEmpty: Bool { covered.isEmpty }
}
