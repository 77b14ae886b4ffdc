import KithAccess
import KithStore
import KithTime
import KithWire
import RemindersContract
import RemindersDomain

/// A reminder as a row: what it is to do, and how far it has come.
struct StoredReminder {
  /// Whether it still reminds.
  enum State: String, Sendable, Hashable, StoreConvertible {
    case active, paused, finished

    /// The state of a contract's value; nil for one that names none.
    init?(_ state: ReminderState) {
      switch state {
      case .active: self = .active
      case .paused: self = .paused
      case .finished: self = .finished
      default: return nil
      }
    }

    /// As the contract has it.
    var message: ReminderState {
      switch self {
      case .active: .active
      case .paused: .paused
      case .finished: .finished
      }
    }
  }

  let id: String
  let user: UserID
  var text: Sealed<String>
  var notes: Sealed<String>?
  /// What a calendar file that it came from calls it.
  var uid: Sealed<String>?
  var isMedicine: Bool
  var state: State
  var schedule: StoredSchedule
  /// What follows when nobody answers; nil for what the worker's configuration says.
  var ladder: StoredLadder?
  let createdAt: Instant
  var progress: ReminderProgress
  /// When there is something to do next; nil for never.
  var nextStep: Instant?
  /// When an occurrence is sent next; nil for never.
  var nextDue: Instant?
  /// What both were worked out from: see ``ReminderBook/basis``.
  var basis: Int64 = 0

  /// Whether a part of what somebody wrote is lost.
  var isDamaged: Bool { text.isDamaged || notes?.isDamaged == true }

  /// The text for a notification, which is sent whatever became of the words.
  var spokenText: String { text.intact ?? "A reminder whose words were lost" }
}

extension StoredReminder: UserRecord {
  static let table = "reminder"

  init(_ row: RecordReader) throws {
    self.init(
      id: try row["id"], user: try row.user(), text: try row["text"], notes: try row["notes"],
      uid: try row["uid"], isMedicine: try row["is_medicine"],
      state: try row["state"],
      schedule: try StoredSchedule(row), ladder: try StoredLadder(row),
      createdAt: Instant(milliseconds: try row["created_at_ms"]),
      progress: try ReminderProgress(row), nextStep: try row.instant("next_step_ms"),
      nextDue: try row.instant("next_due_ms"), basis: try row["basis"])
  }

  func write(to row: inout RecordWriter) throws {
    try row.set("text", text)
    try row.set("notes", notes)
    try row.set("uid", uid)
    row.setIndex("uid_index", uid)
    row.set("is_medicine", isMedicine)
    row.set("state", state)
    schedule.write(to: &row)
    StoredLadder.write(ladder, to: &row)
    row.set("created_at_ms", createdAt.milliseconds)
    progress.write(to: &row)
    row.set("next_step_ms", nextStep?.milliseconds)
    row.set("next_due_ms", nextDue?.milliseconds)
    row.set("basis", basis)
  }
}

extension StoredReminder {
  private static let progressColumns: Set<String> = [
    "cursor_ms", "last_wall", "walls_decided", "done_ahead_ms", "open_due_ms",
    "open_ladder_start_ms", "open_snoozes", "open_repeats", "open_snoozed_until_ms",
    "open_is_missed",
  ]

  /// What is to be written of a life that has gone on: no more, since each column may stand in an
  /// index.
  static func columns(changedFrom old: StoredReminder, to new: StoredReminder) -> Set<String> {
    var columns = progressColumns
    if old.nextStep != new.nextStep { columns.insert("next_step_ms") }
    if old.nextDue != new.nextDue { columns.insert("next_due_ms") }
    if old.state != new.state { columns.insert("state") }
    if old.basis != new.basis { columns.insert("basis") }
    if old.schedule != new.schedule { columns.formUnion(StoredSchedule.columns) }
    return columns
  }
}

extension ReminderProgress {
  fileprivate init(_ row: RecordReader) throws {
    self.init(cursor: Instant(milliseconds: try row["cursor_ms"]))
    lastWall = (try row["last_wall"] as Int?).map(CivilDateTime.init(wallSeconds:))
    wallsDecided = (try row["walls_decided"] as Int?).map(CivilDateTime.init(wallSeconds:))
    doneAhead = try row.instant("done_ahead_ms")
    if let due = try row.instant("open_due_ms") {
      var open = OpenOccurrence(
        due: due, ladderStart: try row.instant("open_ladder_start_ms") ?? due)
      open.snoozes = try row["open_snoozes"]
      open.repeats = try row["open_repeats"]
      open.snoozedUntil = try row.instant("open_snoozed_until_ms")
      open.isMissed = try row["open_is_missed"]
      self.open = open
    }
  }

  fileprivate func write(to row: inout RecordWriter) {
    row.set("cursor_ms", cursor.milliseconds)
    row.set("last_wall", lastWall?.wallSeconds)
    row.set("walls_decided", wallsDecided?.wallSeconds)
    row.set("done_ahead_ms", doneAhead?.milliseconds)
    row.set("open_due_ms", open?.due.milliseconds)
    row.set("open_ladder_start_ms", open?.ladderStart.milliseconds)
    row.set("open_snoozes", open?.snoozes ?? 0)
    row.set("open_repeats", open?.repeats ?? 0)
    row.set("open_snoozed_until_ms", open?.snoozedUntil?.milliseconds)
    row.set("open_is_missed", open?.isMissed ?? false)
  }
}

extension RecordReader {
  func instant(_ column: String) throws -> Instant? {
    (try self[column] as Int?).map { Instant(milliseconds: $0) }
  }
}
