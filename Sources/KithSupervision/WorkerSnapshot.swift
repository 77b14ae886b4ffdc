/// A worker as the supervisor sees it.
public struct WorkerSnapshot: Hashable, Sendable {
  /// Where in its life a worker is.
  public enum State: Hashable, Sendable, CaseIterable {
    /// Not wanted, and no process. Next: `waiting` or `starting`.
    case stopped
    /// Wanted, and waits for a worker that it requires. Next: `starting` or `stopped`.
    case waiting
    /// The process is on its way to be ready. Next: `ready`, `draining`, `backingOff`, `quarantined` or `finished`.
    case starting
    /// Ready for calls. Next: `draining`, `starting`, `backingOff`, `quarantined` or `finished`.
    case ready
    /// The process is being ended. Next: any state without a process, or `starting`.
    case draining
    /// It died and is started again at `nextStart`. Next: `starting`, `waiting` or `stopped`.
    case backingOff
    /// It died too often. Next: `starting` or `waiting`, when somebody asks or at `nextStart`; `stopped`.
    case quarantined
    /// It ended by itself and its restart type says that it stays so. Next: `starting` or `waiting` when somebody asks.
    case finished
  }

  /// How the last process ended.
  public struct Exit: Hashable, Sendable {
    /// Which process.
    public var generation: UInt64
    /// How.
    public var end: ProcessEnd
    /// In plain words, with the reason why the host ended it when it did.
    public var description: String
  }

  /// The worker's name.
  public var name: String
  /// Where in its life it is.
  public var state: State
  /// Whether it is wanted up.
  public var isWanted: Bool
  /// The latest generation; 0 when there was none.
  public var generation: UInt64
  /// Whether there is a process of that generation.
  public var hasProcess: Bool
  /// The step that a starting worker is in.
  public var step: StartStep?
  /// When it is started again.
  public var nextStart: Moment?
  /// How often it was restarted after a death that nobody asked for.
  public var restarts: Int
  /// How its last process ended.
  public var lastExit: Exit?
  /// What it waits for or why it does not run, for people; empty when there is nothing to say.
  public var reason: String
  /// Whether nothing will change until somebody asks for it or a quarantine ends.
  public var isSettled: Bool
}
