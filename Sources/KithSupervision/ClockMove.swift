/// The way of a product's clocks from one time to another: which moments to stop at, told when work
/// is due.
///
/// A value without clock or I/O: `next` takes what the workers say is due and has been told, and
/// returns the time to show them next.
public struct ClockMove: Hashable, Sendable {
  /// What the clocks show.
  public struct Time: Hashable, Sendable {
    /// The wall clock, in milliseconds since 1970-01-01T00:00:00Z.
    public var wallMilliseconds: Int64
    /// The clocks that are never set, in milliseconds since the product was started.
    public var elapsedMilliseconds: Int64

    /// A time.
    public init(wallMilliseconds: Int64, elapsedMilliseconds: Int64) {
      self.wallMilliseconds = wallMilliseconds
      self.elapsedMilliseconds = elapsedMilliseconds
    }
  }

  /// How often workers are asked at one moment: work of one may bring about work of another, and
  /// not for ever.
  public static let mostRoundsAtOnce = 1000
  /// After how many rounds, each of a second or so, somebody who cannot take an event in is waited
  /// for no more.
  public static let mostRoundsInTrouble = 3

  /// What the clocks are to show now.
  public private(set) var time: Time
  /// At how many moments the clocks have stopped on the way.
  public private(set) var stops: UInt64 = 0
  private let target: Int64
  private var rounds = 0
  private var roundsInTrouble = 0

  /// Lets time pass, with a stop at each moment at which something is due.
  public init(from time: Time, advancingBy milliseconds: Int64) {
    self.time = time
    target = time.wallMilliseconds + max(0, milliseconds)
  }

  /// Sets the wall clock in one step, as if no time had passed.
  public init(from time: Time, settingWallTo milliseconds: Int64) {
    self.time = Time(
      wallMilliseconds: milliseconds, elapsedMilliseconds: time.elapsedMilliseconds)
    target = milliseconds
  }

  /// What follows when all workers have run what was due at ``time``.
  public enum Step: Hashable, Sendable {
    /// Show the workers ``ClockMove/time`` now.
    case show
    /// The clocks are where they were to be, and nothing is due.
    case arrived
    /// Something is due however often it is run.
    case endless
    /// Somebody cannot take in what another tells.
    case stuck(EventFlow.Follower)
  }

  /// Takes the next step.
  /// - Parameters:
  ///   - due: when something is due next, by the wall clock, in milliseconds; nil for never.
  ///   - hasRun: whether any worker ran something, which may have given another something to do.
  ///   - events: what was told and taken in. Time does not go on while somebody is behind, since an
  ///     event may give it
  ///     something to do.
  public mutating func next(due: Int64?, hasRun: Bool, events: EventFlow = EventFlow()) -> Step {
    let behind = events.behind
    if let troubled = behind.first(where: { !$0.trouble.isEmpty }) {
      roundsInTrouble += 1
      guard roundsInTrouble < Self.mostRoundsInTrouble else { return .stuck(troubled) }
      return .show
    }
    roundsInTrouble = 0
    // However long it takes: whoever asked for the move knows how long to wait.
    guard behind.isEmpty else { return .show }
    if hasRun || due.map({ $0 <= time.wallMilliseconds }) ?? false {
      rounds += 1
      return rounds < Self.mostRoundsAtOnce ? .show : .endless
    }
    guard time.wallMilliseconds < target else { return .arrived }
    rounds = 0
    stops += 1
    let moment = min(due ?? target, target)
    time.elapsedMilliseconds += moment - time.wallMilliseconds
    time.wallMilliseconds = moment
    return .show
  }
}
