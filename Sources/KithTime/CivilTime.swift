/// A time of day on a clock, to the second, with no zone.
public struct CivilTime: Sendable, Hashable {
  /// 0 to 23.
  public var hour: Int { Int(storedHour) }
  /// 0 to 59.
  public var minute: Int { Int(storedMinute) }
  /// 0 to 59; this calendar knows no leap seconds.
  public var second: Int { Int(storedSecond) }

  private let storedHour: Int8
  private let storedMinute: Int8
  private let storedSecond: Int8

  /// The time of these numbers, or nil where a clock shows none.
  public init?(hour: Int, minute: Int = 0, second: Int = 0) {
    guard (0...23).contains(hour), (0...59).contains(minute), (0...59).contains(second) else {
      return nil
    }
    self.init(secondOfDay: hour * 3600 + minute * 60 + second)
  }

  /// The time so many seconds after midnight; what is outside a day is taken around the clock.
  public init(secondOfDay: Int) {
    let second = secondOfDay - floorDivide(secondOfDay, 86_400) * 86_400
    storedHour = Int8(second / 3600)
    storedMinute = Int8(second / 60 % 60)
    storedSecond = Int8(second % 60)
  }

  /// 00:00:00.
  public static let midnight = CivilTime(secondOfDay: 0)

  /// 0 to 86,399.
  public var secondOfDay: Int { hour * 3600 + minute * 60 + second }
}

extension CivilTime: Comparable {
  /// The order of the day.
  public static func < (left: CivilTime, right: CivilTime) -> Bool {
    left.secondOfDay < right.secondOfDay
  }
}

extension CivilTime: CustomStringConvertible {
  /// As in ISO 8601: 20:00:00.
  public var description: String { "\(padded(hour, 2)):\(padded(minute, 2)):\(padded(second, 2))" }
}
