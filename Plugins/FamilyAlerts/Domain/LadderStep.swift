public import KithTime

/// One message of an escalation.
public struct LadderStep: Sendable, Hashable {
  /// Where it stands.
  public enum State: String, Sendable, Hashable, CaseIterable {
    /// It waits for its time. Next: `claimed`, `failed`, `cancelled`, `sent`.
    case pending
    /// An attempt is being made. Next: `sent`, `failed`, `pending`, `cancelled`.
    case claimed
    /// It was handed over. Next: `failed`, when the provider could not deliver it.
    case sent
    /// It failed for good. Next: `sent`, when a provider says so after all.
    case failed
    /// It was not needed any more. Next: `sent`, when a provider says so after all.
    case cancelled
  }

  /// What it is for.
  public enum Purpose: String, Sendable, Hashable, CaseIterable {
    /// Tells a contact of the incident.
    case alert
    /// Tells a contact that it is over.
    case allClear = "all_clear"
    /// Tells a contact that nobody has answered.
    case nobodyAnswered = "nobody_answered"
  }

  /// The right to make one attempt.
  public struct Lease: Sendable, Hashable {
    /// Names the right.
    public let token: String
    /// When another process may take over.
    public let until: Instant

    /// A lease.
    public init(token: String, until: Instant) {
      self.token = token
      self.until = until
    }
  }

  /// Its number in the incident, from 0.
  public let number: Int
  /// What it is for.
  public let purpose: Purpose
  /// Counts the ladders that were begun after an acknowledgement.
  public let generation: Int
  /// The round of the ladder.
  public let loop: Int
  /// The stage of the round.
  public let stage: Int
  /// Which contact.
  public let contact: String
  /// By which of its addresses.
  public let route: Route
  /// Where it stands.
  public internal(set) var state: State
  /// When it is due, or attempted again.
  public internal(set) var dueAt: Instant
  /// How many attempts were made.
  public internal(set) var attempts = 0
  /// When the first attempt was made.
  public internal(set) var firstAttemptAt: Instant?
  /// Since when it may have been handed over without an answer.
  public internal(set) var doubtSince: Instant?
  /// The right to the attempt that is being made.
  public internal(set) var lease: Lease?
  /// When it was handed over.
  public internal(set) var sentAt: Instant?
  /// Why it failed; empty when it did not.
  public internal(set) var failure = ""
  /// Whether it failed for a reason that may pass.
  public internal(set) var mayPass = false

  init(
    number: Int, purpose: Purpose, generation: Int, loop: Int, stage: Int, contact: String,
    route: Route, dueAt: Instant
  ) {
    self.number = number
    self.purpose = purpose
    self.generation = generation
    self.loop = loop
    self.stage = stage
    self.contact = contact
    self.route = route
    self.dueAt = dueAt
    state = .pending
  }

  /// A step as it was stored.
  public init(
    number: Int, purpose: Purpose, generation: Int, loop: Int, stage: Int, contact: String,
    route: Route, state: State, dueAt: Instant, attempts: Int, firstAttemptAt: Instant?,
    doubtSince: Instant?, lease: Lease?, sentAt: Instant?, failure: String, mayPass: Bool
  ) {
    self.init(
      number: number, purpose: purpose, generation: generation, loop: loop, stage: stage,
      contact: contact, route: route, dueAt: dueAt)
    self.state = state
    self.attempts = attempts
    self.firstAttemptAt = firstAttemptAt
    self.doubtSince = doubtSince
    self.lease = lease
    self.sentAt = sentAt
    self.failure = failure
    self.mayPass = mayPass
  }

  /// Whether it may still be sent.
  public var isOpen: Bool { state == .pending || state == .claimed }

  /// When something is to be done about it; nil when it has ended.
  var nextDue: Instant? {
    switch state {
    case .pending:
      doubtSince.map { min(dueAt, $0 + EscalationPolicy.doubtLasts) } ?? dueAt
    case .claimed: lease?.until ?? dueAt
    case .sent, .failed, .cancelled: nil
    }
  }
}
