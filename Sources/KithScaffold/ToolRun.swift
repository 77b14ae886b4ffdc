import Glibc
package import KithTerminal

/// Runs a tool of a checkout to its end.
package enum ToolRun {
  /// How it ended and what it said last.
  package struct Outcome {
    /// Its exit code, or 128 and the number of the signal that ended it.
    package var exitCode: Int32
    /// At most 20, made fit for a terminal.
    package var lastLines: [String]
  }

  /// Runs tools/generate-contracts of a checkout.
  /// - Throws: ``CommandFailure`` with its last lines when it fails.
  package static func generateContracts(
    in checkout: Checkout, _ arguments: [String]
  ) throws(CommandFailure) {
    try generateContracts(by: "\(checkout.root)/tools/generate-contracts", arguments)
  }

  /// Runs a program that generates contracts.
  package static func generateContracts(
    by program: String, _ arguments: [String]
  ) throws(CommandFailure) {
    let outcome = run(program, arguments)
    guard outcome.exitCode == 0 else {
      throw CommandFailure(
        .defect, "the code of the contract could not be generated; nothing was written",
        notes: outcome.lastLines)
    }
  }

  /// Runs a program; ctrl-C reaches it too.
  package static func run(_ program: String, _ arguments: [String]) -> Outcome {
    let path = "/tmp/kith-tool-\(getpid())-XXXXXX"
    var template = Array(path.utf8CString)
    let output = mkstemp(&template)
    guard output >= 0 else {
      return Outcome(exitCode: 127, lastLines: ["no file for the output can be made in /tmp"])
    }
    unlink(template)
    defer { close(output) }

    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO)
    var argv: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
    defer { for argument in argv { free(argument) } }
    var pid: pid_t = 0
    let result = posix_spawn(&pid, program, &actions, nil, &argv, environ)
    guard result == 0 else {
      return Outcome(exitCode: 127, lastLines: ["\(program): \(String(cString: strerror(result)))"])
    }
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    // As in <sys/wait.h>: the low seven bits are the signal, the next byte is the exit code.
    let signal = status & 0x7f
    return Outcome(
      exitCode: signal == 0 ? (status >> 8) & 0xff : 128 + signal, lastLines: lastLines(output))
  }

  private static func lastLines(_ descriptor: Int32) -> [String] {
    let most = 20
    let longest = 64 << 10
    let size = lseek(descriptor, 0, SEEK_END)
    var bytes = [UInt8](repeating: 0, count: longest)
    let count = pread(descriptor, &bytes, longest, max(0, size - longest))
    guard count > 0 else { return [] }
    return String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n").suffix(most)
      .map { SafeText.line(String($0)) }
  }
}
