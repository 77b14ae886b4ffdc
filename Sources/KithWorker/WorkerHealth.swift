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

  private struct State {
    /// What the worker's own code says.
    var own = ""
    /// What parts of the SDK say, by their names.
    var parts: [String: String] = [:]
    var since: ContinuousClock.Instant?

    var word: Word {
      let reasons = [own] + parts.sorted { $0.key < $1.key }.map(\.value)
      return Word(
        degradation: reasons.filter { !$0.isEmpty }.joined(separator: "; "), since: since)
    }
  }

  private let state = Mutex(State())
  private let store = Mutex<(@Sendable () -> (log: String, commits: Int64)?)?>(nil)
  private let changed: @Sendable () -> Void

  /// `changed` is called whenever the worker says something new.
  init(changed: @escaping @Sendable () -> Void = {}) {
    self.changed = changed
  }

  /// The worker answers calls, with a part missing. `reason` says which, in plain words, nothing
  /// personal; it is shown in `kith status`, with placeholders for what is personal all the same.
  public func degrade(_ reason: String) {
    say(reason) { $0.own = $1 }
  }

  /// A part of the SDK lacks something, whatever the worker's own code says beside it; an empty
  /// reason takes that back.
  package func degrade(_ reason: String, part: String) {
    say(reason) { $0.parts[part] = $1.isEmpty ? nil : $1 }
  }

  private func say(_ reason: String, _ change: (inout State, String) -> Void) {
    let reason = Self.scanner.redacted(reason)
    let isNews = state.withLock { state in
      let before = state.word.degradation
      change(&state, reason)
      guard state.word.degradation != before else { return false }
      state.since = .now
      return true
    }
    if isNews { changed() }
  }

  /// The worker is whole again, as far as its own code knows.
  public func recover() {
    degrade("")
  }

  /// The worker is whole again, if this was what it lacked; another reason stands.
  public func recover(from reason: String) {
    if state.withLock({ $0.own }) == Self.scanner.redacted(reason) { recover() }
  }

  /// Says how to learn how far the worker's store has come, for its reports to the host.
  package func reportsStore(_ standing: @escaping @Sendable () -> (log: String, commits: Int64)?) {
    store.withLock { $0 = standing }
  }

  /// How far the worker's store has come; nil when it has none, or that is not known.
  var storeStanding: (log: String, commits: Int64)? { store.withLock(\.self)?() }

  /// What the worker said last.
  var word: Word { state.withLock { $0.word } }
}
