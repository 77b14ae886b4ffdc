import ArgumentParser
import KithJSON
import KithRPC
import KithTerminal

/// `kith exit-codes`, and `kith help exit-codes`
struct ExitCodesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "exit-codes",
    abstract: "Lists the exit codes of all commands.",
    discussion: table.joined(separator: "\n"))

  @OptionGroup var output: OutputOptions

  func run() throws {
    if output.json {
      try Output.line(Self.json.text(pretty: true))
    } else {
      try Output.lines(Self.table)
    }
  }

  /// The codes, what they mean, and which statuses of a call lead to them.
  static var table: [String] {
    ["CODE  MEANING"]
      + ExitStatus.all.flatMap { status in
        let number = String(status.number)
        let padding = String(repeating: " ", count: 4 - number.count)
        var lines = ["\(padding)\(number)  \(status.meaning)"]
        let codes = ExitStatus.codes(of: status).filter { $0 != .ok }.map(\.name)
        if !codes.isEmpty {
          lines += TextWidth.wrapped("status: " + codes.joined(separator: ", "), width: 70)
            .map { "      " + $0 }
        }
        return lines
      }
  }

  private static var json: JSONValue {
    .array(
      ExitStatus.all.map { status in
        [
          "code": .integer(Int64(status.number)), "meaning": .string(status.meaning),
          "statuses": .array(ExitStatus.codes(of: status).map { .string($0.name) }),
        ]
      })
  }
}
