public import KithTime

/// The life of a case: given what happened and what the clocks show, what follows and when to look
/// again.
///
/// A value without clock and store. Whoever keeps it stores ``progress`` and the events of one call
/// in one transaction; then contacts are told once, whatever is killed when. Every call first does
/// what is due, so that an answer and the deadline have one outcome: the answer counts if it was
/// taken before the deadline, however late the timer runs.
public struct CaseLife: Sendable, Hashable {
  /// How long it waits for what.
  public let policy: CasePolicy
  /// How far it has come.
  public private(set) var progress: CaseProgress

  /// A life as it was stored.
  public init(policy: CasePolicy, progress: CaseProgress) {
    self.policy = policy
    self.progress = progress
  }

  /// Opens a case.
  public static func opened(
    by trigger: CaseTrigger, at reading: ClockReading, policy: CasePolicy
  ) -> (life: CaseLife, events: [CaseEvent]) {
    let deadline = TrustedDeadline(policy.confirmWithin, from: reading)
    var life = CaseLife(
      policy: policy,
      progress: CaseProgress(
        openedAt: reading.wall, deadline: deadline, answerBy: deadline.wallEnd))
    guard let cause = trigger.cause else {
      let due = life.advance(to: reading)
      return (life, [.suspected] + due)
    }
    life.progress.answerBy = reading.wall
    let events = life.alert(cause, at: reading)
    return (life, events)
  }

  /// Whether it is open.
  public var isOpen: Bool { progress.state != .closed }

  /// When there is something to do next, by the wall clock as it is now; nil for never.
  public func nextDue(at reading: ClockReading) -> Instant? {
    isOpen ? progress.deadline.instant(at: reading) : nil
  }

  /// Whether a further trigger is a part of this case rather than the begin of another: while the
  /// wearer is asked, and for a while after the alert. Once somebody has acknowledged an alert, a
  /// further fall is another.
  public func takesIn(at reading: ClockReading) -> Bool {
    switch progress.state {
    case .awaitingConfirmation: return true
    case .alerted:
      return progress.acknowledgedAt == nil
        && progress.deadline.elapsed(at: reading) <= policy.joinWithin
    case .closed: return false
    }
  }

  /// Whether somebody has just closed it, so that candidates open no other.
  public func isResting(at reading: ClockReading) -> Bool {
    !isOpen && !progress.deadline.isOver(at: reading)
  }

  // MARK: What happens

  /// Does what is due.
  public mutating func advance(to reading: ClockReading) -> [CaseEvent] {
    guard isOpen, progress.deadline.isOver(at: reading) else { return [] }
    switch progress.state {
    case .awaitingConfirmation: return alert(.noAnswer, at: reading)
    case .alerted:
      return close(.expired, by: "", because: "nobody closed it", at: reading)
    case .closed: return []
    }
  }

  /// Counts the deadline by the clock of this boot from now on.
  public mutating func move(to reading: ClockReading) {
    progress.deadline = progress.deadline.moved(to: reading)
  }

  /// Takes in a further candidate, the word that it is a fall, or a call for help.
  public mutating func join(_ trigger: CaseTrigger, at reading: ClockReading) -> [CaseEvent] {
    var events = advance(to: reading)
    guard isOpen else { return events }
    if trigger != .help { progress.candidateCount += 1 }
    if let cause = trigger.cause, progress.state == .awaitingConfirmation {
      events += alert(cause, at: reading)
    }
    return events
  }

  /// The wearer is well, or the device says that it is over.
  /// - Parameter person: who said so; empty for the device.
  public mutating func end(
    by person: String, because reason: String, at reading: ClockReading
  ) -> [CaseEvent] {
    let events = advance(to: reading)
    switch progress.state {
    case .awaitingConfirmation:
      return events + close(.wearerOK, by: person, because: reason, at: reading)
    case .alerted: return events + close(.allClear, by: person, because: reason, at: reading)
    case .closed: return events
    }
  }

  /// The wearer moves as one who is well. After contacts were told only a person ends the case.
  public mutating func recover(
    because reason: String, at reading: ClockReading
  ) -> [CaseEvent] {
    let events = advance(to: reading)
    guard progress.state == .awaitingConfirmation else { return events }
    return events + close(.recovered, by: "", because: reason, at: reading)
  }

  /// A contact acknowledged the alert; the first one stands. Says nothing to others, who know.
  public mutating func acknowledge(by contact: String, at instant: Instant) {
    guard progress.alertedAt != nil, progress.acknowledgedAt == nil else { return }
    progress.acknowledgedAt = instant
    progress.acknowledgedBy = contact
  }

  // MARK: Transitions

  private mutating func alert(_ cause: AlertCause, at reading: ClockReading) -> [CaseEvent] {
    progress.state = .alerted
    progress.alertedAt = reading.wall
    progress.cause = cause
    progress.deadline = TrustedDeadline(policy.expireAfter, from: reading)
    return [.alerted(cause)]
  }

  private mutating func close(
    _ resolution: CaseResolution, by person: String, because reason: String,
    at reading: ClockReading
  ) -> [CaseEvent] {
    progress.state = .closed
    progress.resolvedAt = reading.wall
    progress.resolution = resolution
    progress.resolvedBy = person
    progress.resolutionReason = reason
    let rest = resolution.restsAfterwards ? policy.coolDown : .zero
    progress.deadline = TrustedDeadline(rest, from: reading)
    return [.resolved(resolution, wasAlerted: progress.alertedAt != nil)]
  }
}
