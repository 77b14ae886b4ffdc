import CLinux
import Glibc
import KithTerminal

/// What a command finds around it: variables, the terminal, the folder it was called from.
struct Surroundings: Sendable {
  /// The variables of the environment.
  var environment: [String: String]
  /// What standard output can show.
  var terminal: Terminal

  /// Those of this process.
  static var current: Surroundings {
    let environment = processEnvironment()
    return Surroundings(
      environment: environment, terminal: .standardOutput(environment: environment))
  }

  /// Now, in milliseconds since 1970-01-01T00:00:00Z.
  static var now: Int64 { kith_linux_wall_milliseconds() }

  /// The folder that an option names, as a path from the root of the file system.
  /// - Throws: ``CommandFailure`` with exit code 64 when it is empty, as a variable that is not set
  ///   is: that does not mean the folder at hand.
  static func folder(_ path: String, option: String) throws(CommandFailure) -> String {
    guard !path.isEmpty else {
      throw CommandFailure(.usage, "\(option) needs a folder, and was given an empty text")
    }
    return absolutePath(path)
  }

  /// The root that `KITH_ROOT` names for commands without `--root`.
  static var standardRoot: String? {
    processEnvironment()["KITH_ROOT"].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// What `--root` says, as a path from the root of the file system.
  /// - Throws: as ``folder(_:option:)``.
  static func root(_ path: String?) throws(CommandFailure) -> String? {
    try path.map { path throws(CommandFailure) in try folder(path, option: "--root") }
  }

  /// The variables for a host, which is started in `/`: a search path is told from there.
  static func environmentOfHost(_ environment: [String: String]) -> [String: String] {
    var environment = environment
    environment["KITH_PLUGIN_PATH"] = environment["KITH_PLUGIN_PATH"].map { path in
      path.split(separator: ":").map { absolutePath(String($0)) }.joined(separator: ":")
    }
    return environment
  }

  /// A product as a host is to be told of it: its name, or the path of its manifest from the root
  /// of the file system.
  static func productArgument(_ product: String) -> String {
    let isPath = product.contains("/") || product.hasSuffix(".yaml") || product.hasSuffix(".yml")
    return isPath ? absolutePath(product) : product
  }

  /// A path from the root of the file system.
  static func absolutePath(_ path: String) -> String {
    if path.hasPrefix("/") { return path }
    guard let current = getcwd(nil, 0) else { return path }
    defer { free(current) }
    let folder = String(cString: current)
    return path == "." ? folder : "\(folder)/\(path)"
  }

  /// The folder of this program, links resolved.
  static var programDirectory: String {
    guard let path = realpath("/proc/self/exe", nil) else { return "/" }
    defer { free(path) }
    let program = String(cString: path)
    guard let slash = program.lastIndex(of: "/"), slash != program.startIndex else { return "/" }
    return String(program[..<slash])
  }

  private static func processEnvironment() -> [String: String] {
    var variables: [String: String] = [:]
    var entry = environ
    while let text = entry.pointee.map({ String(cString: $0) }) {
      if let equals = text.firstIndex(of: "=") {
        variables[String(text[..<equals])] = String(text[text.index(after: equals)...])
      }
      entry += 1
    }
    return variables
  }
}
