/// What happened, as the shell tells the supervisor.
///
/// Events about a process name its incarnation; the supervisor ignores those about any but the present one.
public enum SupervisionEvent: Hashable, Sendable {
  /// Somebody wants a worker up, and with it what it requires. Ends its quarantine and clears its budget.
  case wantedUp(worker: String)
  /// Somebody wants a worker down. Workers that require it go on.
  case wantedDown(worker: String)
  /// Somebody wants a new process for a worker. Ends its quarantine and clears its budget.
  case restartAsked(worker: String)
  /// Everything is wanted down, dependents first, and nothing may be started any more.
  case shutDownAsked
  /// A step of a start succeeded.
  case stepCompleted(Incarnation, StartStep)
  /// A step of a start did not succeed.
  case stepFailed(Incarnation, StartStep, StartFailure)
  /// The worker did not take the order to drain.
  case drainFailed(Incarnation)
  /// The process has ended.
  case exited(Incarnation, ProcessEnd)
  /// Time has passed: sent at `Supervisor.nextDeadline`, harmless at any other time.
  case timePassed
}
