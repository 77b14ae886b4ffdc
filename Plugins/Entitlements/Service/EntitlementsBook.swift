import EntitlementsDomain
import KithAccess
import KithRPC
import KithTime
import Synchronization

/// What the worker knows besides its store: settings, zones, what the clock shows, and what the
/// facts of people came to when they were last read.
struct EntitlementsBook: Sendable {
  let settings: EntitlementsSettings
  let zones: Zones
  let wall: Instant
  let folded: FoldedFacts

  /// The worker's own right to all records.
  static let ownGrant = Access(of: .product).grantAll(.own)
}

/// What the facts of people came to, by the revision of the person's row: to read and to open them
/// again costs more than to decide.
final class FoldedFacts: Sendable {
  private static let most = 20_000

  private let kept = Mutex<[UserID: (revision: Int64, subscriptions: [Subscription])]>([:])

  /// What they came to at a revision; nil if it is not known.
  func subscriptions(of user: UserID, at revision: Int64) -> [Subscription]? {
    kept.withLock { $0[user].flatMap { $0.revision == revision ? $0.subscriptions : nil } }
  }

  /// Keeps what they came to.
  func keep(_ subscriptions: [Subscription], of user: UserID, at revision: Int64) {
    kept.withLock { kept in
      if kept.count >= Self.most { kept.removeAll() }
      kept[user] = (revision, subscriptions)
    }
  }

  /// Forgets somebody.
  func forget(_ user: UserID) { kept.withLock { $0[user] = nil } }
}
