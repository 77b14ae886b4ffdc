import EventsContract
import HostContract
import KithClient
import KithManifest
import KithRPC
import KithReflection
import KithTerminal
import KithVerbs

/// An event, and what its payload says that is not personal.
struct ShownEvent: Sendable {
  var worker: String
  var event: Event
  /// The payload without its sensitive fields; nil when its contract is not known.
  var payload: DynamicMessage?
  var contracts: ContractSet
  /// What was lost before it; the event then is none.
  var lost: Lost?
}

/// The event log of one running worker.
struct EventSource: Sendable {
  let worker: String
  private let client: RPCClient
  private let contracts: WorkerContracts

  private static let options = CallOptions(timeout: CallSettings.standardTimeout)
  private static let service = "kith.events.v1.Events"

  /// Those of the workers that are named, or of all that have one.
  /// - Throws: ``CommandFailure`` for a worker that does not exist, or tells of nothing.
  static func all(of running: RunningProduct, named names: [String]) async throws -> [EventSource] {
    let status = try await running.connection.host.getStatus(GetStatusRequest(), options: options)
    var sources: [EventSource] = []
    for name in names.isEmpty ? status.workers.map(\.name) : names {
      guard let found = status.workers.first(where: { $0.name == name }) else {
        throw WorkerChange.unknown(name, status)
      }
      if names.isEmpty, (try? WorkerReadiness.check(found, in: running.places)) == nil { continue }
      try WorkerReadiness.check(found, in: running.places)
      let client = running.connection.worker(named: name)
      let contracts = try await WorkerContracts.of(client, options: options)
      if contracts.services.contains(service) {
        sources.append(EventSource(worker: name, client: client, contracts: contracts))
      } else if !names.isEmpty {
        throw CommandFailure(.usage, "\(name) tells of no events: it has no store")
      }
    }
    guard !sources.isEmpty else {
      throw CommandFailure(.unavailable, "no worker that is ready tells of events")
    }
    return sources
  }

  /// Checks that some source may tell of events of a type.
  /// - Throws: ``CommandFailure`` with exit code 64 for a name that no message of any source has.
  static func checkType(_ type: String, isOfAny sources: [EventSource]) throws(CommandFailure) {
    let known = Set(sources.flatMap { $0.contracts.contracts.messages.map(\.fullName) })
    let names = known.union(known.map { String(ContractNames.last(of: $0)) })
    guard !names.contains(type) else { return }
    let nearest =
      nearestName(to: type, among: names.sorted()).map { "; did you mean '\($0)'?" } ?? ""
    throw CommandFailure(
      .usage,
      "no worker here has a message '\(SafeText.line(String(type.prefix(80))))'\(nearest.isEmpty ? "; `kith describe WORKER` shows the messages of one" : nearest)"
    )
  }

  /// The last events, and where the log ends.
  func last(
    _ count: Int64, ofTypes types: [String]
  ) async throws -> (events: [ShownEvent], end: Position) {
    let end = try await position()
    var events: [ShownEvent] = []
    guard count > 0, end.sequence > 0 else { return ([], end) }
    // Of few types the last ones may be anywhere.
    let begin = types.isEmpty ? max(0, end.sequence - count) : 0
    let stream = try await EventsClient(client).subscribe(
      SubscribeRequest(after: Position(log: end.log, sequence: begin)), options: Self.options)
    for try await response in stream {
      events += shown(response, types).filter {
        $0.lost == nil && $0.event.sequence <= end.sequence
      }
      events = events.suffix(Int(count))
      if (response.position?.sequence ?? 0) >= end.sequence { break }
    }
    return (events, end)
  }

  /// Hands over what comes behind a position until the task is cancelled; a worker that is replaced
  /// is waited for.
  func follow(
    from begin: Position, ofTypes types: [String],
    _ body: @Sendable ([ShownEvent]) throws -> Void
  ) async throws {
    var position = begin
    while true {
      do {
        let stream = try await EventsClient(client).subscribe(
          SubscribeRequest(after: position), options: CallOptions(waitForReady: true))
        for try await response in stream {
          let events = shown(response, types)
          if !events.isEmpty { try body(events) }
          position = response.position ?? position
        }
      } catch let error as RPCError {
        guard error.code == .unavailable else { throw error }
        try await Task.sleep(for: .milliseconds(100))
      }
    }
  }

  private func position() async throws -> Position {
    let stream = try await EventsClient(client).subscribe(
      SubscribeRequest(start: .new), options: Self.options)
    for try await response in stream { return response.position ?? Position() }
    return Position()
  }

  private func shown(_ response: SubscribeResponse, _ types: [String]) -> [ShownEvent] {
    let contracts = contracts.contracts
    var shown =
      response.lost.map { lost in
        [ShownEvent(worker: worker, event: Event(), contracts: contracts, lost: lost)]
      } ?? []
    for event in response.events
    where types.isEmpty
      || types.contains(where: { $0 == event.type || $0 == ContractNames.last(of: event.type) })
    {
      let payload = try? contracts.decode(event.payload, as: event.type)
      shown.append(
        ShownEvent(
          worker: worker, event: event, payload: payload?.withoutSensitiveFields,
          contracts: contracts))
    }
    return shown
  }
}

extension DynamicMessage {
  /// The message without the values of its sensitive fields, at any depth.
  var withoutSensitiveFields: DynamicMessage {
    var shown = self
    for field in fields {
      shown[field.description] =
        field.description.isSensitive ? nil : field.value.withoutSensitiveFields
    }
    return shown
  }
}

extension DynamicValue {
  fileprivate var withoutSensitiveFields: DynamicValue {
    switch self {
    case .message(let message): .message(message.withoutSensitiveFields)
    case .list(let values): .list(values.map(\.withoutSensitiveFields))
    case .map(let entries):
      .map(entries.map { Entry(key: $0.key, value: $0.value.withoutSensitiveFields) })
    default: self
    }
  }
}
