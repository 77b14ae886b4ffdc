/// A worker as the supervisor sees it.
public struct WorkerSnapshot: Hashable, Sendable {
  /// Where in its life a worker is.
  public enum State: Hashable, Sendable, CaseIterable {
    /// Not wanted, and no process. Next: `waiting` or `starting`.
    case stopped
    /// Wanted, and waits for a worker that it requires. Next: `starting` or `stopped`.
    case waiting
    /// The process is on its way to be ready. Next: `ready`, `held`, `draining`, `backingOff`,
    /// `quarantined` or `finished`.
    case starting
    /// Ready for calls. Next: `held`, `draining`, `starting`, `backingOff`, `quarantined` or
    /// `finished`.
    case ready
    /// Ready, and its callers are held since a worker that it requires is not. Next: as of `ready`,
    /// and `ready`.
    case held
    /// The process is being ended. Next: any state without a process, or `starting`.
    case draining
    /// It died and is started again at `nextStart`. Next: `starting`, `waiting` or `stopped`.
    case backingOff
    /// It died too often. Next: `starting` or `waiting`, when somebody asks or at `nextStart`;
    /// `stopped`.
    case quarantined
    /// It ended by itself and its restart type says that it stays so. Next: `starting` or `waiting`
    /// when somebody asks.
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
    /// Whether the host ended it because it showed no progress.
    public var wasStuck: Bool
  }

  /// How the worker's process is, as it says itself.
  public struct Health: Hashable, Sendable {
    /// Its process runs and has proved what it is.
    public var isStarted: Bool
    /// It answers calls.
    public var isReady: Bool
    /// It answers calls and has shown progress within half of its watchdog time.
    public var isLive: Bool
    /// What its event loop has got done; nil when it never said.
    public var progress: UInt64?
    /// Why it serves with a part missing; empty when it is whole.
    public var degradation: String
  }

  /// A new process that did not take over.
  public struct FailedReplacement: Hashable, Sendable {
    /// Which.
    public var generation: UInt64
    /// Why, for people.
    public var reason: String
  }

  /// The worker's name.
  public var name: String
  /// Where in its life it is.
  public var state: State
  /// Whether it is wanted up.
  public var isWanted: Bool
  /// The generation of its main process, or the latest one when there is none; 0 when there never
  /// was one.
  public var generation: UInt64
  /// The latest generation that was given out.
  public var latestGeneration: UInt64
  /// All processes that there are: the main one, and one that takes over from it or that it took
  /// over from.
  public var processes: [Incarnation]
  /// The definition that the main process was made from; nil when there is none.
  public var revision: UInt64?
  /// The definition that the product says it is made from: the next process is, unless another is
  /// being tried.
  public var specifiedRevision: UInt64
  /// The step that a starting worker is in.
  public var step: StartStep?
  /// How it is.
  public var health: Health
  /// When it is started again.
  public var nextStart: Moment?
  /// How often it was restarted after a death that nobody asked for.
  public var restarts: Int
  /// How its last process ended.
  public var lastExit: Exit?
  /// The last new process that was to take over and did not; nil from the next request on.
  public var failedReplacement: FailedReplacement?
  /// What it waits for or why it does not run, for people; empty when there is nothing to say.
  public var reason: String
  /// Whether nothing will change until somebody asks for it or a quarantine ends.
  public var isSettled: Bool
}
