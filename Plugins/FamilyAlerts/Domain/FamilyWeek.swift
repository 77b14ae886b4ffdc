public import KithTime

/// A week of a person, for their family.
public struct FamilyWeek: Sendable, Hashable {
  /// What happened on one day.
  public struct Day: Sendable, Hashable {
    /// How many reminders were done.
    public var done: Int
    /// How many were missed for good.
    public var missed: Int
    /// How many falls were alerted.
    public var falls: Int

    /// A day.
    public init(done: Int = 0, missed: Int = 0, falls: Int = 0) {
      self.done = done
      self.missed = missed
      self.falls = falls
    }
  }

  /// Its Monday.
  public let firstDay: CivilDate
  /// The seven days from Monday on.
  public let days: [Day]

  /// A week; days that are not given are empty.
  public init(firstDay: CivilDate, days: [CivilDate: Day]) {
    self.firstDay = firstDay
    self.days = (0..<7).map { days[firstDay.adding(days: $0)] ?? Day() }
  }

  /// The Monday of the week of a day.
  public static func monday(of day: CivilDate) -> CivilDate {
    day.adding(days: -day.weekday.days(after: .monday))
  }

  /// The sums of all days.
  public var total: Day {
    days.reduce(into: Day()) { sum, day in
      sum.done += day.done
      sum.missed += day.missed
      sum.falls += day.falls
    }
  }

  /// The title: `The week of Monday, November 16`.
  public var title: String { "The week of Monday, \(Self.name(firstDay))" }

  /// The week as plain text.
  public var text: String {
    var lines = [title, "", summary, ""]
    for (number, day) in days.enumerated() {
      lines.append("\(Self.weekdays[number]): \(Self.words(day))")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The week as a whole HTML document, without anything that is loaded from elsewhere.
  public var html: String {
    let rows = days.enumerated().map { number, day in
      "<tr><td>\(Self.escaped(Self.weekdays[number]))</td><td>\(day.done)</td>"
        + "<td>\(day.missed)</td><td>\(day.falls)</td></tr>"
    }
    return """
      <!DOCTYPE html>
      <html lang="en">
      <head><meta charset="utf-8"><title>\(Self.escaped(title))</title></head>
      <body>
      <h1>\(Self.escaped(title))</h1>
      <p>\(Self.escaped(summary))</p>
      <table>
      <tr><th>Day</th><th>Done</th><th>Missed</th><th>Falls</th></tr>
      \(rows.joined(separator: "\n"))
      </table>
      </body>
      </html>

      """
  }

  private var summary: String {
    let total = total
    let reminders =
      total.done + total.missed == 0
      ? "No reminder was due."
      : "\(Self.count(total.done, "reminder")) done, \(total.missed) missed."
    let falls =
      total.falls == 0 ? "No fall was reported." : "\(Self.count(total.falls, "fall")) reported."
    return "\(reminders) \(falls)"
  }

  private static let weekdays = [
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
  ]
  private static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
  ]

  private static func name(_ day: CivilDate) -> String { "\(months[day.month - 1]) \(day.day)" }

  private static func words(_ day: Day) -> String {
    if day == Day() { return "nothing to report" }
    return "\(day.done) done, \(day.missed) missed"
      + (day.falls > 0 ? ", \(count(day.falls, "fall"))" : "")
  }

  private static func count(_ number: Int, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
  }

  /// Text that stands in HTML, where it can begin no tag and end no attribute.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for character in text {
      switch character {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      default: escaped.append(character)
      }
    }
    return escaped
  }
}
