import KithRPC
import KithTime
import RemindersContract
import RemindersDomain

/// What a request to make a reminder says: what to do, and when.
struct ReminderDraft {
  private static let limits = (text: 2048, notes: 8192)

  /// What to do, without the words that say when.
  let text: String
  let schedule: RemindersDomain.Schedule
  /// Whose walls the schedule means.
  let zone: Zone
  /// What else the words may mean, the likeliest first.
  let alternatives: [RemindersDomain.Schedule]
  let isMedicine: Bool

  /// Reads a request.
  /// - Throws: INVALID_ARGUMENT that names the field; FAILED_PRECONDITION where the words fit
  ///   several times and that was to be refused.
  init(
    _ request: CreateReminderRequest, of owner: ReminderBook.Owner, _ book: ReminderBook,
    now: Instant
  ) throws(RPCError) {
    try Self.check(text: request.text, notes: request.notes)
    let spoken = try Self.zone(request.zone, "zone", book) ?? owner.zone
    let reader = TimeReader(
      reference: now, zone: spoken, options: .init(region: owner.region))
    let reading = reader.read(request.text)
    let given = try Self.given(request, spoken, owner, book)
    if let given {
      if let reading { try Self.compare(reading, spoken, given, now) }
      (schedule, zone, alternatives) = (given.schedule, given.zone, [])
    } else if let reading {
      (schedule, zone) = (reading.meaning.schedule, spoken)
      alternatives = reading.alternatives.map(\.schedule)
      if request.refuseAmbiguous, !alternatives.isEmpty {
        let times = ([schedule] + alternatives).map { "\($0.start)" }.joined(separator: " or ")
        throw RPCError(
          .failedPrecondition, "the words fit several times: \(times); say which is meant")
      }
    } else {
      throw .invalidArgument(
        field: "text",
        "no time is understood in it for sure; say one such as 'at 8 pm', 'tomorrow morning' or "
          + "'every weekday at 7:30', or set schedule")
    }
    try schedule.check(in: zone, field: given == nil ? "text" : "schedule.rule")
    guard schedule.occurrences(in: zone, after: now).first(where: { _ in true }) != nil else {
      let field =
        given == nil ? "text" : request.schedule == nil ? "when_iso" : "schedule"
      throw .invalidArgument(field: field, "the time is past, and nothing follows it")
    }
    let task = Wording.task(reading?.text ?? request.text)
    text = task.isEmpty ? "Reminder" : task
    isMedicine =
      request.kind == .unspecified ? Wording.namesMedicine(task) : request.kind == .medicine
  }

  /// Checks what a person may write.
  static func check(text: String, notes: String) throws(RPCError) {
    for (field, value, limit) in [("text", text, limits.text), ("notes", notes, limits.notes)]
    where value.utf8.count > limit {
      throw .invalidArgument(
        field: field, "it has \(value.utf8.count) bytes, at most \(limit) are taken")
    }
  }

  /// The zone of a name; nil for none.
  static func zone(
    _ name: String, _ field: String, _ book: ReminderBook
  ) throws(RPCError) -> Zone? {
    if name.isEmpty { return nil }
    do throws(ZoneError) {
      return try book.zones.zone(named: name)
    } catch {
      throw .invalidArgument(field: field, error.description)
    }
  }

  /// When, where fields say it.
  private static func given(
    _ request: CreateReminderRequest, _ spoken: Zone, _ owner: ReminderBook.Owner,
    _ book: ReminderBook
  ) throws(RPCError) -> (schedule: RemindersDomain.Schedule, zone: Zone)? {
    if let message = request.schedule {
      guard request.whenIso.isEmpty else {
        throw both("schedule", "when_iso", "both say when; set one of them")
      }
      return (
        try RemindersDomain.Schedule(message, field: "schedule"),
        try zone(message.zone, "schedule.zone", book) ?? spoken
      )
    }
    if request.whenIso.isEmpty { return nil }
    guard let instant = Instant(request.whenIso) else {
      throw .invalidArgument(
        field: "when_iso", "expected a time with its offset such as 2026-11-21T20:00:00-05:00")
    }
    return (RemindersDomain.Schedule(start: owner.zone.civil(at: instant)), owner.zone)
  }

  /// Words and fields that say different times are a mistake that only the person can mend.
  private static func compare(
    _ reading: Reading, _ spoken: Zone, _ given: (schedule: RemindersDomain.Schedule, zone: Zone),
    _ now: Instant
  ) throws(RPCError) {
    func firsts(_ schedule: RemindersDomain.Schedule, _ zone: Zone) -> [Instant] {
      schedule.occurrences(in: zone, after: now).prefix(3).map(\.instant)
    }
    let meant = firsts(given.schedule, given.zone)
    let said = ([reading.meaning] + reading.alternatives).map { firsts($0.schedule, spoken) }
    guard said.contains(meant) else {
      throw both(
        "text", "when_iso or schedule", "they say different times; leave the time out of one")
    }
  }

  private static func both(_ one: String, _ other: String, _ reason: String) -> RPCError {
    var error = RPCError.invalidArgument(field: one, reason)
    error.message = "\(one) and \(other): \(reason)"
    return error
  }
}

extension Reading.Meaning {
  /// When a reminder of it is due.
  var schedule: RemindersDomain.Schedule {
    switch self {
    case .once(let moment): RemindersDomain.Schedule(start: moment.due)
    case .recurring(let schedule): schedule
    }
  }
}
