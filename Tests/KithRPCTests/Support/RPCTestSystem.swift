import Glibc

/// What the kernel says of this process.
enum RPCTestSystem {
  static let userID = geteuid()
  static let processID = getpid()
}
