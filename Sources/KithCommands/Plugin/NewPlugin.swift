import Glibc

/// Writes a new plugin into a checkout: all of it, or nothing.
///
/// The files are first written to a folder of their own under `.build`, which is on the same file system, then moved into
/// place, the contract first, because its code must be generated before anything else can be built. Whatever fails on the
/// way, what has been moved is removed again.
struct NewPlugin {
  let checkout: Checkout
  let name: PluginName

  /// Where the contract's code is generated to.
  private var generated: String { "Sources/KithContracts/\(name.contractArea)" }
  private var contractFolder: String { "proto/kith/\(name.snake)" }
  private var pluginFolder: String { "Plugins/\(name.type)" }
  private var testsFolder: String { "Tests/\(name.type)Tests" }
  private var draft: String { ".build/new-plugin-\(getpid())" }

  /// Writes it. `report` is told of steps that take time.
  /// - Throws: ``CommandFailure``; the checkout is as it was.
  func write(report: (String) throws -> Void) throws {
    for path in [contractFolder, pluginFolder, testsFolder, generated] where checkout.has(path) {
      throw CommandFailure(
        .cannotCreate, "\(checkout.root)/\(path) exists; choose another name, or remove it")
    }
    let template = PluginTemplate(name: name)
    let package = try PackageManifest(text: checkout.text(of: "Package.swift")).adding(name)

    defer { checkout.remove(draft) }
    for file in [template.contract] + template.plugin + template.tests {
      try checkout.write(file.text, to: "\(draft)/\(file.path)")
    }
    try checkout.write(package, to: "\(draft)/Package.swift")

    do {
      try checkout.move("\(draft)/\(contractFolder)", to: contractFolder)
      try report("Generating the code of the contract ...")
      try generateContracts()
      try Task.checkCancellation()
      try checkout.move("\(draft)/\(pluginFolder)", to: pluginFolder)
      try checkout.move("\(draft)/\(testsFolder)", to: testsFolder)
      // Last, and in one step: from here on the plugin is a part of the house.
      try checkout.move("\(draft)/Package.swift", to: "Package.swift")
    } catch {
      removeAgain()
      throw error
    }
  }

  private func removeAgain() {
    for path in [contractFolder, pluginFolder, testsFolder] { checkout.remove(path) }
    if checkout.has(generated) {
      // The generator got through: it takes away what no contract asks for any more.
      try? generateContracts()
      checkout.remove(generated)
    }
  }

  private func generateContracts() throws(CommandFailure) {
    let tool = "\(checkout.root)/tools/generate-contracts"
    let outcome = ToolRun.run(tool)
    guard outcome.exitCode == 0 else {
      throw CommandFailure(
        .defect, "tools/generate-contracts failed; nothing was written",
        notes: outcome.lastLines)
    }
  }
}

/// Runs a tool of the checkout to its end.
enum ToolRun {
  /// How it ended and what it said last.
  struct Outcome {
    var exitCode: Int32
    var lastLines: [String]
  }

  /// Runs a program without arguments; ctrl-C reaches it too.
  static func run(_ program: String) -> Outcome {
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
    var arguments: [UnsafeMutablePointer<CChar>?] = [strdup(program), nil]
    defer { free(arguments[0]) }
    var pid: pid_t = 0
    let result = posix_spawn(&pid, program, &actions, nil, &arguments, environ)
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
