import CLinux
import Glibc
import KithSupervision

/// A process that this host started: the leader of a process group of its own.
///
/// Signals go through the pidfd, so that they never reach a stranger who got the pid later. The process stays a zombie
/// until `reap`; until then its process group's number cannot be given to anybody else either, so that the group can be
/// killed after its leader's death.
final class ChildProcess: Sendable {
  /// Which process.
  let identity: ProcessIdentity
  /// Readable when the process has ended.
  let pidfd: Descriptor

  private init(identity: ProcessIdentity, pidfd: Descriptor) {
    self.identity = identity
    self.pidfd = pidfd
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
    /// The file `cgroup.procs` of its control group; nil for the host's group.
    var controlGroup: Descriptor?
    /// What it may reach.
    var confinement = Confinement()
  }

  /// Starts a process, confined from its first instruction on.
  ///
  /// Never by fork: nng's threads do not survive in a forked child (facts of nng 1.5, posix_thread.c).
  static func spawn(_ launch: Launch) throws(SystemError) -> ChildProcess {
    // Out of the way of the numbers that the child gets, so that no dup2 closes what a later one copies.
    var sources: [Descriptor] = []
    for descriptor in launch.descriptors {
      sources.append(try descriptor.duplicated(least: Int32(launch.descriptors.count)))
    }
    let rules = try launch.confinement.ruleset()
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
              start.control_group = launch.controlGroup?.number ?? -1
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
    return ChildProcess(identity: identity, pidfd: Descriptor(taking: number))
  }

  /// Sends a signal to the process; one that has ended is left in peace.
  func signal(_ number: Int32) {
    _ = kith_linux_pidfd_send_signal(pidfd.number, number)
  }

  /// Sends a signal to the whole process group. Only before `reap`: after it the number may be another's.
  func signalGroup(_ number: Int32) {
    kill(-identity.pid, number)
  }

  /// How the process ended; nil as long as it runs. It stays a zombie.
  func end() -> ProcessEnd? {
    wait(peek: true)
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
