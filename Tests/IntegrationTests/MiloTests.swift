import EventsContract
import AccessContract
import HostContract
import KithAccess
import KithRPC
import KithTesting
import KithTime
import KithWire
import RemindersContract
import Testing

/// Milo as it ships, with real processes.
@Suite struct MiloTests {
  private static var setup: ProductSetup {
    // Noon in New York.
    ProductSetup(product: "milo").starting(at: Instant("2026-11-21T17:00:00Z"))
  }

  private func advance(_ product: RunningProduct, hours: Int64) async throws {
    _ = try await product.host.moveClock(
      MoveClockRequest(move: .advanceMs(hours * 3_600_000)),
      options: CallOptions(timeout: RunningProduct.patience))
  }

  private func events(_ product: RunningProduct, after sequence: Int64 = 0) async throws -> [Event]
  {
    let stream = try await EventsClient(product.client(of: "reminders")).subscribe(
      SubscribeRequest())
    for try await page in stream { return page.events.filter { $0.sequence > sequence } }
    return []
  }

  private func options(as user: String) -> CallOptions {
    CallOptions(metadata: [CallContext.userKey: user], waitForReady: true)
  }

  @Test func aReminderOutlivesItsWorkerAndIsSentOnce() async throws {
    try await RunningProduct.run(Self.setup) { product in
      try await product.settle()
      let reminders = RemindersClient(product.client(of: "reminders"))
      let made = try await reminders.createReminder(CreateReminderRequest(text: "Pills at 8 pm"))
      #expect(made.text == "Pills")
      try await product.kill("reminders")
      try await product.waitUntil("reminders") { $0.state == .ready && $0.generation == 2 }
      try await advance(product, hours: 8)
      try await product.kill("reminders")
      try await product.waitUntil("reminders") { $0.state == .ready && $0.generation == 3 }
      try await advance(product, hours: 2)
      let types = try await events(product).map(\.type)
      #expect(
        types == [
          ReminderSent.fullName, ReminderSent.fullName, ReminderSent.fullName,
          ReminderMissed.fullName, ContactDue.fullName,
        ])
    }
  }

  @Test func familySeesWhatALinkOpens() async throws {
    try await RunningProduct.run(Self.setup) { product in
      try await product.settle()
      let reminders = RemindersClient(product.client(of: "reminders"))
      let links = FamilyLinksClient(product.client(of: "family-links"))
      let made = try await reminders.createReminder(
        CreateReminderRequest(text: "Pills at 8 pm"), options: options(as: "ada"))
      func seen() async -> StatusCode? {
        do throws(RPCError) {
          let request = GetReminderRequest(id: made.id)
          _ = try await reminders.getReminder(request, options: options(as: "bob"))
          return nil
        } catch {
          return error.code
        }
      }
      #expect(await seen() == .notFound)
      _ = try await links.addLink(
        AddLinkRequest(familyId: "bob", role: .viewer), options: options(as: "ada"))
      // The reminders worker follows the links' events; until it has seen this one bob stays
      // outside.
      try await waitUntil("bob sees the reminder") { await seen() == nil }
      let change = UpdateReminderRequest(id: made.id, text: "Tea")
      let refused = await #expect(throws: RPCError.self) {
        try await reminders.updateReminder(change, options: self.options(as: "bob"))
      }
      #expect(refused?.code == .permissionDenied)
      _ = try await links.removeLink(
        RemoveLinkRequest(seniorId: "ada", familyId: "bob"), options: options(as: "bob"))
      try await waitUntil("bob sees it no longer") { await seen() != nil }
      #expect(await seen() == .notFound)
    }
  }

  /// Edge case 15: the machine's own zone is nobody's business.
  @Test func theMachinesZoneChangesNothing() async throws {
    var told: [[String]] = []
    for zone in ["UTC", "Asia/Kolkata"] {
      var setup = Self.setup
      setup.environment["TZ"] = zone
      try await RunningProduct.run(setup) { product in
        try await product.settle()
        let reminders = RemindersClient(product.client(of: "reminders"))
        for text in [
          "Pills tomorrow at 8 am", "Tea every day at 3 pm", "Drops every 8 hours",
          "Bins every other Tuesday at 7 am", "Rent on the last Friday of the month at 9 am",
        ] {
          _ = try await reminders.createReminder(CreateReminderRequest(text: text))
        }
        try await advance(product, hours: 24 * 30)
        let upcoming = try await reminders.listUpcoming(
          ListUpcomingRequest(withinMs: 30 * 86_400_000, pageSize: 500))
        told.append(
          upcoming.occurrences.map { "\($0.text) \($0.dueMs) \($0.dueWall)" }
            + (try await events(product)).map { "\($0.type) \($0.atMs)" })
      }
    }
    #expect(told[0] == told[1] && told[0].count > 100)
  }
}
