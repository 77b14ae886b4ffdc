import Glibc
import KithJSON
import KithRPC

/// A run of a worker's program that serves nothing: `WORKER --check-configuration` reads a
/// configuration as JSON from standard input, tries to read the worker's settings from it, and
/// writes what came of it to standard output.
///
/// The answer is one JSON object: `checked`, false for a worker that offers no check, and
/// `problems`, each with the `key` (empty for the configuration as a whole) and the `reason`.
enum ConfigurationCheck {
  /// The one argument of the program.
  static let option = "--check-configuration"

  /// A configuration is some hundred bytes; this is far above.
  private static let largestInput = 4 << 20

  /// Whether this process is to check a configuration and to end.
  static var isAsked: Bool { CommandLine.arguments.dropFirst().elementsEqual([option]) }

  /// What a worker answers that offers no check.
  static let notOffered: JSONValue = ["checked": false, "problems": []]

  /// Answers for the configuration on standard input, and ends the process.
  /// - Parameter read: reads the worker's settings; nil for a worker that offers no check.
  static func run(_ read: ((WorkerConfiguration) throws -> Void)?) -> Never {
    let said = read.map { answer(to: standardInput(), $0) } ?? notOffered
    print(said.text())
    exit(0)
  }

  /// The answer to a configuration.
  static func answer(
    to input: [UInt8], _ read: (WorkerConfiguration) throws -> Void
  ) -> JSONValue {
    guard let text = String(validating: input, as: UTF8.self),
      let configuration = (try? JSONValue(parsing: text))?.objectValue
    else { return answer([("", "it is not a JSON object")]) }
    do {
      try read(WorkerConfiguration(configuration))
      return answer([])
    } catch let error as ConfigurationError {
      return answer([(error.key, error.reason)])
    } catch let error as RPCError where !error.fieldViolations.isEmpty {
      return answer(error.fieldViolations.map { (key(ofField: $0.field), $0.description) })
    } catch let error as RPCError {
      return answer([("", error.message)])
    } catch {
      return answer([("", "\(error)")])
    }
  }

  private static func answer(_ problems: [(key: String, reason: String)]) -> JSONValue {
    [
      "checked": true,
      "problems": .array(
        problems.map { ["key": .string($0.key), "reason": .string($0.reason)] }),
    ]
  }

  /// `label_high` of `configuration.label_high`, `numbers` of `configuration.numbers[3]`.
  private static func key(ofField field: String) -> String {
    let prefix = "configuration."
    let path = field.hasPrefix(prefix) ? field.dropFirst(prefix.count) : field[...]
    return String(path.prefix { $0 != "[" && $0 != "." })
  }

  private static func standardInput() -> [UInt8] {
    var bytes: [UInt8] = []
    let chunk = 64 << 10
    while bytes.count <= largestInput {
      var count = 0
      bytes += [UInt8](unsafeUninitializedCapacity: chunk) { buffer, initialized in
        count = read(STDIN_FILENO, buffer.baseAddress, chunk)
        initialized = max(0, count)
      }
      if count < 0, errno == EINTR { continue }
      if count <= 0 { return bytes }
    }
    return []
  }
}
