import KithRPC
public import KithTime
import Logging
import Synchronization

/// The one place where a worker learns what time it is: the machine's clocks, or, in a product that
/// was started in virtual time, clocks that are moved by hand.
///
///     let clock = context.clock
///     clock.run(ReminderTicks(store: store))      // asks the store what is due next, and does it then
///     ...
///     try await store.write { ... }
///     clock.dataChanged()                         // what is due next may be another now
///
/// Safe to use from any task.
public final class WorkerClock: Sendable {
  private struct State {
    var loops: [DueLoop] = []
    var hasBegun = false
    var driving: [Task<Void, Never>] = []
  }

  private let faces: ClockFaces
  private let logger: Logger
  private let state = Mutex(State())

  /// The machine's clocks.
  public convenience init() { self.init(.machine, logger: Logger(label: "kith.clock")) }

  init(_ faces: ClockFaces, logger: Logger) {
    self.faces = faces
    self.logger = logger
  }

  /// What the wall clock shows. It may be set, forward or back.
  public var now: Instant { faces.now }

  /// A clock that is never set and stands still while the machine sleeps; counts from some moment.
  public var awake: Duration { faces.awake }

  /// A clock that is never set and goes on while the machine sleeps; counts from the machine's
  /// start.
  public var sinceBoot: Duration { faces.sinceBoot }

  /// What the clocks show at one moment, for a deadline that no setting of the wall clock moves:
  /// see `TrustedDeadline`.
  public var reading: ClockReading { faces.reading }

  /// Whether the clocks are moved by hand.
  public var isVirtual: Bool { faces.isVirtual }

  // MARK: Due work

  /// Does this work whenever it is due, from the moment that the worker is ready until it is told
  /// to end.
  ///
  /// In the machine's time a run begins within a millisecond or so of its moment, within five
  /// seconds of it after a clock was set. A run that fails is logged by the type of its error, and
  /// tried again after a second, then ever later, up to a minute.
  public func run(_ work: some DueWork) {
    let loop = DueLoop(work, faces: faces, logger: logger)
    state.withLock { state in
      state.loops.append(loop)
      if state.hasBegun { state.driving.append(Self.drive(loop)) }
    }
  }

  /// Has all due work look at its data again: what is due next may be another.
  public func dataChanged() {
    for loop in state.withLock(\.loops) { loop.dataChanged.signal() }
  }

  /// Begins to do due work.
  func begin() {
    state.withLock { state in
      guard !state.hasBegun else { return }
      state.hasBegun = true
      state.driving = state.loops.map { loop in Self.drive(loop) }
    }
  }

  /// Detached: a clock begins within a call of the host, and due work is no part of that. Its own
  /// calls would end with that call's deadline.
  private static func drive(_ loop: DueLoop) -> Task<Void, Never> {
    Task.detached { await loop.drive() }
  }

  /// Begins no more runs.
  func end() {
    state.withLock { state in
      for task in state.driving { task.cancel() }
      state.driving = []
    }
  }

  // MARK: Virtual time

  /// Shows another time from now on.
  /// - Throws: FAILED_PRECONDITION where the clocks are the machine's; INVALID_ARGUMENT for a time
  ///   that goes back.
  func show(_ time: ClockFaces.Virtual) throws(RPCError) {
    guard faces.isVirtual else {
      throw RPCError(
        .failedPrecondition,
        "this worker goes by the machine's clocks: start the product with `kith up --virtual-time`")
    }
    guard time.elapsed >= faces.virtual.elapsed else {
      throw RPCError.invalidArgument(
        field: "time.elapsed_ms", "a clock that is never set cannot go back")
    }
    faces.virtual = time
  }

  /// Does all that is due. Answers when something will be next, and how many timer runs there have
  /// been in all.
  func settle() async throws -> (nextDue: Instant?, runs: UInt64) {
    var (next, runs): (Instant?, UInt64) = (nil, 0)
    for loop in state.withLock(\.loops) {
      let due = try await loop.settle()
      runs += loop.runs
      if let due { next = next.map { min($0, due) } ?? due }
    }
    return (next, runs)
  }
}
