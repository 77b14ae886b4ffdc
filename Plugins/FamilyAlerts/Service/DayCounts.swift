import FamilyAlertsDomain
import KithAccess
import KithStore
import KithTime

/// What happened to people on days, counted for the digest.
enum DayCounts {
  /// Changes the counts of a person's day.
  static func change(
    of user: UserID, on date: CivilDate, in transaction: WriteTransaction,
    _ body: (inout FamilyWeek.Day) -> Void
  ) throws {
    var day =
      try transaction.record(
        StoredDay.self, id: StoredDay.id(user, date), under: AlertsBook.ownGrant)
      ?? StoredDay(user: user, date: date)
    body(&day.counts)
    try transaction.save(day, under: AlertsBook.ownGrant)
  }

  /// The week of a person from a Monday on.
  static func week(
    of user: UserID, from monday: CivilDate, in transaction: some Transaction
  ) throws -> FamilyWeek {
    let days: [StoredDay] = try transaction.records(
      where: """
        user_id = \(user) AND day >= \("\(monday)") AND day < \("\(monday.adding(days: 7))")
        """, under: AlertsBook.ownGrant)
    return FamilyWeek(
      firstDay: monday,
      days: Dictionary(days.map { ($0.date, $0.counts) }) { first, _ in first })
  }
}
