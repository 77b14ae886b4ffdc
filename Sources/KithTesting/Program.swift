import Glibc
import Synchronization

/// A program that a test runs: `kithd`, `kith`, or any other.
public struct Program: Sendable {
  /// How a program ended and what it wrote.
  public struct Outcome: Hashable, Sendable {
    /// The exit code, or 128 and the number of the signal that ended it.
    public var exitCode: Int32
    /// What it wrote to its standard output.
    public var output: String
    /// What it wrote to its standard error.
    public var errors: String
  }

  /// The path of the program; one without a slash is looked for on the PATH.
  public var path: String
  /// The arguments after its name.
  public var arguments: [String]
  /// Variables over those of the test itself; nil takes one away.
  public var environment: [String: String?]

  /// A program that has not been started.
  public init(
    _ path: String, _ arguments: [String] = [], environment: [String: String?] = [:]
  ) {
    self.path = path
    self.arguments = arguments
    self.environment = environment
  }

  /// A program that is built with the tests: it lies beside them.
  public static func built(
    _ name: String, _ arguments: [String] = [], environment: [String: String?] = [:]
  ) throws(TestingError) -> Program {
    let path = "\(try builtFolder())/\(name)"
    guard access(path, X_OK) == 0 else {
      throw TestingError("\(path) is not there; does the test target depend on \(name)?")
    }
    return Program(path, arguments, environment: environment)
  }

  /// The folder of what was built with the tests; `KITH_PROGRAMS` names another.
  public static func builtFolder() throws(TestingError) -> String {
    if let stated = getenv("KITH_PROGRAMS") { return String(cString: stated) }
    guard let resolved = realpath("/proc/self/exe", nil) else {
      throw TestingError("/proc/self/exe cannot be read")
    }
    defer { free(resolved) }
    // The test runner is the test bundle itself, or a tool of the toolchain that was given the
    // bundle's path.
    let candidates = [String(cString: resolved)] + CommandLine.arguments
    for candidate in candidates {
      guard let slash = candidate.lastIndex(of: "/") else { continue }
      let folder = String(candidate[..<slash])
      if access("\(folder)/kithd", X_OK) == 0 { return folder }
    }
    throw TestingError("kithd does not lie beside the tests in any of \(candidates)")
  }

  /// Runs the program to its end.
  public func run() async throws(TestingError) -> Outcome {
    let folder = try TemporaryFolder()
    let running = try start(output: "\(folder.path)/out", errors: "\(folder.path)/err")
    let exitCode = await running.exitCode()
    return Outcome(
      exitCode: exitCode, output: TemporaryFolder.text(of: "\(folder.path)/out") ?? "",
      errors: TemporaryFolder.text(of: "\(folder.path)/err") ?? "")
  }

  /// Starts the program in a process group of its own; its output goes to files. It is killed when
  /// the test process ends in any way.
  ///
  /// - Parameter inherited: descriptors that the program gets as 3, 4, ...
  public func start(
    output: String = "/dev/null", errors: String = "/dev/null", inherited: [Int32] = []
  ) throws(TestingError) -> RunningProgram {
    try start(
      output: output, errors: errors, inherited: inherited, guardian: try Guardian.shared.pid)
  }

  /// As above, with the guardian that ends it; nil for the guardian itself.
  func start(
    output: String = "/dev/null", errors: String = "/dev/null", inherited: [Int32],
    guardian: Int32?
  ) throws(TestingError) -> RunningProgram {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    // Above the numbers that the program gets: a copy to its own number would stay closed on exec.
    let copies = inherited.map { fcntl($0, F_DUPFD_CLOEXEC, Int32(3 + inherited.count)) }
    defer { copies.forEach { close($0) } }
    for (index, descriptor) in copies.enumerated() {
      posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(3 + index))
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK))

    let variables = mergedEnvironment(guardian: guardian).map { strdup("\($0)=\($1)") } + [nil]
    let words = ([path] + arguments).map { strdup($0) } + [nil]
    defer { (variables + words).forEach { free($0) } }
    var pid = pid_t()
    let code = posix_spawnp(&pid, path, &actions, &attributes, words, variables)
    guard code == 0 else {
      throw TestingError("cannot start \(path): \(String(cString: strerror(code)))")
    }
    return RunningProgram(pid: pid)
  }

  private func mergedEnvironment(guardian: Int32?) -> [String: String] {
    var variables: [String: String] = [:]
    var entry = environ
    while let text = entry.pointee.map({ String(cString: $0) }) {
      if let equals = text.firstIndex(of: "=") {
        variables[String(text[..<equals])] = String(text[text.index(after: equals)...])
      }
      entry += 1
    }
    if let guardian { variables[Guardian.variable] = "\(guardian)" }
    for (name, value) in environment { variables[name] = value }
    return variables
  }
}

/// A program that a test started.
public final class RunningProgram: Sendable {
  /// Its process id; its own until `exitCode` has returned.
  public let pid: Int32

  private struct State {
    var exitCode: Int32?
    var waiting: [CheckedContinuation<Int32, Never>] = []
  }

  private let state = Mutex(State())

  init(pid: Int32) {
    self.pid = pid
    BlockingThread.start {
      var status: Int32 = 0
      while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
      let signal = status & 0x7F
      let exitCode = signal == 0 ? (status >> 8) & 0xFF : 128 + signal
      let waiting = self.state.withLock { state in
        state.exitCode = exitCode
        defer { state.waiting = [] }
        return state.waiting
      }
      for continuation in waiting { continuation.resume(returning: exitCode) }
    }
  }

  /// Whether it has ended.
  public var hasEnded: Bool { state.withLock { $0.exitCode != nil } }

  /// Sends it a signal, unless it has ended.
  public func signal(_ number: Int32) {
    state.withLock { state in
      if state.exitCode == nil { kill(pid, number) }
    }
  }

  /// Waits until it has ended: its exit code, or 128 and the number of the signal that ended it.
  public func exitCode() async -> Int32 {
    await withCheckedContinuation { continuation in
      let exitCode: Int32? = state.withLock { state in
        if state.exitCode == nil { state.waiting.append(continuation) }
        return state.exitCode
      }
      if let exitCode { continuation.resume(returning: exitCode) }
    }
  }
}

/// A thread for a call that blocks, since Swift's shared threads must not.
enum BlockingThread {
  /// Runs `body` on a thread of its own.
  static func start(_ body: @escaping @Sendable () -> Void) {
    final class Box {
      let body: @Sendable () -> Void
      init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    let context = Unmanaged.passRetained(Box(body)).toOpaque()
    var thread = pthread_t()
    let code = pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body()
        return nil
      }, context)
    precondition(code == 0, "no thread can be created")
    pthread_detach(thread)
  }

  /// Runs `body` on a thread of its own and waits for what it returns.
  static func value<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      start { continuation.resume(returning: body()) }
    }
  }
}
