import Glibc

/// A process of this benchmark: the other end of a measurement, or a program of Kith's.
final class ChildProcess {
  let pid: pid_t

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - path: The program's path.
  ///   - arguments: Its arguments, its own name apart.
  ///   - inherited: A descriptor that it finds as number 3.
  ///   - silent: Whether its standard output goes nowhere.
  init(_ path: String, _ arguments: [String], inherited: Int32? = nil, silent: Bool = false) throws
  {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let inherited { posix_spawn_file_actions_adddup2(&actions, inherited, 3) }
    if silent { posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0) }
    var argv: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
    defer { for word in argv { free(word) } }
    var child: pid_t = 0
    let code = posix_spawn(&child, path, &actions, nil, &argv, environ)
    guard code == 0 else {
      throw BenchmarkError("cannot start \(path): \(String(cString: strerror(code)))")
    }
    pid = child
  }

  /// Waits for the end and gives the exit code, or minus the signal's number.
  @discardableResult func wait() -> Int32 {
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
    return status & 0x7f == 0 ? (status >> 8) & 0xff : -(status & 0x7f)
  }

  /// Ends the process and waits for it.
  func end() {
    kill(pid, SIGKILL)
    wait()
  }

  /// This very program, for the other end of a measurement.
  static var ownPath: String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
    return String(
      decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

/// Something that kept a measurement from being made.
struct BenchmarkError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
