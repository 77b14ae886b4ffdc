import KithStore
import RemindersContract

/// The escalation steps of one reminder, as its row stores them. A value is nil if the person left
/// it open.
struct StoredLadder: Sendable, Hashable {
  var repeatsMilliseconds: [UInt32]
  var missedAfterMilliseconds: UInt32?
  var contactAfterMilliseconds: UInt32?

  /// The stored form of a message.
  init(_ message: RemindersContract.Ladder) {
    repeatsMilliseconds = message.repeatsMs
    missedAfterMilliseconds = message.missedAfterMs
    contactAfterMilliseconds = message.contactAfterMs
  }

  /// The ladder of a row; nil for the steps that the worker's configuration says.
  init?(_ row: RecordReader) throws {
    guard let repeats: String = try row["ladder_repeats_ms"] else { return nil }
    repeatsMilliseconds = repeats.split(separator: " ").compactMap { UInt32($0) }
    missedAfterMilliseconds = try row["ladder_missed_after_ms"]
    contactAfterMilliseconds = try row["ladder_contact_after_ms"]
  }

  static func write(_ ladder: StoredLadder?, to row: inout RecordWriter) {
    row.set("ladder_repeats_ms", ladder?.repeatsText)
    row.set("ladder_missed_after_ms", ladder?.missedAfterMilliseconds)
    row.set("ladder_contact_after_ms", ladder?.contactAfterMilliseconds)
  }

  /// `600000 1200000`
  var repeatsText: String { repeatsMilliseconds.map { "\($0)" }.joined(separator: " ") }

  /// As the contract has it.
  var message: RemindersContract.Ladder {
    RemindersContract.Ladder(
      repeatsMs: repeatsMilliseconds, missedAfterMs: missedAfterMilliseconds,
      contactAfterMs: contactAfterMilliseconds)
  }
}
