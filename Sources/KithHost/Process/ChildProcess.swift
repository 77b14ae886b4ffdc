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
  }

  /// Starts a process.
  ///
  /// posix_spawn and never fork: nng's threads do not survive in a forked child (facts of nng 1.5, posix_thread.c).
  static func spawn(_ launch: Launch) throws(SystemError) -> ChildProcess {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // Out of the way of the numbers that the child gets, so that no dup2 closes what a later one copies.
    var sources: [Descriptor] = []
    for descriptor in launch.descriptors {
      sources.append(try descriptor.duplicated(least: Int32(launch.descriptors.count)))
    }
    for (index, source) in sources.enumerated() {
      posix_spawn_file_actions_adddup2(&actions, source.number, Int32(index))
    }
    kith_linux_spawn_close_from(&actions, Int32(launch.descriptors.count))
    kith_linux_spawn_change_directory(&actions, launch.workingDirectory)

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // A signal that the host ignores or blocks must be normal again in the worker.
    var all = sigset_t()
    var none = sigset_t()
    sigfillset(&all)
    sigemptyset(&none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes,
      Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))

    var pid = pid_t()
    let code = withCStrings([launch.executable] + launch.arguments) { arguments in
      withCStrings(launch.environment) { environment in
        posix_spawn(&pid, launch.executable, &actions, &attributes, arguments, environment)
      }
    }
    guard code == 0 else { throw SystemError("start \(launch.executable)", code: code) }
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

  /// Bounds how many files the process may have open. To be called while the process still waits for its launch record.
  func limitOpenFiles(to count: Int) throws(SystemError) {
    guard kith_linux_limit_open_files(identity.pid, UInt64(count)) == 0 else {
      throw SystemError("limit the open files of process \(identity.pid) to \(count)")
    }
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
  _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
) -> Result {
  let copies = strings.map { strdup($0) }
  defer { copies.forEach { free($0) } }
  return body(copies + [nil])
}
