/// What happened, as the shell tells the supervisor.
///
/// Events about a process name its incarnation; the supervisor ignores those about any that it does
/// not lead.
public enum SupervisionEvent: Hashable, Sendable {
  /// Somebody wants a worker up, and with it what it requires. Ends its quarantine and clears its
  /// budget.
  case wantedUp(worker: String)
  /// Somebody wants a worker down. Workers that require it do as their requirement says.
  case wantedDown(worker: String)
  /// Somebody wants new processes for these workers, as one action: each after those of them that
  /// it requires. Ends their quarantines and clears their budgets.
  case restartAsked(workers: [String])
  /// Somebody wants a worker to be this from now on, if a process of it becomes ready; else it
  /// stays what it is.
  case replacementAsked(WorkerSpecification)
  /// The product is made of these workers now. Others are ended and forgotten; of those that stay,
  /// a process of another revision is replaced.
  case specified(WorkerGraph)
  /// Everything is wanted down, dependents first, and nothing may be started any more.
  case shutDownAsked
  /// An earlier host has started these processes, each from the definition of that revision, and
  /// they run. Told before anything else, all at once; at most two of a worker.
  case found([Incarnation: UInt64])
  /// A step of a start succeeded.
  case stepCompleted(Incarnation, StartStep)
  /// A step of a start did not succeed.
  case stepFailed(Incarnation, StartStep, StartFailure)
  /// A ready process has told how it is.
  case reported(Incarnation, HealthReport)
  /// A process has no way to tell how it is: it is not watched.
  case unwatchable(Incarnation)
  /// The worker did not take the order to drain.
  case drainFailed(Incarnation)
  /// The process has ended.
  case exited(Incarnation, ProcessEnd)
  /// Time has passed: sent at `Supervisor.nextDeadline`, harmless at any other time.
  case timePassed
}
