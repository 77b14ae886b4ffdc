import Glibc

/// The effective user id of this process.
func currentUserID() -> UInt32 { geteuid() }

/// How many descriptors this process may have open (`RLIMIT_NOFILE`); `Int.max` when there is no
/// limit.
func openFileLimit() -> Int {
  var limit = rlimit()
  guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return .max }
  return Int(clamping: limit.rlim_cur)
}

/// A clock of the kernel.
enum KernelClock {
  /// Only ever grows; read without entering the kernel.
  case monotonic
  /// What this thread has computed so far.
  case thread
}

/// What a clock shows, in nanoseconds.
func nanoseconds(_ clock: KernelClock) -> UInt64 {
  var time = timespec()
  switch clock {
  case .monotonic: clock_gettime(CLOCK_MONOTONIC, &time)
  case .thread: clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  }
  return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
}
