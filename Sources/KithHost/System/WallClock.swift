import Glibc

/// The time of day, for people. Decisions use the clock that never goes back.
enum WallClock {
  /// Milliseconds since 1970-01-01T00:00:00Z.
  static var milliseconds: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
