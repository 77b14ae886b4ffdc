/// What a service tells the service manager that started it, as sd_notify(3) has it: lines of
/// `NAME=value`.
struct ServiceNotification: Hashable, Sendable {
  /// The lines, without newlines.
  let lines: [String]

  /// The service has started.
  static let ready = ServiceNotification(lines: ["READY=1"])
  /// The service is ending.
  static let stopping = ServiceNotification(lines: ["STOPPING=1"])
  /// The service is alive.
  static let watchdog = ServiceNotification(lines: ["WATCHDOG=1"])

  /// How the service is, in words; one line, whatever the text is.
  static func status(_ text: String) -> ServiceNotification {
    let line = String(text.map { $0.isNewline ? " " : $0 })
    return ServiceNotification(lines: ["STATUS=\(line)"])
  }

  /// The message as it is sent.
  var bytes: [UInt8] { Array(lines.joined(separator: "\n").utf8) }
}
