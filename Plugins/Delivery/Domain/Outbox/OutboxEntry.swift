public import KithTime

/// What the outbox knows of one message's life: a pure state machine, moved by attempts, receipts,
/// the sender and time.
///
/// An attempt is made under a lease: ``begin(lease:at:)`` gives it, and
/// ``finish(_:lease:at:random:repeatsAreOne:)`` counts only with the same one. A process that was
/// killed leaves ``OutboxState/attempting``, which ``interrupt()`` turns into
/// ``OutboxState/unknown``.
public struct OutboxEntry: Sendable, Hashable {
  /// Who tries again when a provider answers "later".
  public enum Retries: String, Sendable, Hashable {
    /// The outbox, by itself, until the message expires.
    case byWorker = "by_worker"
    /// The sender, by a further call.
    case bySender = "by_sender"
  }

  /// Why an attempt does not begin.
  public enum Refusal: Sendable, Hashable {
    /// It has ended: answer as it stands.
    case ended
    /// Another attempt is under way.
    case underWay
    /// It is too late for it; it is expired now.
    case expired
  }

  /// Who tries again.
  public let retries: Retries
  /// From when on it is not worth delivering.
  public let expiresAt: Instant
  /// Where it stands.
  public private(set) var state: OutboxState
  /// The lease of the attempt that is under way; nil when none is.
  public private(set) var lease: String?
  /// How many attempts have begun.
  public private(set) var attempts: Int
  /// When the outbox tries next by itself; nil when it does not.
  public private(set) var nextAttempt: Instant?
  /// Why it failed last; nil when it did not.
  public private(set) var failure: FailureKind?
  /// The same in words; of an unknown outcome too.
  public private(set) var reason: String
  /// When a provider took it.
  public private(set) var handedOverAt: Instant?
  /// When it reached the person.
  public private(set) var deliveredAt: Instant?
  /// What the provider calls it; empty when it has said nothing.
  public private(set) var providerID: String
  /// When its end came; nil before.
  public private(set) var endedAt: Instant?

  /// A message that is new. By the worker it is due at once.
  public init(retries: Retries, expiresAt: Instant, acceptedAt: Instant) {
    self.init(
      retries: retries, expiresAt: expiresAt, state: .waiting, lease: nil, attempts: 0,
      nextAttempt: retries == .byWorker ? acceptedAt : nil, failure: nil, reason: "",
      handedOverAt: nil, deliveredAt: nil, providerID: "", endedAt: nil)
  }

  /// A message as it was kept.
  public init(
    retries: Retries, expiresAt: Instant, state: OutboxState, lease: String?, attempts: Int,
    nextAttempt: Instant?, failure: FailureKind?, reason: String, handedOverAt: Instant?,
    deliveredAt: Instant?, providerID: String, endedAt: Instant?
  ) {
    self.retries = retries
    self.expiresAt = expiresAt
    self.state = state
    self.lease = lease
    self.attempts = attempts
    self.nextAttempt = nextAttempt
    self.failure = failure
    self.reason = reason
    self.handedOverAt = handedOverAt
    self.deliveredAt = deliveredAt
    self.providerID = providerID
    self.endedAt = endedAt
  }

  /// When time alone changes it: its next attempt, or its end; nil for never.
  public var nextStep: Instant? {
    switch state {
    case .waiting: min(nextAttempt ?? expiresAt, expiresAt)
    case .unknown: nextAttempt.map { min($0, expiresAt) }
    case .attempting, .handedOver, .delivered, .refused, .expired, .cancelled: nil
    }
  }

  // MARK: Attempts

  /// Begins an attempt; answers why it does not.
  public mutating func begin(lease: String, at now: Instant) -> Refusal? {
    guard state != .attempting else { return .underWay }
    guard !state.isFinal else { return .ended }
    guard now < expiresAt else {
      expire(at: now)
      return .expired
    }
    (state, self.lease, nextAttempt) = (.attempting, lease, nil)
    attempts += 1
    return nil
  }

  /// Puts an attempt off, since its provider may not be called yet. It counts as none.
  public mutating func putOff(until instant: Instant, because failure: AttemptOutcome.Failure) {
    guard state == .waiting || state == .unknown else { return }
    if state == .waiting { (self.failure, reason) = (failure.kind, failure.reason) }
    if retries == .byWorker { nextAttempt = instant }
  }

