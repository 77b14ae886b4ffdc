public import KithTime

/// What a reminder is to do: all that its life depends on and that only its owner changes.
public struct ReminderPlan: Sendable, Hashable {
  /// The reminder's id.
  public var reminder: String
  /// When it is due.
  public var schedule: Schedule
  /// Where its owner is: whose quiet hours are kept.
  public var zone: Zone
  /// Whose walls the schedule means: the owner's, or those of where an elapsed reminder began.
  public var scheduleZone: Zone
  /// Whether quiet hours do not hold it back.
  public var isMedicine: Bool
  /// What follows where nobody answers.
  public var ladder: Ladder
  /// When nobody is disturbed; nil for never.
  public var quietHours: QuietHours?

  /// A plan of a reminder that begins where its owner is.
  public init(
    reminder: String, schedule: Schedule, zone: Zone, isMedicine: Bool = false,
    ladder: Ladder = Ladder(), quietHours: QuietHours? = QuietHours()
  ) {
    self.reminder = reminder
    self.schedule = schedule
    self.zone = zone
    scheduleZone = zone
    self.isMedicine = isMedicine
    self.ladder = ladder
    self.quietHours = quietHours
  }

  /// When something that is due may happen: then, or at the end of the quiet hours.
  func allowed(_ instant: Instant) -> Instant {
    guard !isMedicine, let quietHours else { return instant }
    return quietHours.end(after: instant, in: zone) ?? instant
  }
}
