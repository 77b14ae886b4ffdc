public import KithTime

/// When a reminder is due: a time on the wall, perhaps a rule, and days that are added or left out.
///
/// A row stores this and the name of a zone; instants are calculated from both, and again when
/// either or the system's tzdata changes.
public struct Schedule: Sendable, Hashable {
  /// What happens where clocks are put forward or back.
  public enum Policy: Sendable, Hashable {
    /// The wall decides: 8 in the morning stays 8 in the morning. A skipped time is shifted by the
    /// gap, never left out (as RFC 5545, 3.3.5, has it; its 3.3.10 would leave out a medicine); of
    /// a repeated one the first counts.
    case wall
    /// The time that passes decides: every 8 hours stays 8 hours apart. The rule runs on a clock
    /// that is never changed, with the offset of the start.
    case elapsed
  }

  /// What is left out.
  public enum Exclusion: Sendable, Hashable {
    /// `EXDATE` with a time: this occurrence.
    case time(CivilDateTime)
    /// `EXDATE` with a date: everything on this day.
    case day(CivilDate)
  }

  /// `DTSTART`, on the wall.
  public var start: CivilDateTime
  /// `RRULE`; nil for once.
  public var rule: RecurrenceRule?
  /// `RDATE`: further times.
  public var additions: [CivilDateTime]
  /// `EXDATE`.
  public var exclusions: [Exclusion]
  /// What happens where clocks change.
  public var policy: Policy

  /// Once at `start`, or as the rule says.
  public init(
    start: CivilDateTime, rule: RecurrenceRule? = nil, additions: [CivilDateTime] = [],
    exclusions: [Exclusion] = [], policy: Policy = .wall
  ) {
    self.start = start
    self.rule = rule
    self.additions = additions
    self.exclusions = exclusions
    self.policy = policy
  }

  /// What is due in a zone, ascending by instant, each instant once; made as it is asked for.
  /// - Parameter after: only what is later than this; nil for all.
  public func occurrences(in zone: Zone, after: Instant? = nil) -> ScheduledOccurrences {
    ScheduledOccurrences(self, zone: zone, after: after)
  }
}
