public import KithTime

/// How far a case has come: what is stored of its life.
public struct CaseProgress: Sendable, Hashable {
  /// Where a case stands.
  public enum State: String, Sendable, Hashable, CaseIterable {
    /// The wearer is being asked. Next: `alerted`, `closed`.
    case awaitingConfirmation = "awaiting"
    /// Contacts are being told. Next: `closed`.
    case alerted
    /// Nothing follows.
    case closed
  }

  /// Where it stands.
  public var state: State
  /// When it began, by the wall clock.
  public let openedAt: Instant
  /// What the state ends with: the time to answer, the expiry, and of a closed case the rest in
  /// which candidates open no other.
  public var deadline: TrustedDeadline
  /// When contacts were to be told unless the wearer answered, by the wall clock of the time.
  public var answerBy: Instant
  /// How many candidates it has taken in.
  public var candidateCount = 1
  /// When contacts were told, by the wall clock.
  public var alertedAt: Instant?
  /// Why.
  public var cause: AlertCause?
  /// When the first contact acknowledged, by the wall clock.
  public var acknowledgedAt: Instant?
  /// Which contact; empty while none has.
  public var acknowledgedBy = ""
  /// When it was closed, by the wall clock.
  public var resolvedAt: Instant?
  /// How.
  public var resolution: CaseResolution?
  /// Who closed it: a user's id; empty for the device and for time.
  public var resolvedBy = ""
  /// Why it was closed, in plain words.
  public var resolutionReason = ""

  /// The progress of a case that awaits an answer until the deadline.
  public init(
    state: State = .awaitingConfirmation, openedAt: Instant, deadline: TrustedDeadline,
    answerBy: Instant
  ) {
    self.state = state
    self.openedAt = openedAt
    self.deadline = deadline
    self.answerBy = answerBy
  }
}
