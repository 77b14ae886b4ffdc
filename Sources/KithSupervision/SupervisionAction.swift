/// What the shell must do now, in the order given.
public enum SupervisionAction: Hashable, Sendable {
  /// Create the process from the worker's definition of this revision; answer with the step `spawn`
  /// completed or failed.
  case spawn(Incarnation, revision: UInt64)
  /// Carry out a step of the start, `adopt`, or `handshake` or later; answer with the step
  /// completed or failed. For `listen` there is no order: the process does it by itself.
  case perform(StartStep, Incarnation)
  /// Name the process to those who look for the worker, and no other of its processes any more.
  case publish(Incarnation)
  /// Name it no longer.
  case withdraw(Incarnation)
  /// Ask the worker to end its calls within the grace period and to leave.
  case drain(Incarnation, grace: Duration)
  /// Send SIGTERM to the process.
  case terminate(Incarnation)
  /// Send SIGKILL to the process and all its descendants in its process group.
  case kill(Incarnation)
  /// Write a line about the worker, for people.
  case note(worker: String, generation: UInt64, text: String)
}
