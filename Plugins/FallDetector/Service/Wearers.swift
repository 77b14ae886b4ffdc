import FallDetectorDomain
import KithAccess
import Synchronization

/// What is known of the movement in progress of each wearer, in memory.
///
/// For a bounded number of wearers: of more, those who have sent nothing for longest are
/// forgotten, and their next batch begins anew. A process that ends forgets all.
final class Wearers: Sendable {
  /// The devices of one wearer that send now.
  struct Wearer: Sendable {
    /// The last that has sent stands last.
    var sessions: [DeviceSession] = []
    var bursts: [BurstSession] = []
  }

  private final class Shard: Sendable {
    struct State {
      var recent: [UserID: Wearer] = [:]
      /// Those who have sent nothing since `recent` began to fill.
      var older: [UserID: Wearer] = [:]
    }
    let state = Mutex(State())
  }

  /// So that streams on several cores do not wait for each other.
  private static let shardCount = 32

  private let shards = (0..<shardCount).map { _ in Shard() }
  private let mostPerShard: Int

  /// - Parameter most: how many wearers are known at once, about.
  init(most: Int) { mostPerShard = max(1, most / (2 * Self.shardCount)) }

  /// How many wearers are known.
  var count: Int {
    shards.reduce(0) { $0 + $1.state.withLock { $0.recent.count + $0.older.count } }
  }

  /// Reads or changes what is known of a wearer, alone.
  func change<Answer: Sendable>(
    _ user: UserID, _ body: (inout Wearer) -> sending Answer
  ) -> Answer {
    let shard = shards[Int(UInt(bitPattern: user.hashValue) % UInt(Self.shardCount))]
    return shard.state.withLock { state in
      if state.recent[user] == nil {
        if state.recent.count >= mostPerShard {
          state.older = state.recent
          state.recent = [:]
        }
        state.recent[user] = state.older.removeValue(forKey: user) ?? Wearer()
      }
      return body(&state.recent[user, default: Wearer()])
    }
  }
}

/// A session of a device that samples without pauses.
struct DeviceSession: Sendable {
  let id: String
  var profile: SensorProfile
  var detection: FallDetection
  /// While the wearer is being asked.
  var recovery: RecoveryWatch?
  /// The last batch that was read.
  var sequence: UInt64 = 0
  /// What batches led to that is not durable yet: it is written again when a batch comes again.
  var unwritten = Unwritten()
  /// The batches that a decision may still need.
  var undecided = UndecidedBatches()

  /// What is to be written.
  struct Unwritten: Sendable {
    var findings: [Finding] = []
    var recovery: String?

    /// Whether a case follows, or ends.
    var mustBeWritten: Bool {
      recovery != nil || findings.contains { $0.verdict == .candidate }
    }
  }

  init(id: String, profile: SensorProfile) {
    self.id = id
    self.profile = profile
    detection = FallDetection(profile: profile)
  }

  /// Reads a batch. Answers what it led to; nothing for one that was taken before.
  mutating func take(_ batch: ReadBatch, isAsked: Bool) -> Unwritten {
    // One that comes again because its answer was lost on the way to the disk.
    guard batch.sequence > sequence else {
      return batch.sequence == sequence ? unwritten : Unwritten()
    }
    if batch.profile != profile {
      profile = batch.profile
      detection = FallDetection(profile: profile)
    }
    if !isAsked {
      recovery = nil
    } else if recovery == nil {
      recovery = RecoveryWatch()
    }
    for sample in batch.samples {
      if let finding = detection.add(sample) { unwritten.findings.append(finding) }
      if let reason = recovery?.add(sample) { unwritten.recovery = reason }
    }
    sequence = batch.sequence
    undecided.add(batch.sequence, end: batch.samples.last?.nanoseconds)
    undecided.settle(before: detection.undecidedSince)
    let found = unwritten
    if !found.mustBeWritten { unwritten = Unwritten() }
    return found
  }
}

/// A session of a device that samples in bursts.
struct BurstSession: Sendable {
  let id: String
  var detection = BurstDetection(settings: .standard)
  /// The last burst that was read, and what was found in it.
  var sequence: UInt64 = 0
  var finding: Finding?

  init(id: String) { self.id = id }

  /// Reads a burst; one that comes again is answered as it was.
  mutating func take(_ batch: ReadBatch) -> Finding? {
    guard batch.sequence > sequence else { return batch.sequence == sequence ? finding : nil }
    sequence = batch.sequence
    finding = detection.add(burst: batch.samples)
    return finding
  }
}

extension Wearers.Wearer {
  /// How many devices of a wearer are followed at once.
  private static let mostSessions = 4

  /// Changes the session of a device, which is made where it is new; of too many the one that has
  /// sent nothing for longest goes.
  mutating func withSession<Answer>(
    _ batch: ReadBatch, _ body: (inout DeviceSession) -> Answer
  ) -> Answer {
    if let index = sessions.firstIndex(where: { $0.id == batch.session }) {
      if index != sessions.count - 1 { sessions.append(sessions.remove(at: index)) }
    } else {
      if sessions.count == Self.mostSessions { sessions.removeFirst() }
      sessions.append(DeviceSession(id: batch.session, profile: batch.profile))
    }
    return body(&sessions[sessions.count - 1])
  }

  /// The same for a device that samples in bursts.
  mutating func withBursts<Answer>(
    _ batch: ReadBatch, _ body: (inout BurstSession) -> Answer
  ) -> Answer {
    if let index = bursts.firstIndex(where: { $0.id == batch.session }) {
      if index != bursts.count - 1 { bursts.append(bursts.remove(at: index)) }
    } else {
      if bursts.count == Self.mostSessions { bursts.removeFirst() }
      bursts.append(BurstSession(id: batch.session))
    }
    return body(&bursts[bursts.count - 1])
  }
}
