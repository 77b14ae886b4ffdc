extension CivilDate {
  /// The date of a text as ISO 8601 has it: `2026-03-08`. Nil for anything else, and for a date
  /// that is not in the calendar.
  public init?(_ text: some StringProtocol) {
    var rest = Array(text.utf8)[...]
    guard let date = rest.takeDate(), rest.isEmpty else { return nil }
    self = date
  }
}

extension CivilDateTime {
  /// The time of a text as ISO 8601 has it: `2026-03-08T02:30:00`. Nil for anything else.
  public init?(_ text: some StringProtocol) {
    var rest = Array(text.utf8)[...]
    guard let wall = rest.takeDateTime(), rest.isEmpty else { return nil }
    self = wall
  }
}

extension ArraySlice<UInt8> {
  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard first == UInt8(ascii: character) else { return false }
    removeFirst()
    return true
  }

  mutating func takeNumber(digits: Int) -> Int? {
    let taken = prefix(digits)
    guard taken.count == digits, taken.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    removeFirst(digits)
    return taken.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }

  /// `2026-03-08`
  mutating func takeDate() -> CivilDate? {
    guard let year = takeNumber(digits: 4), take("-"), let month = takeNumber(digits: 2),
      take("-"), let day = takeNumber(digits: 2)
    else { return nil }
    return CivilDate(year: year, month: month, day: day)
  }

  /// `2026-03-08T02:30:00`
  mutating func takeDateTime() -> CivilDateTime? {
    guard let date = takeDate(), take("T") || take("t") || take(" "),
      let hour = takeNumber(digits: 2), take(":"), let minute = takeNumber(digits: 2), take(":"),
      let second = takeNumber(digits: 2),
      let time = CivilTime(hour: hour, minute: minute, second: second)
    else { return nil }
    return CivilDateTime(date: date, time: time)
  }
}
