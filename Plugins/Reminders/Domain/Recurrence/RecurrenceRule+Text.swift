import KithTime

extension RecurrenceRule {
  /// The longest rule that is read, in bytes: every part with every value it can have.
  public static let longestText = 8192

  /// Reads a rule as iCalendar writes it, in any case: `FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,TH`.
  /// - Throws: `RecurrenceRuleError`, which names the part that is wrong.
  public init(parsing text: some StringProtocol) throws(RecurrenceRuleError) {
    guard text.utf8.count <= Self.longestText else {
      throw RecurrenceRuleError(
        "RRULE", "is too long", expected: "at most \(Self.longestText) bytes")
    }
    var parts: [String: String] = [:]
    for item in text.uppercased().split(separator: ";", omittingEmptySubsequences: false) {
      guard let equals = item.firstIndex(of: "="), equals != item.startIndex else {
        throw RecurrenceRuleError(
          "RRULE", "has '\(item.prefix(40))' in it",
          expected: "NAME=VALUE with ';' between, as in FREQ=DAILY;COUNT=3")
      }
      let name = String(item[..<equals])
      // What a rule of BYDAY is called in some older files.
      let key = name == "BYWEEKDAY" ? "BYDAY" : name
      guard parts.updateValue(String(item[item.index(after: equals)...]), forKey: key) == nil else {
        throw RecurrenceRuleError(key, "is there twice", expected: "each part once")
      }
    }
    var reader = PartReader(parts: parts)
    self = try reader.rule()
    try reader.finish()
  }

  /// The rule as iCalendar writes it, the parts in the order of the RFC.
  public var text: String {
    var parts = ["FREQ=\(frequency.text)"]
    func add(_ name: String, _ values: [Int]) {
      if !values.isEmpty {
        parts.append("\(name)=\(values.map(String.init).joined(separator: ","))")
      }
    }
    switch end {
    case .never: break
    case .count(let count): parts.append("COUNT=\(count)")
    case .until(let until): parts.append("UNTIL=\(until.text)")
    }
    if interval != 1 { parts.append("INTERVAL=\(interval)") }
    add("BYSECOND", seconds)
    add("BYMINUTE", minutes)
    add("BYHOUR", hours)
    if !weekdays.isEmpty {
      parts.append("BYDAY=\(weekdays.map(\.text).joined(separator: ","))")
    }
    add("BYMONTHDAY", monthDays)
    add("BYYEARDAY", yearDays)
    add("BYWEEKNO", weekNumbers)
    add("BYMONTH", months)
    add("BYSETPOS", setPositions)
    if weekStart != .monday { parts.append("WKST=\(weekStart.code)") }
    switch skip {
    case .omit: break
    // RFC 7529, 4.1: SKIP stands only beside RSCALE.
    case .backward: parts.append("RSCALE=GREGORIAN;SKIP=BACKWARD")
    case .forward: parts.append("RSCALE=GREGORIAN;SKIP=FORWARD")
    }
    return parts.joined(separator: ";")
  }
}

extension RecurrenceRule.Frequency {
  var text: String { "\(self)".uppercased() }
}

extension RecurrenceRule.WeekdayNumber {
  var text: String { (number.map(String.init) ?? "") + weekday.code }
}

extension RecurrenceRule.Until {
  var text: String {
    switch self {
    case .date(let date): BasicFormat.text(of: date)
    case .local(let local): BasicFormat.text(of: local)
    case .utc(let utc): BasicFormat.text(of: utc) + "Z"
    }
  }
}

extension Weekday {
  /// As RFC 5545 writes it: MO.
  var code: String { ["MO", "TU", "WE", "TH", "FR", "SA", "SU"][rawValue - 1] }

  init?(code: some StringProtocol) {
    guard let weekday = Weekday.allCases.first(where: { $0.code == code }) else { return nil }
    self = weekday
  }
}

/// Takes the parts of a rule one by one; what is left at the end is unknown.
private struct PartReader {
  var parts: [String: String]

  mutating func rule() throws(RecurrenceRuleError) -> RecurrenceRule {
    var rule = RecurrenceRule(
      try frequency(), interval: try number("INTERVAL", 1...1_000_000) ?? 1, end: try end())
    rule.seconds = try numbers("BYSECOND", 0...60)
    rule.minutes = try numbers("BYMINUTE", 0...59)
    rule.hours = try numbers("BYHOUR", 0...23)
    rule.weekdays = try weekdays()
    rule.monthDays = try numbers("BYMONTHDAY", -31...31, zero: false)
    rule.yearDays = try numbers("BYYEARDAY", -366...366, zero: false)
    rule.weekNumbers = try numbers("BYWEEKNO", -53...53, zero: false)
    rule.months = try numbers("BYMONTH", 1...12)
    rule.setPositions = try numbers("BYSETPOS", -366...366, zero: false)
    rule.weekStart = try weekStart()
    rule.skip = try skip()
    return rule
  }

