public import KithTime

/// A week of somebody's reminders, for the family.
public struct WeeklyDigest: Sendable, Hashable {
  /// Its Monday.
  public var firstDay: CivilDate
  /// How many occurrences were due.
  public var due = 0
  /// How many were done in time.
  public var done = 0
  /// How many were done after they were missed.
  public var doneLate = 0
  /// How many were missed for good.
  public var missed = 0
  /// Of the missed, how many because the platform was down.
  public var missedByDowntime = 0

  /// A week in which nothing was due.
  public init(firstDay: CivilDate) { self.firstDay = firstDay }

  /// The same in a few plain sentences.
  public var summary: String {
    let week = "In the week of \(PlainWords.day(firstDay))"
    guard due > 0 else { return "\(week), no reminder was due." }
    if done == due {
      return
        "\(week), \(due == 1 ? "the one reminder was" : "all \(due) reminders were") done in time."
    }
    var sentences = [
      "\(week), \(Self.count(due, "reminder")) \(Self.was(due)) due.",
      "\(done) \(Self.was(done)) done in time, \(doneLate) late, and \(missed) \(Self.was(missed)) missed.",
    ]
    if missedByDowntime > 0 {
      sentences.append(
        "\(missedByDowntime) of the missed \(Self.was(missedByDowntime)) never sent, because the service was down."
      )
    }
    let open = due - done - doneLate - missed
    if open > 0 { sentences.append("\(open) \(open == 1 ? "is" : "are") still open.") }
    return sentences.joined(separator: " ")
  }

  private static func count(_ number: Int, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
  }

  private static func was(_ number: Int) -> String { number == 1 ? "was" : "were" }
}
