import FamilyAlertsDomain
public import KithStore
public import KithTime

/// The two times that the worker goes by: the trusted one for what is due, and the wall for what
/// people read.
public struct AlertsTime: Sendable {
  private let trusted: TrustedTime
  private let sinceBoot: @Sendable () -> Duration
  private let wall: @Sendable () -> Instant

  /// The times of a worker, which go on from those of the process before it.
  /// - Parameters:
  ///   - boot: names the run of the machine; empty where it cannot be told.
  ///   - sinceBoot: a clock that is never set.
  ///   - wall: what the wall clock shows.
  public static func resumed(
    in store: Store, boot: String, sinceBoot: @escaping @Sendable () -> Duration,
    wall: @escaping @Sendable () -> Instant
  ) async throws -> AlertsTime {
    let trusted = try await store.write { transaction in
      let saved: StoredTime? = try transaction.record(id: "now")
      let time = TrustedTime(
        resuming: saved?.time, boot: boot, sinceBoot: sinceBoot(), wall: wall())
      try transaction.save(StoredTime(time.noted(sinceBoot: sinceBoot())))
      return time
    }
    return AlertsTime(trusted: trusted, sinceBoot: sinceBoot, wall: wall)
  }

  /// The time that deadlines are counted in.
  var now: Instant { trusted.now(sinceBoot: sinceBoot()) }

  /// What the wall clock shows.
  var onTheWall: Instant { wall() }

  /// What the wall clock will show at a trusted time, if it is not set.
  func onTheWall(_ instant: Instant) -> Instant { wall() + (instant - now) }
}
