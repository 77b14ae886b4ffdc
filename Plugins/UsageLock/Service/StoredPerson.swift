import KithAccess
import KithRPC
import KithStore
import KithTime
import UsageLockDomain

/// How far somebody has come, as a row.
struct StoredPerson {
  let user: UserID
  var state: LockState
  /// When they want to be told again, and of which app.
  var remindAt: Instant?
  var remindApp: String?
  /// The PIN of emergency passes as ``PINHash`` has it; nil for none.
  var pin: String?
  /// Since when a device of theirs lacks a permission.
  var protectionOff: Instant?
  /// When there is something to do; nil for never.
  var nextDue: Instant?

  /// What is to be written of one that has gone on: no more, since sealing costs.
  func columns(changedFrom old: StoredPerson) -> Set<String> {
    var columns: Set<String> = []
    let (new, old) = (self, old)
    func note<Value: Equatable>(_ path: KeyPath<StoredPerson, Value>, _ names: String...) {
      if new[keyPath: path] != old[keyPath: path] { columns.formUnion(names) }
    }
    if new.state.profile != old.state.profile { columns.formUnion(ProfileColumns.names("")) }
    if new.state.pending != old.state.pending {
      columns.formUnion(ProfileColumns.names("pending_"))
    }
    note(\.state.pendingDue, "pending_due_ms")
    note(\.state.day, "day", "day_zone", "day_start_ms", "day_end_ms")
    note(\.state.uses, "uses")
    note(\.state.extrasTaken, "extras_taken")
    note(\.state.extraTime, "extra_time_ms")
    note(\.state.isUsedUpTold, "is_used_up_told")
    note(\.state.lastHour, "last_hour_ms")
    note(\.state.openUntil, "open_until_ms")
    note(\.state.isSpoken, "is_spoken")
    note(
      \.state.ladder, "challenge", "challenge_expires_ms", "challenge_tries", "failures",
      "cool_down_until_ms")
    note(
      \.state.passes, "pass", "pass_from_ms", "pass_expires_ms", "is_pass_used", "pass_until_ms",
      "pin_failures", "pin_cool_down_until_ms")
    note(\.pin, "pin")
    note(\.remindAt, "remind_at_ms")
    note(\.remindApp, "remind_app")
    note(\.protectionOff, "protection_off_ms")
    note(\.nextDue, "next_due_ms")
    return columns
  }
}

/// A row of ``StoredPerson`` whose zone and debounce are not known yet.
struct StoredPersonRow: UserRecord {
  static let table = "person"

  let user: UserID
  /// Makes the person of it.
  let person: (@Sendable (Zone, Duration) -> StoredPerson)
  let dayZone: String
  /// What is to be written; nil for a row that was read.
  private let written: StoredPerson?

  var id: String { user.text }

  /// A row to be written.
  init(_ person: StoredPerson) {
    user = person.user
    dayZone = person.state.day.zone.name
    written = person
    self.person = { _, _ in person }
  }

