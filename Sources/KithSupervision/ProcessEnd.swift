/// How a process ended.
public enum ProcessEnd: Hashable, Sendable, CustomStringConvertible {
  /// By itself, with this exit code.
  case exitCode(Int32)
  /// By this signal.
  case signal(Int32)
  /// By SIGKILL, which this host did not send. `mayBeOutOfMemory` where nobody can tell whether the
  /// kernel sent it, since there was no memory left.
  case killedFromOutside(mayBeOutOfMemory: Bool)
  /// The kernel ended it because it used more memory than there was or than it may.
  case outOfMemory
  /// There never was a process: it could not be created.
  case notCreated
  /// Nobody knows: the process was a child of an earlier host, and the kernel does not say.
  case unknown

  /// Whether the process ended by itself and said that all is well.
  public var isClean: Bool { self == .exitCode(0) }

  /// In plain words: `exit code 3`, `killed by SIGKILL`.
  public var description: String {
    switch self {
    case .exitCode(let code): "exit code \(code)"
    case .signal(let number): "killed by \(Self.signalName(number))"
    case .killedFromOutside(false): "killed by SIGKILL from outside"
    case .killedFromOutside(true):
      "killed by SIGKILL from outside (maybe by the kernel, out of memory)"
    case .outOfMemory: "ran out of memory"
    case .notCreated: "could not be started"
    case .unknown: "exit status unknown: adopted from an earlier host"
    }
  }

  /// The name of a signal by its Linux number: `SIGKILL`, or `signal 40`.
  static func signalName(_ number: Int32) -> String {
    switch number {
    case 1: "SIGHUP"
    case 2: "SIGINT"
    case 3: "SIGQUIT"
    case 4: "SIGILL"
    case 5: "SIGTRAP"
    case 6: "SIGABRT"
    case 7: "SIGBUS"
    case 8: "SIGFPE"
    case 9: "SIGKILL"
    case 10: "SIGUSR1"
    case 11: "SIGSEGV"
    case 12: "SIGUSR2"
    case 13: "SIGPIPE"
    case 14: "SIGALRM"
    case 15: "SIGTERM"
    case 24: "SIGXCPU"
    case 25: "SIGXFSZ"
    case 31: "SIGSYS"
    default: "signal \(number)"
    }
  }
}
