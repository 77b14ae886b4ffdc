import Glibc

/// The effective user id of this process.
func currentUserID() -> UInt32 { geteuid() }
