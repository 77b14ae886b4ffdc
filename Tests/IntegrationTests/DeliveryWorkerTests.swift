import DeliveryContract
import EventsContract
import Glibc
import HostContract
import KithJSON
import KithRPC
import KithTesting
import KithTime
import ProviderServers
import RemindersContract
import Testing

/// The delivery worker as a real process in a product of its own.
@Suite struct DeliveryWorkerTests {
  private func setup(
    network: String = "", config: String = "", reminders: Bool = false
  ) -> ProductSetup {
    ProductSetup(
      product: """
        product: post
        title: Post
        posture: personal
        workers:
          delivery:
            config: { keep_content: 1h\(config) }

        """ + (network.isEmpty ? "" : "    network: \(network)\n")
          + (reminders ? "  reminders: {}\n" : ""))
  }

  private func send(
    _ key: String, _ channel: Channel = .push, to address: String = "abcd",
    retry: Retry = .bySender
  ) -> SendRequest {
    SendRequest(
      dedupeKey: key, userId: "ada", address: Address(channel: channel, value: address),
      content: Content(title: "Fall", body: "Please call Ada."), retry: retry)
  }

  private func outbox(_ product: RunningProduct) -> String {
    "\(product.folder.path)/r/workers/delivery/outbox"
  }

  /// The worker is killed at random moments while messages are sent; each sender tries again until
  /// the message is handed over. Each has exactly one file in the end, and one event says so.
  @Test func killsLoseNothingAndDoubleNothing() async throws {
    try await RunningProduct.run(setup()) { product in
      try await product.settle()
      let delivery = DeliveryClient(product.client(of: "delivery"))
      let count = 300
      try await withThrowingTaskGroup(of: Void.self) { group in
        for sender in 0..<6 {
          group.addTask {
            for number in stride(from: sender, to: count, by: 6) {
              let request = self.send("m\(number)", retry: number % 2 == 0 ? .bySender : .byWorker)
              while true {
                let answer = try? await delivery.send(
                  request, options: CallOptions(timeout: .seconds(20), waitForReady: true))
                if answer?.message?.state == .handedOver { break }
                try await Task.sleep(for: .milliseconds(20))
              }
            }
          }
        }
        group.addTask {
          for _ in 0..<4 {
            try await Task.sleep(for: .milliseconds(Int.random(in: 50...400)))
            try await product.kill("delivery")
            try await product.waitUntil("delivery") { $0.state == .ready }
          }
        }
        try await group.waitForAll()
      }
      let files = TemporaryFolder.names(in: outbox(product)).filter { $0.hasSuffix(".json") }
      #expect(files.count == count)
      var keys: [String: Int] = [:]
      for event in try await product.events(MessageChanged.self, of: "delivery")
      where event.message.state == .handedOver {
        keys[event.message.dedupeKey, default: 0] += 1
      }
      #expect(keys.count == count && keys.values.allSatisfy { $0 == 1 })
    }
  }

  /// The real process, its sandbox and a mail server with TLS and a login.
  @Test(.enabled(if: ProviderServers.areThere))
  func mailLeavesTheSandbox() async throws {
    let folder = try TemporaryFolder()
    let server = try await ProviderServers(.smtp, in: folder)
    let config = """
      , email: [smtp], smtp_url: "\(server.url("smtp"))", smtp_user: milo,
              smtp_password_file: password, authorities_file: authorities.pem,
              mail_from: "Milo <milo@example.com>"
      """
    let setup = setup(
      network: "{ hosts: [localhost], ports: [\(server.portNumber)] }", config: config)
    // The secrets lie where the worker alone reads them: in its folder, once there is one.
    let home = try TemporaryFolder()
    let before = try await RunningProduct.start(self.setup(), in: home)
    try await before.settle()
    try await before.stop()
    try home.write("s3cret\n", to: "r/workers/delivery/password", mode: 0o600)
    try home.write(
      try #require(TemporaryFolder.text(of: server.authorities)),
      to: "r/workers/delivery/authorities.pem", mode: 0o600)
    let product = try await RunningProduct.start(setup, in: home)
    try await product.settle()
    let delivery = DeliveryClient(product.client(of: "delivery"))
    let sent = try await delivery.send(send("a", .email, to: "daughter@example.org"))
    #expect(sent.message?.state == .handedOver, "\(sent)")
    #expect(sent.message?.provider == "smtp")
    #expect(server.log.map { $0["recipients"] } == [["daughter@example.org"]])
    let gone = try await delivery.send(send("b", .email, to: "gone@example.org"))
    #expect(gone.message?.failure == .addressGone)
    // The other channels stay with the folder.
    #expect(try await delivery.send(send("c")).message?.provider == "outbox")
    let log = try await product.log(of: "delivery")
    for secret in ["s3cret", "daughter@", "gone@", "Please call"] {
      #expect(!log.contains { $0.text.contains(secret) }, "\(secret)")
    }
    try await product.stop()
  }

  /// Without a grant of the network the worker reaches nobody, and says so.
  @Test(.enabled(if: ProviderServers.areThere))
  func withoutAGrantNothingLeaves() async throws {
    let folder = try TemporaryFolder()
    let server = try await ProviderServers(.smtp, in: folder)
    let config = ", email: [smtp], smtp_url: \"\(server.url("smtp"))\""
    try await RunningProduct.run(setup(config: config)) { product in
      try await product.settle()
      let delivery = DeliveryClient(product.client(of: "delivery"))
      let sent = try await delivery.send(send("a", .email, to: "ada@example.org"))
      #expect(sent.message?.state == .waiting && sent.message?.failure == .unavailable)
      #expect(server.log.isEmpty)
    }
  }

  /// A reminder that is due reaches the address that its person registered.
  @Test func remindersAreDelivered() async throws {
    // Noon in New York.
    let setup = setup(reminders: true).starting(at: Instant("2026-11-21T17:00:00Z"))
    try await RunningProduct.run(setup) { product in
      try await product.settle()
      let delivery = DeliveryClient(product.client(of: "delivery"))
      let reminders = RemindersClient(product.client(of: "reminders"))
      let ada = CallOptions(metadata: [CallContext.userKey: "ada"], waitForReady: true)
      _ = try await delivery.registerAddress(
        RegisterAddressRequest(address: Address(channel: .push, value: "abcd")), options: ada)
      _ = try await reminders.createReminder(
        CreateReminderRequest(text: "Pills at 8 pm"), options: ada)
      _ = try await product.host.moveClock(
        MoveClockRequest(move: .advanceMs(8 * 3_600_000)),
        options: CallOptions(timeout: RunningProduct.patience))
      let messages = try await delivery.listMessages(ListMessagesRequest(), options: ada)
      #expect(messages.messages.map(\.state) == [.handedOver])
      let file = try #require(TemporaryFolder.names(in: outbox(product)).first)
      let text = TemporaryFolder.text(of: "\(outbox(product))/\(file)") ?? ""
      #expect(text.contains("\"title\": \"Pills\""))
    }
  }
}
