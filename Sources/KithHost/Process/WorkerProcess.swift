import CLinux
import Glibc
import KithSupervision

/// A process that this host started, or one before it: the leader of a session and a process group
/// of its own.
///
/// Signals go through the pidfd, so that they never reach a stranger who got the pid later.
final class WorkerProcess: Sendable {
  /// Which process.
  let identity: ProcessIdentity
  /// Readable when the process has ended.
  let pidfd: Descriptor
  /// Where it runs with all that it starts; nil where it runs among all others.
  let namespace: MountNamespace?

  private init(identity: ProcessIdentity, pidfd: Descriptor) {
    self.identity = identity
    self.pidfd = pidfd
    namespace = MountNamespace(ofPid: identity.pid)
  }

  /// The process of this identity, which an earlier host started; nil when it is gone, also when
  /// another process has its pid by now.
  convenience init?(earlier identity: ProcessIdentity) {
    let number = kith_linux_pidfd_open(identity.pid)
    guard number >= 0 else { return nil }
    let pidfd = Descriptor(taking: number)
    // Asked after the pidfd was opened: if the pid is still that process's now, the pidfd is that
    // process's too.
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
    /// How much writable memory each process may have reserved, in bytes; nil for as much as the
    /// host.
    var dataBytes: UInt64?
    /// How many processes and threads it may have with all that it starts, where its own user
    /// namespace counts them.
    var processes: Int?
    /// The folder of its control group; nil for the host's group.
    var controlGroup: Descriptor?
    /// The folder of a control group of version 1 that counts its processes; nil for none.
    var processGroup: Descriptor?
    /// The account that it becomes; nil to stay the host's.
    var account: WorkerAccount?
    /// What it may reach.
    var confinement = Confinement()
  }

  /// Starts a process, confined from its first instruction on.
  ///
  /// Never by fork: nng's threads do not survive in a forked child (facts of nng 1.5,
  /// posix_thread.c).
  static func spawn(_ launch: Launch) throws(SystemError) -> WorkerProcess {
    let pid = try start(launch, executable: launch.executable)
    let number = kith_linux_pidfd_open(pid)
    guard number >= 0, let identity = ProcessIdentity.current(ofPid: pid) else {
      // Without a way to watch it the process must not live. It is our child and not reaped: the
      // pid is still its own.
      let error = SystemError("watch process \(pid)")
      kill(-pid, SIGKILL)
      waitpid(pid, nil, 0)
      throw error
    }
    return WorkerProcess(identity: identity, pidfd: Descriptor(taking: number))
  }

  /// Has a process with a private root get as far as its program, and end there.
  static func tryOut(_ root: PrivateRoot, _ way: PrivateRoot.Way) throws(SystemError) {
    let launch = Launch(
      executable: "/", environment: [], workingDirectory: "/",
      descriptors: [try Descriptor.open("/dev/null", O_RDWR)])
    waitpid(try start(launch, executable: nil, root: (root, way)), nil, 0)
  }

