import KithPersonalData
import Synchronization

/// What a worker says about its own health. Ready and whole unless it says otherwise.
public final class WorkerHealth: Sendable {
  /// What the worker said last, and since when that is so.
  struct Word: Sendable {
    /// Why the worker is degraded; empty when it is not.
    var degradation = ""
    /// Since when; `nil` when it never said anything.
    var since: ContinuousClock.Instant?
  }

  private static let scanner = PersonalDataScanner(policy: .log)

  private let spoken = Mutex(Word())
  private let store = Mutex<(@Sendable () -> (log: String, commits: Int64)?)?>(nil)
  private let changed: @Sendable () -> Void

  /// `changed` is called whenever the worker says something new.
  init(changed: @escaping @Sendable () -> Void = {}) {
    self.changed = changed
  }

  /// The worker answers calls, with a part missing. `reason` says which, in plain words, nothing personal; it is shown in
  /// `kith status`, with placeholders for what is personal all the same.
  public func degrade(_ reason: String) {
    let reason = Self.scanner.redacted(reason)
    let isNews = spoken.withLock { word in
      guard word.degradation != reason else { return false }
      word = Word(degradation: reason, since: .now)
      return true
    }
    if isNews { changed() }
  }

  /// The worker is whole again.
  public func recover() {
    degrade("")
  }

  /// The worker is whole again, if this was what it lacked; another reason stands.
  public func recover(from reason: String) {
    if word.degradation == Self.scanner.redacted(reason) { recover() }
  }

  /// Says how to learn how far the worker's store has come, for its reports to the host.
  package func reportsStore(_ standing: @escaping @Sendable () -> (log: String, commits: Int64)?) {
    store.withLock { $0 = standing }
  }

  /// How far the worker's store has come; nil when it has none, or that is not known.
  var storeStanding: (log: String, commits: Int64)? { store.withLock(\.self)?() }

  /// What the worker said last.
  var word: Word { spoken.withLock { $0 } }
}
