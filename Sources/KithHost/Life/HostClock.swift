import KithSupervision

/// The time as the supervisor counts it, from the start of the host.
struct HostClock: Sendable {
  private let start = ContinuousClock.now
  /// When the host was started, in milliseconds since 1970.
  let startedAtMilliseconds = WallClock.milliseconds

  /// The time now.
  var now: Moment { Moment(sinceStart: ContinuousClock.now - start) }

  /// A moment on the machine's clock.
  func instant(of moment: Moment) -> ContinuousClock.Instant { start + moment.sinceStart }
}
