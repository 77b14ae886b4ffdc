import KithTime
import UsageLockDomain

/// The times of a ``UseLedger`` as a text: for each how long after the one before it begins and how
/// long it is, in milliseconds.
enum UseText {
  static func text(_ intervals: [UseLedger.Interval]) -> String {
    var last = 0
    var text = ""
    for interval in intervals {
      let (start, end) = (interval.start.milliseconds, interval.end.milliseconds)
      text += "\(start - last) \(end - start) "
      last = end
    }
    return text
  }

  /// - Returns: nil for what is no such text.
  static func intervals(_ text: String) -> [UseLedger.Interval]? {
    let numbers = text.split(separator: " ").map { Int($0) }
    guard numbers.count.isMultiple(of: 2) else { return nil }
    var last = 0
    var intervals: [UseLedger.Interval] = []
    for index in stride(from: 0, to: numbers.count, by: 2) {
      guard let gap = numbers[index], let length = numbers[index + 1] else { return nil }
      let start = last + gap
      last = start + length
      intervals.append(
        UseLedger.Interval(
          start: Instant(milliseconds: start), end: Instant(milliseconds: last)))
    }
    return intervals
  }
}
