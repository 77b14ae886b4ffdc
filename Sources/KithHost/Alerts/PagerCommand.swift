import Glibc
import KithManifest

/// A program that takes a message on its standard input.
struct PagerCommand: Sendable, Hashable {
  /// `command` or `webhook`.
  let name: String
  let words: [String]

  /// The programs of a pager. The words of a webhook's stand on the command line of a process of
  /// the host's own user, as its manifest does in a file of that user.
  static func all(of pager: Pager) -> [PagerCommand] {
    var all: [PagerCommand] = []
    if !pager.command.isEmpty { all.append(PagerCommand(name: "command", words: pager.command)) }
    if let webhook = pager.webhook {
      all.append(
        PagerCommand(
          name: "webhook",
          words: [
            "/usr/bin/curl", "--silent", "--fail", "--max-time", "15", "--output", "/dev/null",
            "--header", "Content-Type: application/json", "--data-binary", "@-", "--", webhook,
          ]))
    }
    return all
  }

  /// Starts the program with a message on its standard input.
  /// - Throws: ``SystemError`` when it cannot be started.
  func start(
    _ message: [UInt8], environment: [String: String]
  ) throws(SystemError) -> WorkerProcess {
    let input = try Descriptor.pipe()
    let null = try Descriptor.open("/dev/null", O_WRONLY)
    let child = try WorkerProcess.spawn(
      WorkerProcess.Launch(
        executable: words[0], arguments: Array(words.dropFirst()),
        environment: ["PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8"]
          + ["HOME", "USER"].compactMap { name in environment[name].map { "\(name)=\($0)" } },
        workingDirectory: "/", descriptors: [input.reading, null, null]))
    // Less than a pipe holds, so that this does not wait for the program; one that has ended
    // already reads nothing.
    try? input.writing.writeAll(message, to: "a pager")
    return child
  }
}
