/// What workers have told and what those that follow them have taken in, as all say it at one
/// moment of virtual time.
public struct EventFlow: Hashable, Sendable {
  /// A place in a log.
  public struct Place: Hashable, Sendable {
    /// The log's name.
    public var log: String
    /// The number of the last event before it; 0 for the begin.
    public var sequence: Int64

    /// A place.
    public init(log: String, sequence: Int64) {
      self.log = log
      self.sequence = sequence
    }
  }

  /// One consumer of events.
  public struct Follower: Hashable, Sendable {
    /// The worker that follows.
    public var worker: String
    /// The service by which it found whom it follows.
    public var service: String
    /// How far it has come; nil when it has seen nothing.
    public var place: Place?
    /// Why it could not take what comes next; empty when nothing is wrong.
    public var trouble: String

    /// A consumer.
    public init(worker: String, service: String, place: Place?, trouble: String = "") {
      self.worker = worker
      self.service = service
      self.place = place
      self.trouble = trouble
    }
  }

  /// Where the logs end, by the services of the workers that are ready and have one.
  public var ends: [String: Place]
  /// Who follows them.
  public var followers: [Follower]
  /// The services of the workers that are ready.
  public var services: Set<String>

  /// What the workers said; nothing unless told.
  public init(
    ends: [String: Place] = [:], followers: [Follower] = [], services: Set<String> = []
  ) {
    self.ends = ends
    self.followers = followers
    self.services = services
  }

  /// Those that have not taken in all that there is.
  public var behind: [Follower] {
    followers.filter { follower in
      guard services.contains(follower.service) else { return false }
      guard let end = ends[follower.service] else { return true }
      return follower.place.map { $0.log != end.log || $0.sequence < end.sequence } ?? true
    }
  }

  /// Those that nobody tells anything now: there is nothing to wait for.
  public var absent: [Follower] {
    followers.filter { !services.contains($0.service) }
  }
}
