import AlertsContract
import EventsContract
import HostContract
import KithManifest
import KithRPC
import KithTesting
import KithTime
import KithWire
import Testing

/// The alerts worker alone, with real processes: nothing takes its messages.
@Suite struct FamilyAlertsWorkerTests {
  /// A product of the worker that ships, which here does without a delivery worker.
  private static func setup() throws -> ProductSetup {
    let checkout = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let manifest = try #require(
      TemporaryFolder.text(of: "\(checkout)/Plugins/FamilyAlerts/plugin.yaml"))
    let alone =
      manifest
      .replacing("plugin: family-alerts", with: "plugin: lone-alerts")
      .replacing(
        "- kith.delivery.v1.Delivery",
        with: "- { service: kith.delivery.v1.Delivery, optional: true }")
    try #require(alone.contains("service: kith.delivery.v1.Delivery, optional: true"))
    return ProductSetup(
      workers: ["family-alerts": "lone-alerts"], posture: .personal,
      plugins: [ProductSetup.Plugin(manifest: alone)]
    ).starting(at: Instant("2026-11-23T20:05:00Z"))
  }

  private func advance(_ product: RunningProduct, seconds: Int64) async throws {
    _ = try await product.host.moveClock(
      MoveClockRequest(move: .advanceMs(seconds * 1_000)),
      options: CallOptions(timeout: RunningProduct.patience))
  }

  @Test func anIncidentOutlivesItsWorkerAndEndsWithTheOperator() async throws {
    try await RunningProduct.run(Self.setup()) { product in
      try await product.settle()
      let client = product.client(of: "family-alerts")
      let (contacts, alerts) = (ContactsClient(client), AlertsClient(client))
      let ready = CallOptions(waitForReady: true)
      _ = try await contacts.addContact(
        AddContactRequest(name: "Dana", email: "dana@example.com", hasConsented: true),
        options: ready)
      let raised = try await alerts.raiseIncident(
        RaiseIncidentRequest(dedupeKey: "fall/1", kind: .fall), options: ready)
      #expect(raised.state == .escalating && raised.steps.count == 1)
      try await product.kill("family-alerts")
      try await product.waitUntil("family-alerts") { $0.state == .ready && $0.generation == 2 }
      #expect(
        try await alerts.raiseIncident(
          RaiseIncidentRequest(dedupeKey: "fall/1", kind: .fall), options: ready
        ).id == raised.id)
      try await advance(product, seconds: 400)
      try await product.kill("family-alerts")
      try await product.waitUntil("family-alerts") { $0.state == .ready && $0.generation == 3 }
      try await advance(product, seconds: 3600)
      let ended = try await alerts.getIncident(GetIncidentRequest(id: raised.id), options: ready)
      #expect(ended.state == .nobodyReached, "\(ended)")
      #expect(ended.loopCount == 2 && ended.steps.allSatisfy { $0.state == .failed })
      let stream = try await EventsClient(client).subscribe(SubscribeRequest())
      var types: [String] = []
      for try await page in stream {
        types = page.events.map(\.type)
        break
      }
      #expect(types.count { $0 == IncidentRaised.fullName } == 1)
      #expect(types.count { $0 == NobodyReached.fullName } == 1)
      #expect(types.count { $0 == StepEnded.fullName } == ended.steps.count)
    }
  }
}
