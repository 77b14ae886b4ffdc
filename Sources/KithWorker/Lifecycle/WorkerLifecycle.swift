import KithRPC

/// Where a worker is in its life, and what may come next: the decisions alone, as a value. It knows
/// no socket, no clock and no process; ``WorkerRuntime`` carries out what it answers.
struct WorkerLifecycle: Sendable, Hashable {
  /// The protocol versions that this SDK speaks.
  static let protocolVersions: ClosedRange<UInt32> = 1...1

  /// Where the worker is.
  enum Phase: Sendable, Hashable {
    /// The process runs; the host has not proved itself. Next: handshaken, draining.
    case spawned
    /// Both sides have proved themselves. Next: configured, draining.
    case handshaken
    /// The configuration was taken. Next: starting, draining.
    case configured
    /// The worker's services are being made. Next: ready, failed, draining.
    case starting
    /// Calls are answered. Next: draining.
    case ready
    /// The worker's services could not be made. Next: draining.
    case failed
    /// No new calls; those in progress are being ended. Next: ended.
    case draining
    /// The process is about to leave. The last one.
    case ended
  }

  /// Why a call of the host is refused.
  typealias Refusal = RPCError

  /// What is done about an order to end.
  enum Ending: Sendable, Equatable {
    /// The drain begins now, and lasts at most that long.
    case drain(Duration)
    /// The drain has begun before; nothing is to be done.
    case goOn
    /// The process leaves at once.
    case leaveNow
  }

  /// Where the worker is now.
  private(set) var phase = Phase.spawned
  private var wasToldToTerminate = false

  /// The host offers its proof and the versions that it speaks; answers the version that both
  /// speak. May come again at any time, since a host that starts anew adopts the workers that still
  /// run.
  mutating func handshake(
    isProven: Bool, versions: ClosedRange<UInt32>
  ) throws(Refusal) -> UInt32 {
    guard isProven else {
      throw Refusal(
        .permissionDenied,
        "the proof of the host is wrong: it does not hold the secret that this worker was started with"
      )
    }
    guard phase != .ended else { throw Self.leaving }
    let own = Self.protocolVersions
    guard own.overlaps(versions) else {
      throw Refusal(
        .failedPrecondition,
        "the host speaks protocol versions \(versions.lowerBound) to \(versions.upperBound), "
          + "this worker \(own.lowerBound) to \(own.upperBound); build both from one version of Kith"
      )
    }
    if phase == .spawned { phase = .handshaken }
    return min(own.upperBound, versions.upperBound)
  }

  /// The host hands over the configuration, which has been read already.
  mutating func configure() throws(Refusal) {
    switch phase {
    case .handshaken: phase = .configured
    case .spawned: throw Self.notProven
    case .configured, .starting, .ready, .failed:
      throw Refusal(
        .failedPrecondition, "the worker is configured already; restart it to change that")
    case .draining, .ended: throw Self.leaving
    }
  }

  /// The host wants the worker's services started.
  mutating func start() throws(Refusal) {
    switch phase {
    case .configured: phase = .starting
    case .spawned: throw Self.notProven
    case .handshaken:
      throw Refusal(.failedPrecondition, "the worker is not configured yet; call Configure first")
    case .starting, .ready:
      throw Refusal(.failedPrecondition, "the worker is started already")
    case .failed:
      throw Refusal(.failedPrecondition, "the worker could not start; its log says why")
    case .draining, .ended: throw Self.leaving
    }
  }

  /// The services have been made, or could not be.
  mutating func started(_ succeeded: Bool) throws(Refusal) {
    switch phase {
    case .starting: phase = succeeded ? .ready : .failed
    // Told to end in the meantime: the services are not served.
    case .spawned, .handshaken, .configured, .ready, .failed, .draining, .ended: throw Self.leaving
    }
  }

  /// The host wants the worker to end.
  mutating func drain(_ gracePeriod: Duration) throws(Refusal) -> Ending {
    try checkProven()
    return beginDrain(gracePeriod)
  }

  /// Checks that the host has proved itself, as it must before it changes anything.
  func checkProven() throws(Refusal) {
    guard phase != .spawned else { throw Self.notProven }
  }

  /// A signal wants the process to end: the first time by a drain, the second time at once.
  mutating func terminate(_ gracePeriod: Duration) -> Ending {
    guard !wasToldToTerminate else {
      phase = .ended
      return .leaveNow
    }
    wasToldToTerminate = true
    return beginDrain(gracePeriod)
  }

  /// The drain is over: the calls have ended, or the time has.
  mutating func drained() {
    phase = .ended
  }

  private mutating func beginDrain(_ gracePeriod: Duration) -> Ending {
    guard phase != .draining, phase != .ended else { return .goOn }
    phase = .draining
    return .drain(gracePeriod)
  }

  private static let notProven = Refusal(
    .failedPrecondition, "the host has not proved itself yet; call Handshake first")
  private static let leaving = Refusal(.unavailable, "the worker is ending")
}