  /// Starts a process: its pid.
  /// - Parameters:
  ///   - executable: nil for a process that ends instead of becoming a program.
  ///   - root: its private root; nil for that which its confinement asks for.
  private static func start(
    _ launch: Launch, executable: String?, root: (PrivateRoot, PrivateRoot.Way)? = nil
  ) throws(SystemError) -> pid_t {
    // Out of the way of the numbers that the child gets, so that no dup2 closes what is needed
    // later.
    let least = Int32(launch.descriptors.count)
    var sources: [Descriptor] = []
    for descriptor in launch.descriptors { sources.append(try descriptor.duplicated(least: least)) }
    let confinement = launch.confinement
    let rules = try confinement.ruleset()?.duplicated(least: least)
    let controlGroup = try launch.controlGroup?.duplicated(least: least)
    let processGroup = try launch.processGroup?.duplicated(least: least)
    var filter =
      confinement.confinesCalls
      ? SystemCallFilter(isOffTheNetwork: confinement.isOffTheNetwork).instructions : []
    var root = root
    if let way = confinement.root { root = (try PrivateRoot(showing: confinement), way) }

    let words = CStrings()
    // The compiler cannot see that the pointers below are into it.
    defer { withExtendedLifetime(words) {} }
    var steps = root?.0.steps.map { kith_linux_root_step($0, words) } ?? []
    let numbers = sources.map(\.number)
    var start = kith_linux_launch()
    start.executable = executable.flatMap { UnsafePointer(words.copy($0)) }
    start.arguments = words.list([launch.executable] + launch.arguments)
    start.environment = words.list(launch.environment)
    start.directory = UnsafePointer(words.copy(launch.workingDirectory))
    start.open_files = UInt64(launch.openFiles ?? 0)
    start.data_bytes = launch.dataBytes ?? 0
    start.control_group = controlGroup?.number ?? -1
    start.process_group = processGroup?.number ?? -1
    start.ruleset = rules?.number ?? -1
    start.own_users = root?.1 == .asUser ? 1 : 0
    start.processes = UInt64(launch.processes ?? 0)
    (start.user, start.group) = (launch.account?.user ?? 0, launch.account?.group ?? 0)
    var step: UnsafePointer<CChar>?
    var place: UnsafePointer<CChar>?
    let pid = numbers.withUnsafeBufferPointer { numbers in
      filter.withUnsafeMutableBufferPointer { filter in
        steps.withUnsafeMutableBufferPointer { steps in
          start.descriptors = numbers.baseAddress
          start.descriptor_count = Int32(numbers.count)
          start.filter = filter.isEmpty ? nil : filter.baseAddress
          start.filter_length = Int32(filter.count)
          start.root_steps = steps.isEmpty ? nil : UnsafePointer(steps.baseAddress)
          start.root_step_count = Int32(steps.count)
          return kith_linux_launch(&start, &step, &place)
        }
      }
    }
    guard pid > 0 else {
      let code = errno
      let at = place.map { " at \(String(cString: $0))" } ?? ""
      throw SystemError(
        "\(step.map { String(cString: $0) } ?? "start") \(launch.executable)\(at)", code: code)
    }
    return pid
  }

  /// Sends a signal to the process; one that has ended is left in peace.
  func signal(_ number: Int32) {
    _ = kith_linux_pidfd_send_signal(pidfd.number, number)
  }

  /// Sends a signal to the whole process group, also after the death of its leader.
  func signalGroup(_ number: Int32) {
    if kith_linux_pidfd_send_group_signal(pidfd.number, number) == 0 || errno != EINVAL { return }
    // Before Linux 6.9. A child that has not been reaped keeps its group's number from being
    // another's; of any other process it cannot be known whose it is.
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
    // The kernel says so once somebody has waited for it, and until then it is a zombie, whose
    // state says so. Asked again, since that may have happened between.
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

/// C strings, and lists of them that end with a null pointer, for as long as this object lives.
private final class CStrings {
  private var strings: [UnsafeMutablePointer<CChar>?] = []
  private var lists: [UnsafeMutableBufferPointer<UnsafeMutablePointer<CChar>?>] = []

  func copy(_ text: String) -> UnsafeMutablePointer<CChar>? {
    let copy = strdup(text)
    strings.append(copy)
    return copy
  }

  func list(_ texts: [String]) -> UnsafePointer<UnsafeMutablePointer<CChar>?>? {
    let list = UnsafeMutableBufferPointer<UnsafeMutablePointer<CChar>?>.allocate(
      capacity: texts.count + 1)
    _ = list.initialize(from: texts.map(copy) + [nil])
    lists.append(list)
    return UnsafePointer(list.baseAddress)
  }

  deinit {
    lists.forEach { $0.deallocate() }
    strings.forEach { free($0) }
  }
}

extension kith_linux_root_step {
  fileprivate init(_ step: PrivateRoot.Step, _ words: CStrings) {
    self.init()
    switch step {
    case .folder(let path): (kind, self.path) = (KITH_LINUX_FOLDER, .init(words.copy(path)))
    case .file(let path): (kind, self.path) = (KITH_LINUX_FILE, .init(words.copy(path)))
    case .link(let path, let target):
      (kind, self.path) = (KITH_LINUX_LINK, .init(words.copy(path)))
      self.target = .init(words.copy(target))
    case .show(let path, let access):
      self.path = .init(words.copy(path))
      kind =
        switch access {
        case .reading: KITH_LINUX_SHOW
        case .writing: KITH_LINUX_SHOW_WRITABLE
        case .device: KITH_LINUX_SHOW_DEVICE
        }
    }
  }
}
