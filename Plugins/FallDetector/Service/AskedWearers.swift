import FallsContract
import KithAccess
import KithStore
import Synchronization

/// The wearers who may have an open case, so that a batch of one who has none reads nothing from
/// the store. That one is named here says nothing for sure; that one is not, does.
final class AskedWearers: Sendable {
  private struct State {
    var isLoaded = false
    var stamp: UInt64 = 0
    /// With the stamp of the last time that one was named.
    var wearers: [UserID: UInt64] = [:]

    mutating func insert(_ user: UserID) {
      stamp += 1
      wearers[user] = stamp
    }
  }

  private let store: Store
  private let state = Mutex(State())

  init(store: Store) { self.store = store }

  /// Reads who has an open case, once.
  func load() async throws {
    guard !state.withLock(\.isLoaded) else { return }
    let users: [UserID] = try await store.read { transaction in
      try transaction.rows("SELECT DISTINCT user_id FROM fall_case WHERE state <> 'closed'")
        .values(of: "user_id")
    }
    state.withLock { state in
      for user in users { state.insert(user) }
      state.isLoaded = true
    }
  }

  /// Names the wearer of a case that is open.
  func note(_ fallCase: FallCase) {
    guard fallCase.state != .closed, let user = UserID(fallCase.userId) else { return }
    state.withLock { $0.insert(user) }
  }

  /// Whether a wearer may have an open case; nil for no, else what ``forget(_:since:)`` takes.
  func stamp(of user: UserID) -> UInt64? { state.withLock { $0.wearers[user] } }

  /// The store has no open case of a wearer, unless one was named since.
  func forget(_ user: UserID, since stamp: UInt64) {
    state.withLock { state in
      if state.wearers[user] == stamp { state.wearers[user] = nil }
    }
  }
}
