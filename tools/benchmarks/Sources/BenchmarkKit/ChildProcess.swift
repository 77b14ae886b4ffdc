import Glibc

/// A process of this benchmark: the other end of a measurement, or a program of Kith's.
package final class ChildProcess {
  package let pid: pid_t

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - path: The program's path.
  ///   - arguments: Its arguments, its own name apart.
  ///   - environment: What is added to this process's environment for it.
  ///   - inherited: A descriptor that it finds as number 3.
  ///   - output: A descriptor that takes its standard output.
  ///   - silent: Whether its standard output goes nowhere.
  package init(
    _ path: String, _ arguments: [String], environment: [String: String] = [:],
    inherited: Int32? = nil, output: Int32? = nil, silent: Bool = false
  ) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let inherited { posix_spawn_file_actions_adddup2(&actions, inherited, 3) }
    if let output { posix_spawn_file_actions_adddup2(&actions, output, 1) }
    if silent { posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0) }
    var argv: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
    defer { for word in argv { free(word) } }
    let added: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0)=\($1)") }
    defer { for variable in added { free(variable) } }
    var variables = added
    var next = environ
    while let variable = next.pointee {
      variables.append(variable)
      next += 1
    }
    variables.append(nil)
    var child: pid_t = 0
    let code = posix_spawn(&child, path, &actions, nil, &argv, &variables)
    guard code == 0 else {
      throw BenchmarkError("cannot start \(path): \(String(cString: strerror(code)))")
    }
    pid = child
  }

  /// Runs a program to its end and gives what it printed.
  package static func output(
    of path: String, _ arguments: [String], environment: [String: String] = [:]
  ) throws -> String {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0, let file = fdopen(ends[0], "r") else {
      throw BenchmarkError("pipe: \(String(cString: strerror(errno)))")
    }
    defer { fclose(file) }
    // The program gets the writing end as its output and nothing else of the pipe.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    // The end of the output is seen only when nobody else can write: not this process either.
    let process: ChildProcess
    do {
      defer { close(ends[1]) }
      process = try ChildProcess(path, arguments, environment: environment, output: ends[1])
    }
    let text = readAll(file)
    let code = process.wait()
    guard code == 0 else {
      throw BenchmarkError("\(path) \(arguments.joined(separator: " ")) ended with \(code)")
    }
    return text
  }

  /// Runs a program to its end and gives the numbers that it printed.
  package static func figures(
    count: Int, of path: String, _ arguments: [String], environment: [String: String] = [:]
  ) throws -> [Double] {
    let text = try output(of: path, arguments, environment: environment)
    let figures = text.split { $0 == " " || $0 == "\n" }.compactMap { Double($0) }
    guard figures.count == count else {
      throw BenchmarkError("\(path) printed something else than \(count) numbers: \(text)")
    }
    return figures
  }

  /// Waits for the end and gives the exit code, or minus the signal's number.
  @discardableResult package func wait() -> Int32 {
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
    return status & 0x7f == 0 ? (status >> 8) & 0xff : -(status & 0x7f)
  }

  /// Ends the process and waits for it.
  package func end() {
    kill(pid, SIGKILL)
    wait()
  }

  /// This very program, for the other end of a measurement.
  package static var ownPath: String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
    return String(
      decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
