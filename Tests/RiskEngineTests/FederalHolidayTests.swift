import KithTime
import RiskEngineDomain
import Testing

/// The days as the Office of Personnel Management lists them.
@Suite struct FederalHolidayTests {
  @Test(arguments: [
    (
      2026,
      [
        "01-01", "01-19", "02-16", "05-25", "06-19", "07-03", "07-04", "09-07", "10-12", "11-11",
        "11-26", "12-25",
      ]
    ),
    (
      2027,
      [
        "01-01", "01-18", "02-15", "05-31", "06-18", "06-19", "07-04", "07-05", "09-06", "10-11",
        "11-11", "11-25", "12-24", "12-25", "12-31",
      ]
    ),
    (
      2022,
      [
        "01-01", "01-17", "02-21", "05-30", "06-19", "06-20", "07-04", "09-05", "10-10", "11-11",
        "11-24", "12-25", "12-26",
      ]
    ),
  ])
  func officesAreClosedOn(year: Int, days: [String]) throws {
    var found: [String] = []
    for month in 1...12 {
      for day in 1...31 {
        guard let date = CivilDate(year: year, month: month, day: day) else { continue }
        if FederalHoliday.contains(month: month, day: day, weekday: date.weekday.rawValue) {
          found.append("\(month < 10 ? "0" : "")\(month)-\(day < 10 ? "0" : "")\(day)")
        }
      }
    }
    #expect(found == days)
  }
}
