import Foundation
import Glibc
import KithTesting

/// A harmless program of a person of this machine: `sleep` under a name of its own.
///
/// Where the tests run as root it runs as `nobody`, since no grant is of root.
final class GuardedProgram: Sendable {
  /// The account that a grant names; nil for that of the tests.
  static var account: String? { geteuid() == 0 ? "nobody" : nil }

  /// Its executable.
  let path: String
  /// Its pid.
  let pid: Int32
  private let folder: TemporaryFolder
  private let process: Process

  /// Starts it.
  /// - Parameters:
  ///   - account: whose it is, where the tests run as root.
  ///   - other: one whose executable it has too.
  init(as account: String? = account, like other: GuardedProgram? = nil) throws {
    folder = try other?.folder ?? TemporaryFolder()
    path = "\(folder.path)/idler"
    if other == nil {
      chmod(folder.path, 0o755)
      try FileManager.default.copyItem(atPath: "/bin/sleep", toPath: path)
    }
    process = Process()
    let words = [path, "3600"]
    let command = account.map {
      ["/usr/bin/setpriv", "--reuid=\($0)", "--regid=nogroup", "--clear-groups"] + words
    }
    process.executableURL = URL(fileURLWithPath: (command ?? words)[0])
    process.arguments = Array((command ?? words).dropFirst())
    try process.run()
    pid = process.processIdentifier
    // setpriv becomes it.
    while isRunning,
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/exe")) != path
    {
      usleep(1_000)
    }
  }

  deinit {
    kill(pid, SIGKILL)
  }

  /// The line of a manifest that grants it.
  var grant: String {
    "programs: { \(Self.account.map { "user: \($0), " } ?? "")names: [\(path)] }"
  }

  /// Whether it has not ended.
  var isRunning: Bool { process.isRunning }

  /// Whether it is stopped.
  var isStopped: Bool { state == "T" }

  private var state: Character? {
    guard let stat = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8) else {
      return nil
    }
    return stat.split(separator: ")").last?.first { $0 != " " }
  }

  /// Waits until something is so of it.
  func wait(until check: @Sendable (GuardedProgram) -> Bool) async throws {
    let end = ContinuousClock.now + RunningProduct.patience
    while !check(self) {
      guard ContinuousClock.now < end else {
        throw TestingError("the program is \(state.map(String.init) ?? "gone")")
      }
      try await Task.sleep(for: .milliseconds(5))
    }
  }
}
