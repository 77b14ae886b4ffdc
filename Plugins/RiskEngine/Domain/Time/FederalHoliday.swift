/// The eleven days on which federal offices of the United States are closed, and most offices of
/// the states with them (5 U.S.C. 6103; what falls on a Saturday or a Sunday is kept on the Friday
/// or Monday next to it).
public enum FederalHoliday {
  /// Days of one date, as month and day.
  private static let fixed = [(1, 1), (6, 19), (7, 4), (11, 11), (12, 25)]

  /// Whether offices are closed on a day of a year's calendar.
  ///
  /// - Parameters:
  ///   - month: 1 to 12.
  ///   - day: 1 to 31.
  ///   - weekday: 1 for Monday to 7 for Sunday.
  public static func contains(month: Int, day: Int, weekday: Int) -> Bool {
    func isFixed(_ month: Int, _ day: Int) -> Bool { fixed.contains { $0 == (month, day) } }
    if isFixed(month, day) { return true }
    let week = (day - 1) / 7 + 1
    switch weekday {
    case 1:
      switch (month, week) {
      case (1, 3), (2, 3), (9, 1), (10, 2): return true
      case (5, _) where day > 24: return true
      default: return isFixed(month, day - 1)
      }
    case 4: return month == 11 && week == 4
    // The Friday before a first of January belongs to the year before.
    case 5: return isFixed(month, day + 1) || (month, day) == (12, 31)
    default: return false
    }
  }
}
