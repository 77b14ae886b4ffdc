import EventsContract
import KithJSON
import KithReflection
import KithTerminal

/// Writes events, a line each.
struct EventWriter: Sendable {
  let terminal: Terminal
  let isJSON: Bool
  /// Whether each line says whose it is.
  let showsNames: Bool
  private let days = DayHeading()

  func write(_ events: [ShownEvent]) throws(CommandFailure) {
    guard !events.isEmpty else { return }
    try Output.lines(
      events.flatMap { event in
        let heading =
          isJSON || event.lost != nil ? nil : days.before(milliseconds: event.event.atMs)
        return [heading.map { terminal.text($0, .faint) }, text(of: event)].compactMap(\.self)
      })
  }

  func text(of event: ShownEvent) -> String {
    if let lost = event.lost {
      return isJSON ? Self.json(lost, of: event.worker).text() : words(lost, of: event.worker)
    }
    return isJSON ? Self.json(event).text() : words(event)
  }

  private static func json(_ shown: ShownEvent) -> JSONValue {
    let event = shown.event
    var object: JSONObject = [
      "worker": .string(shown.worker), "sequence": .string(String(event.sequence)),
      "type": .string(event.type), "atMs": .string(String(event.atMs)),
      "userId": .string(event.userId), "traceparent": .string(event.traceparent),
    ]
    if let payload = shown.payload { object["payload"] = payload.json(shown.contracts) }
    return .object(object)
  }

  private static func json(_ lost: Lost, of worker: String) -> JSONValue {
    [
      "worker": .string(worker),
      "lost": [
        "reason": .string(lost.reason.name ?? String(lost.reason.rawValue)),
        "from": .string(String(lost.from)), "to": .string(String(lost.to)),
      ],
    ]
  }

  private func words(_ shown: ShownEvent) -> String {
    let event = shown.event
    let time = terminal.text(Quantities.timeOfDay(milliseconds: event.atMs), .faint)
    let name = showsNames ? " \(terminal.text(SafeText.line(shown.worker), .faint))" : ""
    let user = event.userId.isEmpty ? "" : " \(SafeText.line(event.userId))"
    let number = terminal.text("#\(event.sequence)", .faint)
    let payload =
      shown.payload.map { " \(SafeText.line($0.json(shown.contracts).text()))" } ?? ""
    return "\(time)\(name)  \(number) \(SafeText.line(event.type))\(user)\(payload)"
  }

  private func words(_ lost: Lost, of worker: String) -> String {
    let name = SafeText.line(worker)
    let what =
      switch lost.reason {
      case .otherLog: "the log of \(name) is another one from here on"
      case .damaged: "events \(lost.from) to \(lost.to) of \(name) are damaged"
      default: "events \(lost.from) to \(lost.to) of \(name) are no longer kept"
      }
    return terminal.text("-- \(what)", .yellow)
  }
}
