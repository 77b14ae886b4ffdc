import CLinux
import Glibc
import KithTerminal

/// Starts `kithd` in the background, in a session of its own, so that it outlives this terminal.
///
/// The program is started by `posix_spawn` and never by `fork`: threads of nng do not survive a
/// fork.
struct HostProcess: Sendable {
  /// How the start ended.
  enum Outcome: Equatable {
    /// The control socket accepts connections.
    case listening
    /// The process ended before that: its exit code (128 and the number for a signal), and what it
    /// said.
    case ended(exitCode: Int32, lines: [String])
    /// Nothing was heard in time; the process may still be on its way.
    case silent
  }

  /// The path of `kithd`.
  let program: String

  /// How long the host may take until its socket accepts connections; it takes milliseconds unless
  /// the machine is stuck.
  private static let noticeTimeoutMilliseconds: Int32 = 30_000

  /// Finds `kithd` beside this program.
  static func find() throws(CommandFailure) -> HostProcess {
    let path = Surroundings.programDirectory + "/kithd"
    guard access(path, X_OK) == 0 else {
      throw CommandFailure(
        .unavailable,
        "the host's program is missing: expected it beside kith, at \(path); "
          + "build it with `swift build --product kithd`")
    }
    return HostProcess(program: path)
  }

  /// Starts the host with these arguments and waits until it listens.
  /// - Returns: whether it does; false when another host holds the root, which may not listen yet.
  /// - Throws: what it said when it did not come to that.
  @discardableResult
  func launch(_ arguments: [String], environment: [String: String]) throws(CommandFailure) -> Bool {
    switch try start(arguments, environment: environment) {
    case .listening: return true
    case .ended(ExitStatus.tryAgain.number, _): return false
    case .silent:
      throw CommandFailure(
        .unavailable,
        "kithd was started and its control socket does not answer yet; see `kith logs kithd`")
    case .ended(let exitCode, let lines):
      let prefix = "kithd: "
      let said = lines.map { $0.hasPrefix(prefix) ? String($0.dropFirst(prefix.count)) : $0 }
      throw CommandFailure(
        ExitStatus.all.first { $0.number == exitCode } ?? .defect,
        said.first
          ?? "kithd ended with exit code \(exitCode) and said nothing; see `kith logs kithd`",
        notes: Array(said.dropFirst()))
    }
  }

  /// Starts the program with these arguments and waits until it listens or ends.
  func start(_ arguments: [String], environment: [String: String]) throws(CommandFailure) -> Outcome
  {
    var notice: [Int32] = [-1, -1]
    guard kith_linux_pipe(&notice) == 0 else { throw Self.failure("make a pipe") }
    defer { close(notice[0]) }
    // What the host says while it starts goes to memory rather than to a pipe, which would break
    // when this ends.
    let messages = kith_linux_memory_file("kithd messages")
    guard messages >= 0 else {
      close(notice[1])
      throw Self.failure("make room for the messages of kithd")
    }
    defer { close(messages) }

    let pid: pid_t
    do {
      defer { close(notice[1]) }
      pid = try spawn(arguments, environment: environment, notice: notice[1], messages: messages)
    }
    switch Self.waitForNotice(notice[0]) {
    case .listening: return .listening
    case .silent: return .silent
    case .end:
      return .ended(exitCode: Self.exitCode(of: pid), lines: Self.lines(in: messages))
    }
  }

  private func spawn(
    _ arguments: [String], environment: [String: String], notice: Int32, messages: Int32
  ) throws(CommandFailure) -> pid_t {
    // The number at which the host finds the notice pipe.
    let noticeNumber: Int32 = 3
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, messages, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, messages, STDERR_FILENO)
    posix_spawn_file_actions_adddup2(&actions, notice, noticeNumber)
    kith_linux_spawn_close_from(&actions, noticeNumber + 1)
    // A program in the background must not hold a folder that somebody wants to unmount.
    kith_linux_spawn_change_directory(&actions, "/")

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    var defaults = sigset_t()
    sigemptyset(&defaults)
    for signal in [SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGPIPE] { sigaddset(&defaults, signal) }
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawnattr_setflags(
      &attributes,
      kith_linux_spawn_new_session() | Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    var variables = environment
    variables["KITH_NOTIFY_FD"] = String(noticeNumber)
    let arguments = CStrings([program] + arguments)
    let environment = CStrings(variables.map { "\($0.key)=\($0.value)" })
    var pid: pid_t = 0
    let result = posix_spawn(
      &pid, program, &actions, &attributes, arguments.pointers, environment.pointers)
    guard result == 0 else {
      errno = result
      throw Self.failure("start \(program)")
    }
    return pid
  }

  // MARK: Waiting

  private enum Notice { case listening, end, silent }

  /// Blocks this thread, which has nothing else to do.
  private static func waitForNotice(_ descriptor: Int32) -> Notice {
    var set = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while true {
      let ready = poll(&set, 1, noticeTimeoutMilliseconds)
      if ready < 0, errno == EINTR { continue }
      guard ready > 0 else { return .silent }
      var byte: UInt8 = 0
      let count = read(descriptor, &byte, 1)
      if count < 0, errno == EINTR { continue }
      return count > 0 ? .listening : .end
    }
  }

  private static func exitCode(of pid: pid_t) -> Int32 {
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0 {
      guard errno == EINTR else { return ExitStatus.defect.number }
    }
    // As in <sys/wait.h>: the low seven bits are the signal, the next byte is the exit code.
    let signal = status & 0x7f
    return signal == 0 ? (status >> 8) & 0xff : 128 + signal
  }

  private static func lines(in messages: Int32) -> [String] {
    let longest = 64 << 10
    var bytes = [UInt8](repeating: 0, count: longest)
    let count = pread(messages, &bytes, longest, 0)
    guard count > 0 else { return [] }
    return String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n")
      .map { SafeText.line(String($0)) }
  }

  private static func failure(_ what: String) -> CommandFailure {
    CommandFailure(.defect, "cannot \(what): \(String(cString: strerror(errno)))")
  }
}

/// Texts as C wants them for a new program: an array of pointers with a null pointer at its end.
private final class CStrings {
  let pointers: [UnsafeMutablePointer<CChar>?]

  init(_ texts: [String]) {
    pointers = texts.map { strdup($0) } + [nil]
  }

  deinit {
    for pointer in pointers { free(pointer) }
  }
}
