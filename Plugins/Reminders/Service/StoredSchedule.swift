public import KithStore
import RemindersContract
public import RemindersDomain

/// When a reminder is due, as its row keeps it: the texts of iCalendar, and the zone whose walls
/// they mean.
struct StoredSchedule: Sendable, Hashable {
  /// What happens where clocks are put forward or back.
  enum Policy: String, StoreConvertible {
    case wall, elapsed
  }

  /// The columns.
  static let columns: Set<String> = ["start", "zone", "rule", "additions", "exclusions", "policy"]

  /// `2026-11-21T20:00:00`
  var start: String
  /// `America/New_York`
  var zone: String
  /// `FREQ=DAILY`; empty for once.
  var rule: String
  /// Further times.
  var additions: [String]
  /// Times and days that are left out.
  var exclusions: [String]
  var policy: Policy

  /// The stored form of a schedule on the walls of a zone.
  init(_ schedule: RemindersDomain.Schedule, in zone: String) {
    self.init(schedule.message(in: zone))
  }

  /// The stored form of a message. What is wrong with it shows when it is read.
  init(_ message: RemindersContract.Schedule) {
    start = message.start
    zone = message.zone
    rule = message.rule
    additions = message.additions
    exclusions = message.exclusions
    policy = message.policy == .elapsed ? .elapsed : .wall
  }

  init(_ row: RecordReader) throws {
    start = try row["start"]
    zone = try row["zone"]
    rule = try row["rule"]
    additions = Self.list(try row["additions"])
    exclusions = Self.list(try row["exclusions"])
    policy = try row["policy"]
  }

  func write(to row: inout RecordWriter) {
    for (column, value) in values { row.set(column, value) }
  }

  /// The columns and what they hold.
  var values: [(column: String, value: String)] {
    [
      ("start", start), ("zone", zone), ("rule", rule),
      ("additions", additions.joined(separator: " ")),
      ("exclusions", exclusions.joined(separator: " ")), ("policy", policy.rawValue),
    ]
  }

  private static func list(_ text: String) -> [String] {
    text.split(separator: " ").map(String.init)
  }

  /// As the contract has it.
  var message: RemindersContract.Schedule {
    RemindersContract.Schedule(
      start: start, zone: zone, rule: rule, additions: additions, exclusions: exclusions,
      policy: policy == .elapsed ? .elapsed : .wall)
  }

  /// As the domain has it.
  /// - Throws: INVALID_ARGUMENT if the row holds none.
  var schedule: RemindersDomain.Schedule {
    get throws { try RemindersDomain.Schedule(message, field: "schedule") }
  }
}

extension RemindersDomain.MissedReason: StoreConvertible {}
extension RemindersDomain.Region: StoreConvertible {}
