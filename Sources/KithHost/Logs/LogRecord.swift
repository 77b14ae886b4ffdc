import KithJSON
import KithPersonalData

/// A line of a log and where it came from.
struct LogRecord: Hashable, Sendable {
  /// Where a line was written.
  enum Stream: String, Hashable, Sendable {
    case stdout
    case stderr
    /// The host, about the worker.
    case host
  }

  /// How grave a line is, from the least on; the words are swift-log's.
  enum Level: String, CaseIterable, Comparable, Hashable, Sendable {
    case trace
    case debug
    case info
    case notice
    case warning
    case error
    case critical

    static func < (left: Level, right: Level) -> Bool { left.rank < right.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
  }

  /// When it was written, in milliseconds since 1970: the moment that the SDK noted, or else that
  /// at which the host read it.
  var atMilliseconds: Int64
  /// Whose log it is in.
  var worker: String
  /// Which generation of the worker wrote it.
  var generation: UInt64
  var stream: Stream
  var level: Level
  /// The call during which it was written; empty when it is not known.
  var call = ""
  /// The message, or the line as it was written, without its newline.
  var text: String
  /// What the logger was told beside the message.
  var fields: [String: String] = [:]
  /// How much of its process's output stands in the log with this line; nil for a line of the host.
  var taken: Taken?

  /// How much of a process's output has been taken into its log: bytes from the beginning of each
  /// stream. A host that follows one that was killed goes on behind that, so that no byte is lost
  /// and none stands there twice.
  struct Taken: Hashable, Sendable {
    var stdout: UInt64 = 0
    var stderr: UInt64 = 0

    subscript(stream: Stream) -> UInt64 {
      get { stream == .stdout ? stdout : stderr }
      set { if stream == .stdout { stdout = newValue } else { stderr = newValue } }
    }
  }

  /// The longest text of a line in bytes; a longer line is broken into several.
  static let maximumTextBytes = 16 << 10

  /// The record as a line of a file: JSON and a newline.
  var encoded: [UInt8] {
    var object: JSONObject = [
      "at_ms": .integer(atMilliseconds), "worker": .string(worker),
      "generation": .unsigned(generation), "stream": .string(stream.rawValue),
      "level": .string(level.rawValue),
    ]
    if !call.isEmpty { object["call"] = .string(call) }
    object["text"] = .string(text)
    if !fields.isEmpty { object["fields"] = Self.object(fields) }
    if let taken { object["taken"] = [.unsigned(taken.stdout), .unsigned(taken.stderr)] }
    return Array(JSONValue.object(object).text().utf8) + [UInt8(ascii: "\n")]
  }

  /// A record with its line of a file, which takes some time to make.
  struct Encoded: Hashable, Sendable {
    let record: LogRecord
    let bytes: [UInt8]

    init(_ record: LogRecord) {
      self.record = record
      bytes = record.encoded
    }
  }

  /// The record as a person reads it: the message, then `name=value` for each field.
  var line: String {
    fields.sorted { $0.key < $1.key }.reduce(text) { line, field in
      let isQuoted = field.value.isEmpty || field.value.contains { $0 == " " || $0 == "=" }
      return line + " \(field.key)=" + (isQuoted ? "\"\(field.value)\"" : field.value)
    }
  }

  private static func object(_ fields: [String: String]) -> JSONValue {
    .object(JSONObject(fields.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) }))
  }
}

extension LogRecord {
  /// The record of a line in a file; nil when it is none, as one that a full disk cut short.
  init?(encoded line: some Collection<UInt8>) {
    guard let value = try? JSONValue(parsing: Array(line)), case .object(let object) = value,
      let at = object["at_ms"]?.integerValue, let generation = object["generation"]?.unsignedValue,
      let stream = object["stream"]?.stringValue.flatMap(Stream.init),
      let text = object["text"]?.stringValue
    else { return nil }
    self.init(
      atMilliseconds: at, worker: object["worker"]?.stringValue ?? "", generation: generation,
      stream: stream,
      level: object["level"]?.stringValue.flatMap(Level.init) ?? Self.level(of: stream),
      call: object["call"]?.stringValue ?? "", text: text, fields: Self.fields(object))
    if case .array(let taken)? = object["taken"], taken.count == 2,
      let stdout = taken[0].unsignedValue, let stderr = taken[1].unsignedValue
    {
      self.taken = Taken(stdout: stdout, stderr: stderr)
    }
  }

  /// The record of a line that a process wrote.
  ///
  /// The SDK writes JSON to the standard error; what it says of the moment, the level, the call and
  /// the fields is taken from there. Who wrote it is never taken from a line: the host knows whose
  /// pipe it is. Any other line is wrapped as it is; on the standard error it is the Swift runtime
  /// that speaks, or a library that has something to complain of.
  init(
    written line: String, at now: Int64, by worker: String, generation: UInt64, on stream: Stream
  ) {
    self.init(
      atMilliseconds: now, worker: worker, generation: generation, stream: stream,
      level: Self.level(of: stream), text: line)
    guard stream == .stderr, line.hasPrefix(#"{"at_ms":"#),
      let value = try? JSONValue(parsing: line), case .object(let object) = value,
      let at = object["at_ms"]?.integerValue,
      let level = object["level"]?.stringValue.flatMap(Level.init),
      let text = object["text"]?.stringValue
    else { return }
    // A line cannot have been written after it was read, whatever its clock says.
    atMilliseconds = min(at, now)
    self.level = level
    self.text = text
    call = object["call"]?.stringValue ?? ""
    fields = Self.fields(object)
  }

  /// The record with placeholders such as `[REDACTED_PHONE]` for personal data: workers' loggers
  /// take it out of what they log, and nobody out of what is written past them, a crash's message
  /// among it.
  var withoutPersonalData: LogRecord {
    let scanner = PersonalDataScanner(policy: .log)
    var record = self
    record.text = scanner.redacted(text)
    for (name, value) in fields { record.fields[name] = scanner.redacted(value, named: name) }
    return record
  }

  /// What a line without a level of its own has.
  private static func level(of stream: Stream) -> Level {
    switch stream {
    case .stdout: .info
    case .stderr: .error
    case .host: .notice
    }
  }

  private static func fields(_ object: JSONObject) -> [String: String] {
    guard case .object(let members)? = object["fields"] else { return [:] }
    return Dictionary(
      members.members.map { ($0.name, $0.value.stringValue ?? $0.value.text()) },
      uniquingKeysWith: { first, _ in first })
  }
}
