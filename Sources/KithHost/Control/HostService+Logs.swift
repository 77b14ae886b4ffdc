import HostContract
import KithRPC

/// The part of the control service that reads logs and sets what goes into them.
extension HostService {
  /// How many lines one answer holds at most, as the contract says.
  private static let maximumLines = 1000
  /// How many lines before the end a reader may begin, as the contract says.
  private static let maximumLastLines: UInt32 = 10_000

  func readLog(_ request: ReadLogRequest, context: CallContext) async throws -> ReadLogResponse {
    guard !request.names.isEmpty else {
      throw RPCError.invalidArgument(field: "names", "no log is named; name at least one")
    }
    for name in request.names { try await host.checkLogName(name) }
    guard Set(request.names).count == request.names.count else {
      throw RPCError.invalidArgument(field: "names", "a log is named twice; name each once")
    }
    guard request.lastLines <= Self.maximumLastLines else {
      throw RPCError.invalidArgument(
        field: "last_lines", "\(request.lastLines) is more than \(Self.maximumLastLines)")
    }
    let level = LogRecord.Level(request.minimumLevel) ?? .trace
    var cursor = try LogCursor.decode(request.cursor, names: request.names)
    do {
      if cursor == nil {
        cursor = try await host.logs.cursor(
          of: request.names, lastLines: Int(request.lastLines), minimumLevel: level)
      }
      var position = cursor ?? [:]
      while true {
        let found = try await host.logs.read(
          from: position, minimumLevel: level, limit: Self.maximumLines)
        position = found.next
        if found.records.isEmpty {
          // A page without a line of the level need not be the last.
          guard found.isAtEnd else { continue }
          if request.waitForLines, try await host.logs.waitForLines(after: position) { continue }
        }
        return ReadLogResponse(
          lines: found.records.map(\.contract), cursor: LogCursor.encode(position))
      }
    } catch let error as SystemError {
      throw RPCError(.internal, "the log cannot be read: \(error)")
    }
  }

  func setWorkerLogLevel(
    _ request: SetWorkerLogLevelRequest, context: CallContext
  ) async throws -> SetWorkerLogLevelResponse {
    guard request.level != .unspecified else {
      return SetWorkerLogLevelResponse(level: try await host.logLevel(of: request.name).contract)
    }
    guard let level = LogRecord.Level(request.level) else {
      throw RPCError.invalidArgument(field: "level", "there is no such level")
    }
    try await host.setLogLevel(level, of: request.name)
    return SetWorkerLogLevelResponse(level: request.level)
  }
}

/// A cursor as readers of logs are given it: `odd@1234,kithd@99`.
private enum LogCursor {
  static func encode(_ cursor: LogKeeper.Cursor) -> String {
    cursor.sorted { $0.key < $1.key }.map { "\($0.key)@\($0.value)" }.joined(separator: ",")
  }

  /// The positions; nil for the empty text, which is no cursor.
  static func decode(_ text: String, names: [String]) throws(RPCError) -> LogKeeper.Cursor? {
    guard !text.isEmpty else { return nil }
    var cursor: LogKeeper.Cursor = [:]
    for part in text.split(separator: ",") {
      let halves = part.split(separator: "@")
      if halves.count == 2, let position = UInt64(halves[1]) {
        cursor[String(halves[0])] = position
      }
    }
    guard Set(cursor.keys) == Set(names) else {
      throw RPCError.invalidArgument(
        field: "cursor",
        "this is no cursor of an earlier answer for the same names; leave it out to begin anew")
    }
    return cursor
  }
}

extension LogRecord {
  /// The record in the words of the contract.
  fileprivate var contract: LogLine {
    let stream: LogStream =
      switch self.stream {
      case .stdout: .stdout
      case .stderr: .stderr
      case .host: .host
      }
    return LogLine(
      atMs: atMilliseconds, generation: generation, stream: stream, text: text, name: worker,
      level: level.contract, call: call, fields: fields)
  }
}

extension LogRecord.Level {
  /// The level of the contract; nil for none, and for one that this host does not know.
  fileprivate init?(_ level: LogLevel) {
    guard let found = Self.allCases.first(where: { $0.contract == level }) else { return nil }
    self = found
  }

  /// The level in the words of the contract.
  fileprivate var contract: LogLevel {
    switch self {
    case .trace: .trace
    case .debug: .debug
    case .info: .info
    case .notice: .notice
    case .warning: .warning
    case .error: .error
    case .critical: .critical
    }
  }
}
