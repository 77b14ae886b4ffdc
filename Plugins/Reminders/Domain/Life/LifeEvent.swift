public import KithTime

/// Something that happened in a reminder's life: what is stored in its history, sent, and told to
/// others.
public enum LifeEvent: Sendable, Hashable {
  /// To be sent, for the first time. `lateBy` is how long after it was due, where the platform was
  /// down; zero otherwise.
  case sent(StepKey, lateBy: Duration)
  /// To be sent again, because nobody answered or a snooze has ended.
  case sentAgain(StepKey)
  /// Nobody answered, or it was never sent.
  case missed(StepKey, MissedReason)
  /// A contact is to be told that nobody answered.
  case contact(StepKey)
  /// Its owner did it. `isLate` after it was missed.
  case done(occurrence: Instant, isLate: Bool)
  /// Its owner will be asked again.
  case snoozed(occurrence: Instant, until: Instant)
  /// More occurrences than are worth a line each were missed while the platform was down: those
  /// after `from`, up to `to`.
  case skipped(from: Instant, to: Instant)
}

/// Why an occurrence was missed.
public enum MissedReason: String, Sendable, Hashable, CaseIterable {
  /// It was sent, and nobody answered.
  case unanswered
  /// The platform was down, for longer than the grace.
  case downtime
  /// A later occurrence of the reminder was sent in its place.
  case superseded
  /// It was due in quiet hours, and so was a later one.
  case quietHours = "quiet_hours"
}
