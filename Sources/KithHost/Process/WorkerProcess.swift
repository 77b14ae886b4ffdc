import CLinux
import Glibc
import KithSupervision

/// A process that this host started, or one before it: the leader of a session and a process group of its own.
///
/// Signals go through the pidfd, so that they never reach a stranger who got the pid later.
final class WorkerProcess: Sendable {
  /// Which process.
  let identity: ProcessIdentity
  /// Readable when the process has ended.
  let pidfd: Descriptor

  private init(identity: ProcessIdentity, pidfd: Descriptor) {
    self.identity = identity
    self.pidfd = pidfd
  }

  /// The process of this identity, which an earlier host started; nil when it is gone, also when another process has its
  /// pid by now.
  convenience init?(earlier identity: ProcessIdentity) {
    let number = kith_linux_pidfd_open(identity.pid)
    guard number >= 0 else { return nil }
    let pidfd = Descriptor(taking: number)
    // Asked after the pidfd was opened: if the pid is still that process's now, the pidfd is that process's too.
    guard ProcessIdentity.current(ofPid: identity.pid) == identity else { return nil }
    self.init(identity: identity, pidfd: pidfd)
  }

  /// What a process is started with.
  struct Launch {
    /// The path of the program.
    var executable: String
    /// The arguments after the program's name.
    var arguments: [String] = []
    /// The whole environment, `NAME=value`.
    var environment: [String]
    /// Where it begins.
    var workingDirectory: String
    /// What it finds as descriptors 0, 1, 2, ...; nothing else is inherited.
    var descriptors: [Descriptor]
    /// How many files it may have open; nil for as many as the host.
    var openFiles: Int?
    /// How much writable memory each process may have reserved, in bytes; nil for as much as the host.
    var dataBytes: UInt64?
    /// The folder of its control group; nil for the host's group.
    var controlGroup: Descriptor?
    /// What it may reach.
    var confinement = Confinement()
  }

  /// Starts a process, confined from its first instruction on.
  ///
  /// Never by fork: nng's threads do not survive in a forked child (facts of nng 1.5, posix_thread.c).
  static func spawn(_ launch: Launch) throws(SystemError) -> WorkerProcess {
    // Out of the way of the numbers that the child gets, so that no dup2 closes what is needed later.
    let least = Int32(launch.descriptors.count)
    var sources: [Descriptor] = []
    for descriptor in launch.descriptors { sources.append(try descriptor.duplicated(least: least)) }
    let rules = try launch.confinement.ruleset()?.duplicated(least: least)
    let controlGroup = try launch.controlGroup?.duplicated(least: least)
    var step: UnsafePointer<CChar>?
    let pid = withCStrings([launch.executable] + launch.arguments) { arguments in
      withCStrings(launch.environment) { environment in
        sources.map(\.number).withUnsafeBufferPointer { descriptors in
          launch.executable.withCString { executable in
            launch.workingDirectory.withCString { directory in
              var start = kith_linux_launch()
              start.executable = executable
              start.arguments = arguments
              start.environment = environment
              start.directory = directory
              start.descriptors = descriptors.baseAddress
              start.descriptor_count = Int32(descriptors.count)
              start.open_files = UInt64(launch.openFiles ?? 0)
              start.data_bytes = launch.dataBytes ?? 0
              start.control_group = controlGroup?.number ?? -1
              start.ruleset = rules?.number ?? -1
              start.only_unix_sockets = launch.confinement.isOffTheNetwork ? 1 : 0
              return kith_linux_launch(&start, &step)
            }
          }
        }
      }
    }
    guard pid > 0 else {
      throw SystemError("\(step.map { String(cString: $0) } ?? "start") \(launch.executable)")
    }
    let number = kith_linux_pidfd_open(pid)
    guard number >= 0, let identity = ProcessIdentity.current(ofPid: pid) else {
      // Without a way to watch it the process must not live. It is our child and not reaped: the pid is still its own.
      let error = SystemError("watch process \(pid)")
      kill(-pid, SIGKILL)
      waitpid(pid, nil, 0)
      throw error
    }
    return WorkerProcess(identity: identity, pidfd: Descriptor(taking: number))
  }

  /// Sends a signal to the process; one that has ended is left in peace.
  func signal(_ number: Int32) {
    _ = kith_linux_pidfd_send_signal(pidfd.number, number)
  }

  /// Sends a signal to the whole process group, also after the death of its leader.
  func signalGroup(_ number: Int32) {
    if kith_linux_pidfd_send_group_signal(pidfd.number, number) == 0 || errno != EINVAL { return }
    // Before Linux 6.9. A child that has not been reaped keeps its group's number from being another's; of any other
    // process it cannot be known whose it is.
    if wait(peek: true) != .unknown { kill(-identity.pid, number) }
  }

  /// How the process ended; nil as long as it runs. A child stays a zombie.
  func end() -> ProcessEnd? {
    switch wait(peek: true) {
    case .unknown: hasEnded ? endOfAnothersChild() : nil
    case let end: end
    }
  }

  /// Whether it has ended, and may only be waited for still.
  var hasEnded: Bool {
    var entry = pollfd(fd: pidfd.number, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 0) > 0
  }

  /// How a process ended that somebody else waits for: its parent was an earlier host.
  private func endOfAnothersChild() -> ProcessEnd {
    // The kernel says so once somebody has waited for it, and until then it is a zombie, whose state says so. Asked again,
    // since that may have happened between.
    for _ in 0..<2 {
      var bySignal: Int32 = 0
      var status: Int32 = 0
      if kith_linux_exit_status(pidfd.number, &bySignal, &status) == 1 {
        return bySignal != 0 ? .signal(status) : .exitCode(status)
      }
      if let status = identity.waitStatusOfZombie {
        let signal = status & 0x7F
        return signal != 0 ? .signal(signal) : .exitCode(status >> 8 & 0xFF)
      }
    }
    return .unknown
  }

  /// Kills what is left of the process group and lets the kernel forget the process.
  func reap() {
    signalGroup(SIGKILL)
    _ = wait(peek: false)
  }

  /// Waits for a process that has been sent SIGKILL, and reaps it.
  func reapWhenEnded() {
    var entry = pollfd(fd: pidfd.number, events: Int16(POLLIN), revents: 0)
    while poll(&entry, 1, -1) < 0 && errno == EINTR {}
    reap()
  }

  private func wait(peek: Bool) -> ProcessEnd? {
    var bySignal: Int32 = 0
    var status: Int32 = 0
    switch kith_linux_wait(pidfd.number, peek ? 1 : 0, &bySignal, &status) {
    case 0: return nil
    case 1: return bySignal != 0 ? .signal(status) : .exitCode(status)
    default: return .unknown
    }
  }
}

/// Calls `body` with a null-terminated array of C strings.
private func withCStrings<Result>(
  _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>?) -> Result
) -> Result {
  let copies = strings.map { strdup($0) }
  defer { copies.forEach { free($0) } }
  return (copies + [nil]).withUnsafeBufferPointer { body($0.baseAddress) }
}
