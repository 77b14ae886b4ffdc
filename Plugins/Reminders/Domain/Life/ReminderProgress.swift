public import KithTime

/// How far a reminder has come: all that is stored of its life beside the history of its
/// occurrences.
public struct ReminderProgress: Sendable, Hashable {
  /// Every occurrence up to here is decided: none of them is ever sent again, whatever the clock
  /// says.
  public var cursor: Instant
  /// The wall time of the last occurrence that was decided.
  public var lastWall: CivilDateTime?
  /// Wall times up to this are decided too: those of before its owner moved to another zone.
  public var wallsDecided: CivilDateTime?
  /// The occurrence that was sent last, while something of it may follow. There is one at most: a
  /// later occurrence ends an earlier one, so that a person answers one at a time.
  public var open: OpenOccurrence?
  /// An occurrence that was done before it was due, and is not sent.
  public var doneAhead: Instant?

  /// The progress of a reminder that begins: what is due after `cursor` is sent.
  public init(cursor: Instant) { self.cursor = cursor }
}

/// An occurrence that was sent and may be sent again, missed, or told to a contact.
public struct OpenOccurrence: Sendable, Hashable {
  /// When it was due: with the reminder's id, its identity.
  public var due: Instant
  /// When its ladder began: when it was sent, or when a snooze ended.
  public var ladderStart: Instant
  /// How often it was snoozed.
  public var snoozes = 0
  /// How many of the ladder's repeats are behind it.
  public var repeats = 0
  /// When it is sent again after a snooze; nil while it is not snoozed.
  public var snoozedUntil: Instant?
  /// Whether it counts as missed, and only a contact is left to be told.
  public var isMissed = false
  /// Whether a contact was told.
  var isContacted = false

  /// Whether nothing of it can follow by itself.
  func isOver(_ ladder: Ladder) -> Bool {
    isMissed && (isContacted || ladder.contactAfter == nil)
  }

  /// An occurrence whose ladder began then, with nothing behind it.
  public init(due: Instant, ladderStart: Instant) {
    self.due = due
    self.ladderStart = ladderStart
  }
}