  func finish() throws(RecurrenceRuleError) {
    // RFC 5545, 3.1: names that begin with X- are other people's and ignored.
    guard let name = parts.keys.filter({ !$0.hasPrefix("X-") }).min() else { return }
    throw RecurrenceRuleError(
      String(name.prefix(40)), "is no part of a rule",
      expected: "FREQ, INTERVAL, COUNT, UNTIL, a BY... part, WKST, RSCALE or SKIP")
  }

  private mutating func take(_ name: String) -> String? { parts.removeValue(forKey: name) }

  private mutating func frequency() throws(RecurrenceRuleError) -> RecurrenceRule.Frequency {
    let expected = "one of SECONDLY, MINUTELY, HOURLY, DAILY, WEEKLY, MONTHLY and YEARLY"
    guard let text = take("FREQ") else {
      throw RecurrenceRuleError("FREQ", "is missing", expected: expected)
    }
    guard let frequency = RecurrenceRule.Frequency.allCases.first(where: { $0.text == text })
    else { throw RecurrenceRuleError("FREQ", "is '\(text.prefix(40))'", expected: expected) }
    return frequency
  }

  private mutating func end() throws(RecurrenceRuleError) -> RecurrenceRule.End {
    let count = try number("COUNT", 1...1_000_000_000)
    guard let text = take("UNTIL") else { return count.map { .count($0) } ?? .never }
    guard count == nil else {
      throw RecurrenceRuleError("UNTIL", "stands beside COUNT", expected: "one of them")
    }
    if let date = BasicFormat.date(text) { return .until(.date(date)) }
    if let local = BasicFormat.dateTime(text) { return .until(.local(local)) }
    if text.hasSuffix("Z"), let utc = BasicFormat.dateTime(text.dropLast()) {
      return .until(.utc(utc))
    }
    throw RecurrenceRuleError(
      "UNTIL", "is '\(text.prefix(40))'", expected: "20261231, 20261231T235959 or 20261231T235959Z")
  }

  private mutating func number(
    _ name: String, _ range: ClosedRange<Int>
  ) throws(RecurrenceRuleError) -> Int? {
    guard let text = take(name) else { return nil }
    guard let value = Int(text), range.contains(value) else {
      throw RecurrenceRuleError(
        name, "is '\(text.prefix(40))'",
        expected: "a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }

  private mutating func numbers(
    _ name: String, _ range: ClosedRange<Int>, zero: Bool = true
  ) throws(RecurrenceRuleError) -> [Int] {
    guard let text = take(name) else { return [] }
    var values: [Int] = []
    var seen: Set<Int> = []
    for item in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let value = Int(item), range.contains(value), zero || value != 0 else {
        throw RecurrenceRuleError(
          name, "has '\(item.prefix(40))' in it",
          expected: "numbers from \(range.lowerBound) to \(range.upperBound)"
            + "\(zero ? "" : ", not 0,") with ',' between")
      }
      if seen.insert(value).inserted { values.append(value) }
    }
    return values
  }

  private mutating func weekdays() throws(RecurrenceRuleError) -> [RecurrenceRule.WeekdayNumber] {
    guard let text = take("BYDAY") else { return [] }
    var values: [RecurrenceRule.WeekdayNumber] = []
    var seen: Set<RecurrenceRule.WeekdayNumber> = []
    for item in text.split(separator: ",", omittingEmptySubsequences: false) {
      let digits = item.dropLast(2)
      let number = digits.isEmpty ? nil : Int(digits)
      guard let weekday = Weekday(code: item.suffix(2)),
        digits.isEmpty || number.map({ (-53...53).contains($0) && $0 != 0 }) == true
      else {
        throw RecurrenceRuleError(
          "BYDAY", "has '\(item.prefix(40))' in it",
          expected:
            "MO, TU, WE, TH, FR, SA or SU, each with a number from -53 to 53 before it or none")
      }
      let value = RecurrenceRule.WeekdayNumber(weekday, number: number)
      if seen.insert(value).inserted { values.append(value) }
    }
    return values
  }

  private mutating func weekStart() throws(RecurrenceRuleError) -> Weekday {
    guard let text = take("WKST") else { return .monday }
    guard let weekday = Weekday(code: text) else {
      throw RecurrenceRuleError(
        "WKST", "is '\(text.prefix(40))'", expected: "MO, TU, WE, TH, FR, SA or SU")
    }
    return weekday
  }

  private mutating func skip() throws(RecurrenceRuleError) -> RecurrenceRule.Skip {
    if let scale = take("RSCALE"), scale != "GREGORIAN" {
      throw RecurrenceRuleError(
        "RSCALE", "is '\(scale.prefix(40))'", expected: "GREGORIAN, the calendar that is kept here")
    }
    switch take("SKIP") {
    case nil, "OMIT": return .omit
    case "BACKWARD": return .backward
    case "FORWARD": return .forward
    case let text?:
      throw RecurrenceRuleError(
        "SKIP", "is '\(text.prefix(40))'", expected: "OMIT, BACKWARD or FORWARD")
    }
  }
}
