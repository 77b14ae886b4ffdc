import KithStore
import KithWire
import RemindersContract
import RemindersDomain

/// Changes the rows of "reminders 1", which held encoded messages and numbers of the contract, into
/// the worker's own forms.
enum OwnForms {
  /// What cannot be read stays a reminder that cannot be read, and is in the way of no other.
  static func reminder(_ row: inout StoredRow) throws {
    let schedule = try? RemindersContract.Schedule(decoding: try row["schedule"])
    for (column, value) in StoredSchedule(schedule ?? RemindersContract.Schedule()).values {
      row.set(column, value)
    }
    let bytes: [UInt8]? = try row["ladder"]
    let ladder = bytes.flatMap { try? RemindersContract.Ladder(decoding: $0) }
      .map { StoredLadder($0) }
    row.set("ladder_repeats_ms", ladder?.repeatsText)
    row.set("ladder_missed_after_ms", ladder?.missedAfterMilliseconds)
    row.set("ladder_contact_after_ms", ladder?.contactAfterMilliseconds)
    let state = StoredReminder.State(ReminderState(rawValue: try row["state"]))
    row.set("state", state ?? .finished)
  }

  static func occurrence(_ row: inout StoredRow) throws {
    let state = StoredOccurrence.State(OccurrenceState(rawValue: try row["state"]))
    row.set("state", state ?? .scheduled)
    let reason = RemindersContract.MissedReason(rawValue: try row["missed_reason"])
    row.set(
      "missed_reason",
      RemindersDomain.MissedReason.allCases.first { RemindersContract.MissedReason($0) == reason })
  }

  static func person(_ row: inout StoredRow) throws {
    let region = RemindersContract.Region(rawValue: try row["region"])
    row.set("region", region == .unspecified ? nil : RemindersDomain.Region(region))
  }
}
