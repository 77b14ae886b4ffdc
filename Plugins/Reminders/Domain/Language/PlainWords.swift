public import KithTime

/// What is told to people about times, in plain English.
public enum PlainWords {
  /// `8:00 PM`
  public static func time(_ time: CivilTime) -> String {
    let hour = time.hour % 12 == 0 ? 12 : time.hour % 12
    return "\(hour):\(padded(time.minute, 2)) \(time.hour < 12 ? "AM" : "PM")"
  }

  /// `Saturday, November 21`
  public static func day(_ date: CivilDate) -> String {
    let months = [
      "January", "February", "March", "April", "May", "June", "July", "August", "September",
      "October", "November", "December",
    ]
    return "\("\(date.weekday)".capitalizedWord), \(months[date.month - 1]) \(date.day)"
  }

  /// When something is due, for a notification: `It is 8:00 PM.`, or that it was due before.
  /// - Parameter isLate: whether the moment is over.
  public static func due(_ wall: CivilDateTime, today: CivilDate, isLate: Bool) -> String {
    let time = time(wall.time)
    guard isLate else { return "It is \(time)." }
    if wall.date == today { return "It was due at \(time)." }
    if wall.date.adding(days: 1) == today { return "It was due yesterday at \(time)." }
    return "It was due on \(day(wall.date)), at \(time)."
  }
}

extension String {
  fileprivate var capitalizedWord: String { prefix(1).uppercased() + dropFirst() }
}