  /// Notes what became of the attempt of a lease.
  /// - Parameters:
  ///   - random: from 0 to 1, for the pause before the next attempt.
  ///   - repeatsAreOne: whether the person sees one message though the provider got it twice, so
  ///     that the outbox may try again after an unknown outcome.
  /// - Returns: whether it counts: false when the lease was lost meanwhile.
  @discardableResult
  public mutating func finish(
    _ outcome: AttemptOutcome, lease: String, at now: Instant, random: Double,
    repeatsAreOne: Bool
  ) -> Bool {
    guard state == .attempting, self.lease == lease else { return false }
    self.lease = nil
    switch outcome {
    case .accepted(let id):
      handOver(id, at: now)
    case .refused(let failure, _):
      end(.refused, failure, at: now)
    case .later(let failure, let after):
      (state, self.failure, reason) = (.waiting, failure.kind, failure.reason)
      retry(at: now, random, atLeast: after)
    case .unknown(let reason):
      (state, failure, self.reason) = (.unknown, nil, reason)
      if repeatsAreOne { retry(at: now, random, atLeast: nil) }
    }
    return true
  }

  /// Notes that the process that made the attempt is gone.
  /// - Parameter repeatsAreOne: see ``finish(_:lease:at:random:repeatsAreOne:)``.
  public mutating func interrupt(at now: Instant, random: Double, repeatsAreOne: Bool) {
    guard let lease else { return }
    finish(
      .unknown(reason: "the worker ended while the attempt was under way"), lease: lease, at: now,
      random: random, repeatsAreOne: repeatsAreOne)
  }

  // MARK: What others say

  /// Refuses it before any attempt.
  public mutating func refuse(_ failure: AttemptOutcome.Failure, at now: Instant) {
    guard state == .waiting, attempts == 0 else { return }
    end(.refused, failure, at: now)
  }

  /// Has it wait until ``release(at:)``, for another that is to be handed over before it.
  public mutating func hold() {
    guard state == .waiting else { return }
    nextAttempt = nil
  }

  /// Lets the outbox try it now.
  public mutating func release(at now: Instant) {
    guard state == .waiting, retries == .byWorker else { return }
    nextAttempt = now
  }

  /// Gives it up.
  /// - Returns: whether it is given up: false when it had ended, or an attempt is under way, which
  ///   is to be ended first.
  @discardableResult
  public mutating func cancel(at now: Instant) -> Bool {
    guard state == .waiting || state == .unknown else { return false }
    (state, endedAt, nextAttempt) = (.cancelled, now, nil)
    return true
  }

  /// Notes that a later message has taken its place.
  public mutating func supersede(at now: Instant) {
    guard state == .waiting || state == .unknown else { return }
    end(.expired, nil, at: now)
    reason = "a later message has taken its place"
  }

  /// Ends it when it is too late for it.
  /// - Returns: whether it ended.
  @discardableResult
  public mutating func expire(at now: Instant) -> Bool {
    guard state == .waiting || state == .unknown, now >= expiresAt else { return false }
    end(.expired, failure.map { AttemptOutcome.Failure($0, reason) }, at: expiresAt)
    return true
  }

  /// Takes a provider's receipt. One that comes twice, or too late to be new, changes nothing.
  /// - Returns: whether it changed something.
  @discardableResult
  public mutating func take(_ receipt: DeliveryReceipt, at now: Instant) -> Bool {
    if providerID.isEmpty { providerID = receipt.providerID }
    switch receipt.news {
    case .taken:
      // It was said for an attempt whose answer never came.
      guard state == .unknown || state == .attempting else { return false }
      lease = nil
      handOver(receipt.providerID, at: now)
    case .delivered:
      guard state != .delivered else { return false }
      (lease, nextAttempt, failure, reason) = (nil, nil, nil, "")
      (state, deliveredAt, endedAt) = (.delivered, now, now)
      handedOverAt = handedOverAt ?? now
    case .failed(let failure):
      guard state == .handedOver || state == .unknown || state == .attempting else { return false }
      lease = nil
      end(.refused, failure, at: now)
    }
    return true
  }

  // MARK: Parts

  private mutating func handOver(_ id: String, at now: Instant) {
    (state, failure, reason, nextAttempt) = (.handedOver, nil, "", nil)
    (handedOverAt, endedAt) = (now, now)
    if !id.isEmpty { providerID = id }
  }

  private mutating func retry(at now: Instant, _ random: Double, atLeast: Duration?) {
    guard retries == .byWorker else { return }
    nextAttempt = now + RetryPause.length(after: attempts, random: random, atLeast: atLeast)
  }

  private mutating func end(
    _ state: OutboxState, _ failure: AttemptOutcome.Failure?, at now: Instant
  ) {
    (self.state, nextAttempt, endedAt) = (state, nil, now)
    (self.failure, reason) = (failure?.kind, failure?.reason ?? "")
  }
}
