import Glibc

/// The effective user id of this process.
func currentUserID() -> UInt32 { geteuid() }

/// Nanoseconds that only ever grow; read without entering the kernel.
func monotonicNanoseconds() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
}
