/// When an office is at work, in the local time of the person who is called; on holidays it is not.
public struct OfficeHours: Codable, Sendable, Hashable {
  /// The days of the week, three letters each, parted by spaces: `mon tue wed thu fri`.
  public var days: String
  /// From when: `07:00`.
  public var opens: String
  /// Until when: `19:00`.
  public var closes: String

  private static let week = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

  /// The hours as numbers.
  ///
  /// - Throws: `RuleFileError` naming the word that is no day or time.
  func compiled(for sender: String) throws(RuleFileError) -> Compiled {
    var open = [Bool](repeating: false, count: 7)
    for day in days.split(separator: " ") {
      guard let index = Self.week.firstIndex(of: String(day)) else {
        throw RuleFileError(
          description: "senders `\(sender)`: `\(day)` is no day; expected mon, tue ... sun")
      }
      open[index] = true
    }
    return Compiled(
      days: open,
      minutes: try Self.minute(
        opens, sender)..<max(
          try Self.minute(opens, sender), try Self.minute(closes, sender)))
  }

  private static func minute(_ time: String, _ sender: String) throws(RuleFileError) -> Int {
    let parts = time.split(separator: ":").map { Int($0) ?? -1 }
    guard parts.count == 2, 0...24 ~= parts[0], 0..<60 ~= parts[1] else {
      throw RuleFileError(
        description: "senders `\(sender)`: `\(time)` is no time of day; expected 07:00")
    }
    return parts[0] * 60 + parts[1]
  }

  /// Hours that can be asked.
  struct Compiled: Sendable {
    /// Monday first.
    var days: [Bool]
    var minutes: Range<Int>

    func contain(_ time: LocalTime) -> Bool {
      days[time.weekday - 1] && minutes.contains(time.minute)
        && !time.isHoliday
    }
  }
}
