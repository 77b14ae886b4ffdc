import KithRPC
import KithTime
import RemindersContract
import RemindersDomain

extension RemindersDomain.Schedule {
  private static let mostDates = 10_000

  /// The schedule of a message.
  /// - Parameter field: where the message stands in the request, for errors.
  /// - Throws: INVALID_ARGUMENT that names the field which is wrong.
  init(_ message: RemindersContract.Schedule, field: String) throws(RPCError) {
    var rule: RecurrenceRule?
    if !message.rule.isEmpty {
      do throws(RecurrenceRuleError) {
        rule = try RecurrenceRule(parsing: message.rule)
      } catch {
        throw .invalidArgument(field: "\(field).rule", error.description)
      }
    }
    for (name, count) in [
      ("additions", message.additions.count), ("exclusions", message.exclusions.count),
    ] where count > Self.mostDates {
      throw .invalidArgument(
        field: "\(field).\(name)", "there are \(count), at most \(Self.mostDates) are taken")
    }
    self.init(
      start: try Self.wall(message.start, "\(field).start"), rule: rule,
      additions: try message.additions.map { text throws(RPCError) in
        try Self.wall(text, "\(field).additions")
      },
      exclusions: try message.exclusions.map { text throws(RPCError) in
        if let date = CivilDate(text) { return .day(date) }
        return .time(try Self.wall(text, "\(field).exclusions"))
      }, policy: try Self.policy(message.policy, rule, field))
  }

  /// Checks that the work on it stays small.
  /// - Throws: INVALID_ARGUMENT that names the field.
  func check(in zone: Zone, field: String) throws(RPCError) {
    do throws(RemindersDomain.Schedule.Excess) {
      try checkBounds(in: zone)
    } catch {
      throw .invalidArgument(field: field, error.description)
    }
  }

  private static func wall(_ text: String, _ field: String) throws(RPCError) -> CivilDateTime {
    guard let wall = CivilDateTime(text) else {
      throw .invalidArgument(
        field: field, "expected a time on the wall such as 2026-11-21T20:00:00")
    }
    return wall
  }

  private static func policy(
    _ policy: RemindersContract.Policy, _ rule: RecurrenceRule?, _ field: String
  ) throws(RPCError) -> Policy {
    switch policy {
    case .wall: return .wall
    case .elapsed: return .elapsed
    case .unspecified: return rule.map { $0.frequency <= .hourly } == true ? .elapsed : .wall
    default:
      throw .invalidArgument(field: "\(field).policy", "expected WALL or ELAPSED")
    }
  }

  /// As the contract has it, on the walls of a zone.
  func message(in zone: String) -> RemindersContract.Schedule {
    RemindersContract.Schedule(
      start: "\(start)", zone: zone, rule: rule?.text ?? "", additions: additions.map { "\($0)" },
      exclusions: exclusions.map { exclusion in
        switch exclusion {
        case .day(let day): "\(day)"
        case .time(let time): "\(time)"
        }
      }, policy: policy == .elapsed ? .elapsed : .wall)
  }
}

extension RemindersDomain.Ladder {
  /// The most repeats that a ladder may have, and the longest step: a week.
  private static let limits = (repeats: 20, step: UInt32(7 * 86_400_000))

  /// The ladder of a message.
  /// - Throws: INVALID_ARGUMENT that names the field which is wrong.
  init(_ message: RemindersContract.Ladder, grace: Duration, field: String) throws(RPCError) {
    let missed = message.missedAfterMs ?? 1_800_000
    guard (1_000...Self.limits.step).contains(missed) else {
      throw .invalidArgument(
        field: "\(field).missed_after_ms", "expected 1000 to \(Self.limits.step)")
    }
    let repeats = message.repeatsMs
    guard repeats.count <= Self.limits.repeats,
      zip([0] + repeats, repeats + [missed]).allSatisfy({ $0 < $1 })
    else {
      throw .invalidArgument(
        field: "\(field).repeats_ms",
        "expected at most \(Self.limits.repeats), ascending, above 0 and below missed_after_ms")
    }
    if let contact = message.contactAfterMs,
      contact < missed || contact > Self.limits.step
    {
      throw .invalidArgument(
        field: "\(field).contact_after_ms",
        "expected no less than missed_after_ms and at most \(Self.limits.step)")
    }
    self.init(
      repeats: repeats.map { .milliseconds($0) }, missedAfter: .milliseconds(missed),
      contactAfter: message.contactAfterMs.map { .milliseconds($0) }, grace: grace)
  }

  /// As the contract has it.
  var message: RemindersContract.Ladder {
    RemindersContract.Ladder(
      repeatsMs: repeats.map(\.wholeMilliseconds), missedAfterMs: missedAfter.wholeMilliseconds,
      contactAfterMs: contactAfter.map(\.wholeMilliseconds))
  }
}

extension Duration {
  fileprivate var wholeMilliseconds: UInt32 {
    UInt32(clamping: components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000)
  }
}

extension RemindersDomain.Region {
  init(_ region: RemindersContract.Region) {
    self =
      switch region {
      case .canada: .canada
      case .britain: .britain
      case .australia: .australia
      default: .unitedStates
      }
  }
}

extension RemindersContract.Region {
  init(_ region: RemindersDomain.Region) {
    self =
      switch region {
      case .unitedStates: .unitedStates
      case .canada: .canada
      case .britain: .britain
      case .australia: .australia
      }
  }
}

extension RemindersContract.MissedReason {
  init(_ reason: RemindersDomain.MissedReason) {
    self =
      switch reason {
      case .unanswered: .unanswered
      case .downtime: .downtime
      case .superseded: .superseded
      case .quietHours: .quietHours
      }
  }
}
