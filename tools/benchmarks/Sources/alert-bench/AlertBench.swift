import AlertsContract
import ArgumentParser
import BenchmarkKit
import DeliveryContract
import FamilyAlertsService
import KithRPC
import KithSealing
import KithStore
import KithTime
import KithTransportInProcess

/// Measures the service of the alerts worker over a store on the disk: incidents that are due at
/// one moment, and what a timer run costs with many stored.
@main
struct AlertBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "alert-bench",
    abstract: "Incidents that are due at one moment, and a timer run with many stored.")

  @Option(help: "How many incidents are stored, in thousands.")
  var stored = 100

  @Option(help: "How many of them are due at one moment.")
  var rush = 10_000

  /// 2026-11-23T20:05:00Z
  private static let now = Instant(milliseconds: 1_795_464_300_000)
  private static let people = 1_000

  func run() async throws {
    let folder = try temporaryFolder()
    defer { removeFolder(folder) }
    try await Machine.printHead()
    let delivery = AcceptingDelivery()
    let transport = InProcessTransport()
    let server = RPCServer(services: [.delivery(delivery)], authorize: { _ in true })
    try server.start(on: transport.listener)
    let client = RPCClient(connector: transport.connector)
    defer {
      client.close()
      server.close()
    }
    let store = try Store(
      path: "\(folder)/\(Store.fileName)", keys: SealingKeys(worker: "family-alerts"),
      migrations: AlertsSchema.migrations)
    let service = try await FamilyAlertsService.opened(
      store: store,
      time: try await AlertsTime.resumed(
        in: store, boot: "", sinceBoot: { .zero }, wall: { Self.now }),
      settings: try AlertsSettings(), delivery: client)
    let due = service.dueAlerts(waitsForResults: false) { id, error in
      print("\(id): \(error)")
    }
    let sending = Task { await due.send() }
    defer { sending.cancel() }
    var floors = Table("floors", "asked", "kith", "")
    try await OtherWork.reported {
      try await fill(service)
      try await measureRush(service, due, delivery, &floors)
      try await measureTick(due, &floors)
      print(floors.text + "\n")
    }
  }

  private func context() -> CallContext {
    CallContext(method: AlertsMethods.raiseIncident, principal: .operator)
  }

  /// Raises incidents of many people, many at a time.
  private func raise(_ numbers: Range<Int>, _ service: FamilyAlertsService) async throws {
    let context = context()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, number) in numbers.enumerated() {
        if index >= 64 { try await group.next() }
        group.addTask {
          _ = try await service.raiseIncident(
            RaiseIncidentRequest(
              userId: "user-\(number % Self.people)", dedupeKey: "fall/\(number)", kind: .fall),
            context: context)
        }
      }
      try await group.waitForAll()
    }
  }

  /// Incidents that have ended: their people have no contacts yet.
  private func fill(_ service: FamilyAlertsService) async throws {
    let clock = ContinuousClock()
    let begin = clock.now
    let count = max(stored * 1_000 - rush, 0)
    try await raise(0..<count, service)
    let took = (clock.now - begin) / .seconds(1)
    print(
      "\(Double(count).formatted()) incidents raised durably by 64 callers: "
        + "\((Double(count) / took).formatted()) a second.\n")
  }

  private func measureRush(
    _ service: FamilyAlertsService, _ due: DueAlerts, _ delivery: AcceptingDelivery,
    _ floors: inout Table
  ) async throws {
    let clock = ContinuousClock()
    for number in 0..<Self.people {
      _ = try await service.addContact(
        AddContactRequest(
          userId: "user-\(number)", name: "Dana", email: "dana@example.com", hasConsented: true),
        context: context())
    }
    try await raise(stored * 1_000..<stored * 1_000 + rush, service)
    let begin = clock.now
    var first: Duration?
    while delivery.count < rush {
      if let next = try await due.nextDue(), next <= Self.now { try await due.run() }
      if delivery.count > 0 { first = first ?? clock.now - begin }
    }
    let took = (clock.now - begin) / .seconds(1)
    print(
      "\(rush) incidents of \(Self.people) people due at one moment: the first handed over within "
        + "\(((first ?? .zero) / .milliseconds(1)).formatted(decimals: 1)) ms, "
        + "all in \(took.formatted(decimals: 2)) s.\n")
    // Until the results are written.
    while let next = try await due.nextDue(), next <= Self.now + .seconds(60) {
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  private func measureTick(_ due: DueAlerts, _ floors: inout Table) async throws {
    let clock = ContinuousClock()
    var times: [Double] = []
    for _ in 0..<1_000 {
      let begin = clock.now
      _ = try await due.nextDue()
      times.append((clock.now - begin) / .milliseconds(1))
    }
    let floor = Floor.below(1)
    floors.add(
      ["a tick with nothing due, all stored, p50 ms", floor.text] + floor.cells(for: times.median))
  }
}
