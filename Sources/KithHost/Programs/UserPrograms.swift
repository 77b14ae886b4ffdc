import CLinux
import Glibc
import HostContract
import KithManifest
import KithRPC

/// The programs of a person that a worker's manifest grants, as /proc shows them.
///
/// Each call reads /proc, which takes a millisecond or so.
struct UserPrograms: Sendable {
  /// A process of one of them.
  struct Program: Sendable, Hashable {
    var identity: ProcessIdentity
    /// The names by which it is granted.
    var names: [String]
    var isStopped: Bool
  }

  private let grant: ProgramsGrant
  private let user: uid_t

  /// - Throws: FAILED_PRECONDITION where the grant names no account of this machine, or root's.
  init(_ grant: ProgramsGrant) throws(RPCError) {
    self.grant = grant
    if let name = grant.user {
      guard let entry = getpwnam(name) else {
        throw RPCError(
          .failedPrecondition, "'programs' names the user \(name), whom this machine does not have")
      }
      user = entry.pointee.pw_uid
    } else {
      user = geteuid()
    }
    guard user != 0 else {
      throw RPCError(
        .failedPrecondition,
        "the host runs as root: name the person's account in 'programs': { user: ada, names: [...] }"
      )
    }
  }

  /// Those that run.
  func running() throws(RPCError) -> [Program] {
    do throws(SystemError) {
      return try DurableFile.names(in: "/proc").compactMap { name in
        Int32(name).flatMap { program(ofPid: $0) }
      }
    } catch {
      throw RPCError(.internal, "\(error)")
    }
  }

  /// Does to a program what is asked for, if it is still the one that was listed.
  func signal(_ request: SignalProgramRequest) throws(RPCError) {
    let signals: [Int32]
    switch request.signal {
    case .freeze: signals = [SIGSTOP]
    case .continue: signals = [SIGCONT]
    case .end: signals = [SIGTERM, SIGCONT]
    case .kill: signals = [SIGKILL]
    default:
      throw .invalidArgument(field: "signal", "expected FREEZE, CONTINUE, END or KILL")
    }
    let number = request.pid > 1 ? kith_linux_pidfd_open(request.pid) : -1
    // Looked at with the pidfd in hand: it cannot become another process meanwhile.
    let process = number >= 0 ? Descriptor(taking: number) : nil
    guard let process, let program = program(ofPid: request.pid),
      program.identity.startTicks == request.startTicks
    else {
      throw RPCError(.notFound, "no such program runs, or it is not granted")
    }
    for signal in signals where kith_linux_pidfd_send_signal(process.number, signal) != 0 {
      if errno == ESRCH { return }
      throw RPCError(
        .internal, "\(SystemError("signal process \(request.pid)"))")
    }
  }

  /// The program of a process; nil for one that is not granted, or another's.
  private func program(ofPid pid: Int32) -> Program? {
    // Least first: most processes have no executable to be seen, or one that is not named.
    guard var executable = Self.link("/proc/\(pid)/exe") else { return nil }
    let deleted = " (deleted)"
    if executable.hasSuffix(deleted) { executable.removeLast(deleted.count) }
    var names = grant.grants(executable: executable) ? [executable] : []
    if grant.namesUnits {
      let origin = ProgramOrigin(controlGroups: ProcessFile.text("/proc/\(pid)/cgroup") ?? "")
      names += origin.names.filter(grant.names.contains)
    }
    guard !names.isEmpty, Self.isOf(user, pid: pid),
      let state = ProcessIdentity.state(ofPid: pid), !["Z", "X"].contains(state.state)
    else { return nil }
    return Program(
      identity: state.identity, names: names, isStopped: ["T", "t"].contains(state.state))
  }

  /// Whether a process runs with this user's rights and no others': its real, effective, saved and
  /// file system user.
  private static func isOf(_ user: uid_t, pid: Int32) -> Bool {
    guard let status = ProcessFile.text("/proc/\(pid)/status"),
      let line = status.split(separator: "\n").first(where: { $0.hasPrefix("Uid:") })
    else { return false }
    let users = line.dropFirst(4).split(whereSeparator: \.isWhitespace).map { uid_t($0) }
    return users.count == 4 && users.allSatisfy { $0 == user }
  }

  private static func link(_ path: String) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
      guard let start = buffer.baseAddress else { return nil }
      let count = readlink(path, start, buffer.count)
      guard count > 0 else { return nil }
      return String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
  }
}

extension UserPrograms.Program {
  /// As the contract has it.
  var contract: RunningProgram {
    RunningProgram(
      pid: identity.pid, startTicks: identity.startTicks, names: names, isStopped: isStopped)
  }
}
