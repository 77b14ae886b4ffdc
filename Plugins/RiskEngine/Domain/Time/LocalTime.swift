/// A time of the week where the person is.
public struct LocalTime: Sendable, Hashable {
  /// 1 for Monday to 7 for Sunday.
  public var weekday: Int
  /// Minutes since midnight, 0 to 1439.
  public var minute: Int
  /// Whether it is a day on which agencies are closed; see `FederalHoliday`.
  public var isHoliday: Bool

  /// A time; values out of range are moved into it.
  public init(weekday: Int, minute: Int, isHoliday: Bool = false) {
    self.isHoliday = isHoliday
    self.weekday = min(7, max(1, weekday))
    self.minute = min(1439, max(0, minute))
  }

  /// The part of the day, as a feature vector has it.
  public var partOfDay: PartOfDay {
    switch minute / 60 {
    case 5..<12: .morning
    case 12..<17: .afternoon
    case 17..<21: .evening
    default: .night
    }
  }

  /// A part of the day.
  public enum PartOfDay: String, Sendable, CaseIterable {
    /// 5 to 12, 12 to 17, 17 to 21, and the rest.
    case morning, afternoon, evening, night
  }
}
