import KithTime

/// A part of the day, and when a reminder "in the evening" is due.
///
/// The parts are those of duckling; breakfast 08:00, lunch 12:00, dinner 18:00 and bedtime 21:00
/// are those of Milo.
enum DayPart: Sendable, Hashable {
  case morning, afternoon, evening, night
  case breakfast, lunch, dinner, bedtime
  case earlyMorning, lateNight, afterLunch, afterSchool

  /// From the first hour to before the second.
  var hours: (from: Int, to: Int) {
    switch self {
    case .morning: (0, 12)
    case .afternoon: (12, 19)
    case .evening, .night: (18, 24)
    case .breakfast: (8, 9)
    case .lunch: (12, 14)
    case .dinner: (18, 19)
    case .bedtime: (21, 22)
    case .earlyMorning: (0, 9)
    case .lateNight: (21, 24)
    case .afterLunch: (13, 17)
    case .afterSchool: (15, 21)
    }
  }

  /// When a reminder is due of which nothing else is said.
  var due: CivilTime {
    let hour =
      switch self {
      case .morning, .breakfast: 8
      case .afternoon: 15
      case .evening, .dinner: 18
      case .night, .bedtime, .lateNight: 21
      case .earlyMorning: 6
      case .lunch: 12
      case .afterLunch: 13
      case .afterSchool: 15
      }
    return CivilTime(secondOfDay: hour * 3600)
  }

  /// Whether it is a time by itself, as a meal is, or says which half of the day an hour is in.
  var isMeal: Bool {
    switch self {
    case .breakfast, .lunch, .dinner, .bedtime: true
    default: false
    }
  }

  /// The hour of the day that "at 8" means in this part.
  func hour(_ said: Int, minute: Int) -> Int {
    if self == .afternoon, said == 12, minute > 0 { return 12 }
    switch self {
    case .morning, .earlyMorning, .breakfast: return said == 12 ? 0 : said
    // Midnight ends the day: "this evening at 12".
    default: return said == 12 ? 24 : said < 12 ? said + 12 : said
    }
  }
}
