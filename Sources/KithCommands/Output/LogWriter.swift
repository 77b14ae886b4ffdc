import HostContract
import KithJSON
import KithTerminal

/// Writes lines of logs.
struct LogWriter: Sendable {
  let terminal: Terminal
  let isJSON: Bool
  /// Whether each line says whose it is.
  let showsNames: Bool
  private let days = DayHeading()

  func write(_ lines: [LogLine]) throws(CommandFailure) {
    guard !lines.isEmpty else { return }
    try Output.lines(
      lines.flatMap { line in
        let heading = isJSON ? nil : days.before(milliseconds: line.atMs)
        return [heading.map { terminal.text($0, .faint) }, text(of: line)].compactMap(\.self)
      })
  }

  func text(of line: LogLine) -> String {
    isJSON ? Self.json(line).text() : words(of: line)
  }

  /// As proto3 JSON has it: numbers of 64 bits are texts.
  private static func json(_ line: LogLine) -> JSONValue {
    let fields = line.fields.sorted { $0.key < $1.key }.map { ($0.key, JSONValue.string($0.value)) }
    return [
      "name": .string(line.name), "atMs": .string(String(line.atMs)),
      "generation": .string(String(line.generation)),
      "stream": .string(line.stream.name ?? String(line.stream.rawValue)),
      "level": .string(line.level.name ?? String(line.level.rawValue)),
      "call": .string(line.call), "text": .string(line.text),
      "fields": .object(JSONObject(fields)),
    ]
  }

  private func words(of line: LogLine) -> String {
    let time = terminal.text(Quantities.timeOfDay(milliseconds: line.atMs), .faint)
    let name = showsNames ? " \(terminal.text(SafeText.line(line.name), .faint))" : ""
    var text = SafeText.line(line.text)
    for (key, value) in line.fields.sorted(by: { $0.key < $1.key }) {
      let value = SafeText.line(value)
      let isQuoted = value.isEmpty || value.contains { $0 == " " || $0 == "=" }
      text += " \(SafeText.line(key))=" + (isQuoted ? "\"\(value)\"" : value)
    }
    if !line.call.isEmpty { text += terminal.text(" call=\(SafeText.line(line.call))", .faint) }
    if line.stream == .host {
      text = terminal.text("-- \(text)", line.level >= .warning ? .yellow : .faint)
    } else if line.stream == .stdout || line.level == .info {
      // What most lines are is not worth a word.
    } else {
      text = "\(terminal.text(line.level.word, Self.colour(line.level))) \(text)"
    }
    return "\(time)\(name)  \(text)"
  }

  private static func colour(_ level: LogLevel) -> Terminal.Colour? {
    switch level {
    case .error, .critical: .red
    case .warning: .yellow
    default: .faint
    }
  }
}

extension LogLevel {
  /// The level as a person writes it: `warning`.
  var word: String {
    let prefix = "LOG_LEVEL_"
    return name.map { String($0.dropFirst(prefix.count)).lowercased() } ?? "level \(rawValue)"
  }

  /// All levels, from the least grave on.
  static let known = allCases.filter { $0 != .unspecified }
  /// The words for them, for help and errors.
  static let words = known.map(\.word).joined(separator: ", ")

  /// The level that an option or an argument names.
  init(option text: String) throws(CommandFailure) {
    guard let level = Self.known.first(where: { $0.word == text }) else {
      throw CommandFailure(.usage, "expected one of \(Self.words)")
    }
    self = level
  }

  static func >= (left: LogLevel, right: LogLevel) -> Bool { left.rawValue >= right.rawValue }
}