  init(_ row: RecordReader) throws {
    let user = try row.user()
    let date: String = try row["day"]
    guard let date = CivilDate(date) else { throw row.unreadable("day", expected: "a date") }
    guard let profile = try ProfileColumns.read(row, "") else {
      throw row.unreadable("mode", expected: "a mode")
    }
    let pending = try ProfileColumns.read(row, "pending_")
    let (start, end) = (
      Instant(milliseconds: try row["day_start_ms"]), Instant(milliseconds: try row["day_end_ms"])
    )
    guard let uses = UseText.intervals(try (row["uses"] as Sealed<String>).value) else {
      throw row.unreadable("uses", expected: "pairs of numbers")
    }
    let ladder = ChallengeLadder(
      id: try row["challenge"], expires: try row.instant("challenge_expires_ms"),
      triesLeft: try row["challenge_tries"], failures: try row["failures"],
      coolDownUntil: try row.instant("cool_down_until_ms"))
    let (pendingDue, lastHour, openUntil) = (
      try row.instant("pending_due_ms"), try row.instant("last_hour_ms"),
      try row.instant("open_until_ms")
    )
    let extrasTaken: Int = try row["extras_taken"]
    let extraTime = Duration.milliseconds(try row["extra_time_ms"] as Int64)
    let (isTold, isSpoken): (Bool, Bool) = (try row["is_used_up_told"], try row["is_spoken"])
    let passes = PassBook(
      id: try row["pass"], usableFrom: try row.instant("pass_from_ms"),
      expires: try row.instant("pass_expires_ms"), isUsed: try row["is_pass_used"],
      openUntil: try row.instant("pass_until_ms"), failures: try row["pin_failures"],
      coolDownUntil: try row.instant("pin_cool_down_until_ms"))
    let pin = try (row["pin"] as Sealed<String>?)?.value
    let remindAt = try row.instant("remind_at_ms")
    let remindApp = try (row["remind_app"] as Sealed<String>?)?.value
    let (protectionOff, nextDue) = (
      try row.instant("protection_off_ms"), try row.instant("next_due_ms")
    )
    self.user = user
    dayZone = try row["day_zone"]
    written = nil
    person = { zone, debounce in
      StoredPerson(
        user: user,
        state: LockState(
          profile: profile, pending: pending, pendingDue: pendingDue,
          day: LockDay(date: date, zone: zone, start: start, end: end),
          uses: UseLedger(debounce: debounce, intervals: uses), extrasTaken: extrasTaken,
          extraTime: extraTime, isUsedUpTold: isTold, lastHour: lastHour, openUntil: openUntil,
          isSpoken: isSpoken, ladder: ladder, passes: passes), remindAt: remindAt,
        remindApp: remindApp, pin: pin,
        protectionOff: protectionOff, nextDue: nextDue)
    }
  }

  func write(to row: inout RecordWriter) throws {
    guard let written else { return }
    let state = written.state
    try ProfileColumns.write(state.profile, to: &row, "")
    try ProfileColumns.write(state.pending, to: &row, "pending_")
    row.set("pending_due_ms", state.pendingDue?.milliseconds)
    row.set("day", "\(state.day.date)")
    row.set("day_zone", state.day.zone.name)
    row.set("day_start_ms", state.day.start.milliseconds)
    row.set("day_end_ms", state.day.end.milliseconds)
    try row.set("uses", Sealed(UseText.text(state.uses.intervals)))
    row.set("extras_taken", state.extrasTaken)
    row.set("extra_time_ms", state.extraTime.milliseconds)
    row.set("is_used_up_told", state.isUsedUpTold)
    row.set("last_hour_ms", state.lastHour?.milliseconds)
    row.set("open_until_ms", state.openUntil?.milliseconds)
    row.set("is_spoken", state.isSpoken)
    row.set("challenge", state.ladder.id)
    row.set("challenge_expires_ms", state.ladder.expires?.milliseconds)
    row.set("challenge_tries", state.ladder.triesLeft)
    row.set("failures", state.ladder.failures)
    row.set("cool_down_until_ms", state.ladder.coolDownUntil?.milliseconds)
    row.set("pass", state.passes.id)
    row.set("pass_from_ms", state.passes.usableFrom?.milliseconds)
    row.set("pass_expires_ms", state.passes.expires?.milliseconds)
    row.set("is_pass_used", state.passes.isUsed)
    row.set("pass_until_ms", state.passes.openUntil?.milliseconds)
    row.set("pin_failures", state.passes.failures)
    row.set("pin_cool_down_until_ms", state.passes.coolDownUntil?.milliseconds)
    try row.set("pin", written.pin.map { Sealed($0) })
    row.set("remind_at_ms", written.remindAt?.milliseconds)
    try row.set("remind_app", written.remindApp.map { Sealed($0) })
    row.set("protection_off_ms", written.protectionOff?.milliseconds)
    row.set("next_due_ms", written.nextDue?.milliseconds)
  }
}

extension RecordReader {
  func instant(_ column: String) throws -> Instant? {
    (try self[column] as Int?).map { Instant(milliseconds: $0) }
  }
}
