import CLinux
import Glibc
import KithJSON
import KithSupervision

/// The program of a host, and its becoming another one in place: the process stays, and with it its
/// children, its lock and its place with the service manager.
public struct HostProgram: Sendable {
  /// The variable with the number of the descriptor that holds the root's lock.
  static let lockVariable = "KITH_LOCK_FD"
  /// The variable with the number of the descriptor of the program that this one has taken the
  /// place of.
  private static let previousVariable = "KITH_PREVIOUS_HOST_FD"
  /// The variable with the arguments that that one ran with, a JSON list.
  private static let argumentsVariable = "KITH_PREVIOUS_HOST_ARGUMENTS"
  /// The variable with the reason why another program did not start and this one was put back.
  private static let failureVariable = "KITH_FAILED_UPGRADE"

  /// Why the last upgrade was taken back; empty when there was none, or it was not.
  static var failedUpgrade: String { variable(failureVariable) ?? "" }

  /// The path of the program.
  let path: String

  /// The file that this host was started from: what lies there now.
  static func own() throws(SystemError) -> HostProgram {
    guard let path = realpath("/proc/self/exe", nil) ?? readLink("/proc/self/exe") else {
      throw SystemError("find the program of this host")
    }
    defer { free(path) }
    let deleted = " (deleted)"
    let text = String(cString: path)
    return HostProgram(path: text.hasSuffix(deleted) ? String(text.dropLast(deleted.count)) : text)
  }

  private static func readLink(_ path: String) -> UnsafeMutablePointer<CChar>? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    return readlink(path, &buffer, Int(PATH_MAX)) > 0 ? strdup(buffer) : nil
  }

  /// Has the program say what it is, `kithd 0.1.0`, and whether it could run with this process's
  /// arguments.
  ///
  /// Blocks for as long as that takes, at most ten seconds.
  /// - Throws: `HostFailure` with what is in the way.
  func check() throws(HostFailure) -> String {
    let (end, words) = try answer(to: ["--version"])
    guard end == .exitCode(0), words.hasPrefix("kithd ") else {
      throw HostFailure(.badInput, "\(path) is no kithd, by what its --version says")
    }
    let (trial, trouble) = try answer(to: CommandLine.arguments.dropFirst() + ["--check"])
    guard trial == .exitCode(0) else {
      throw HostFailure(
        .badInput, "\(words) at \(path) cannot run in this one's place: \(trouble)")
    }
    return words
  }

  /// Runs the program to its end: how it ended, and the first line that it wrote.
  private func answer(to arguments: [String]) throws(HostFailure) -> (ProcessEnd?, String) {
    do throws(SystemError) {
      return try run(arguments)
    } catch {
      throw HostFailure(.badInput, "\(error)")
    }
  }

  private func run(_ arguments: [String]) throws(SystemError) -> (ProcessEnd?, String) {
    let output = try Descriptor.pipe()
    let child = try WorkerProcess.spawn(
      WorkerProcess.Launch(
        executable: path, arguments: arguments,
        environment: ProcessEnvironment.current.map { "\($0)=\($1)" }, workingDirectory: "/",
        descriptors: [try Descriptor.open("/dev/null", O_RDONLY), output.writing, output.writing]))
    defer { child.reapWhenEnded() }
    var entry = pollfd(fd: child.pidfd.number, events: Int16(POLLIN), revents: 0)
    let deadline = ContinuousClock.now + .seconds(5)
    while child.end() == nil, .now < deadline { poll(&entry, 1, 100) }
    let end = child.end()
    child.signal(SIGKILL)
    try output.reading.setNonBlocking()
    guard case .bytes(let bytes) = try output.reading.read(atMost: 1000) else { return (end, "") }
    return (end, String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
  }

  /// Becomes the program, with this process's arguments. Returns only when that is not possible,
  /// after which nothing of this host works any more: become `previous` then.
  /// - Parameter lock: the descriptor that holds the root's lock, which goes along.
  func become(keeping lock: Int32) -> SystemError {
    let previous = open("/proc/self/exe", O_RDONLY | O_CLOEXEC)
    let arguments = JSONValue.array(CommandLine.arguments.map { .string($0) })
    Self.become(
      path, CommandLine.arguments,
      variables: [
        Self.lockVariable: "\(lock)", Self.previousVariable: "\(previous)",
        Self.argumentsVariable: arguments.text(),
      ],
      keeping: [lock, previous])
    return SystemError("become \(path)")
  }

  /// Becomes the program that this one has taken the place of, when there is one, and has it say
  /// why. Returns when there is none.
  public static func goBack(because reason: String) {
    guard let text = variable(previousVariable), let number = Int32(text) else { return }
    let lock = variable(lockVariable).flatMap { Int32($0) }
    let arguments = variable(argumentsVariable).flatMap { try? JSONValue(parsing: $0) }
    become(
      "/proc/self/fd/\(number)",
      arguments?.arrayValue?.compactMap(\.stringValue) ?? CommandLine.arguments,
      variables: [failureVariable: reason, lockVariable: lock.map { "\($0)" } ?? ""],
      keeping: [lock].compactMap(\.self))
  }

  /// Becomes this program anew, after it could not become another one.
  func comeBack(because reason: SystemError, keeping lock: Int32) {
    Self.become(
      path, CommandLine.arguments,
      variables: [Self.failureVariable: "\(reason)", Self.lockVariable: "\(lock)"],
      keeping: [lock])
  }

  /// Takes note that this program runs: nothing is gone back to any more.
  static func settle() {
    guard let number = variable(previousVariable).flatMap({ Int32($0) }) else { return }
    unsetenv(previousVariable)
    unsetenv(argumentsVariable)
    close(number)
  }

  private static func become(
    _ path: String, _ arguments: [String], variables: [String: String], keeping kept: [Int32]
  ) {
    var environment = ProcessEnvironment.current
    // Whoever started this host has been told how that went.
    for name in ["KITH_NOTIFY_FD", previousVariable, argumentsVariable, failureVariable] {
      environment[name] = nil
    }
    environment.merge(variables) { $1 }
    let arguments = arguments.map { strdup($0) } + [nil]
    let entries = environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { for text in arguments + entries { free(text) } }
    kith_linux_become(path, arguments, entries, kept, Int32(kept.count))
  }

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }
}
