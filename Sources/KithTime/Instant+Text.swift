extension Instant {
  /// The instant of a text as RFC 3339 has it: `2026-03-08T07:30:00Z`,
  /// `2026-03-08T02:30:00.250-05:00`. Nil for anything else, for a date that is not in the
  /// calendar, and for a leap second, which no clock here shows.
  public init?(_ text: some StringProtocol) {
    var rest = Array(text.utf8)[...]
    guard let wall = rest.takeDateTime(), let fraction = rest.takeMilliseconds(),
      let offset = rest.takeOffset(), rest.isEmpty
    else { return nil }
    self.init(milliseconds: (wall.wallSeconds - offset) * 1000 + fraction)
  }
}

extension ArraySlice<UInt8> {
  /// A fraction of a second, if there is one; what is below a millisecond is dropped.
  fileprivate mutating func takeMilliseconds() -> Int? {
    guard take(".") else { return 0 }
    let digits = prefix { (0x30...0x39).contains($0) }
    guard !digits.isEmpty else { return nil }
    removeFirst(digits.count)
    let shown = digits.prefix(3)
    let value = shown.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    return (shown.count..<3).reduce(value) { value, _ in value * 10 }
  }

  /// Seconds east of Greenwich.
  fileprivate mutating func takeOffset() -> Int? {
    if take("Z") || take("z") { return 0 }
    let isWest = first == UInt8(ascii: "-")
    guard take("+") || take("-"), let hours = takeNumber(digits: 2), take(":"),
      let minutes = takeNumber(digits: 2), hours < 24, minutes < 60
    else { return nil }
    return (isWest ? -1 : 1) * (hours * 3600 + minutes * 60)
  }
}
