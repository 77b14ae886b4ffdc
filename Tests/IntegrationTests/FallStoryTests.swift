import AlertsContract
import DeliveryContract
import FallsContract
import KithRPC
import KithTesting
import KithTime
import Testing

/// A fall in Milo as it ships, from the samples of the phone to the all-clear.
@Suite struct FallStoryTests {
  @Test func aFallThatNobodyAnswersReachesTheDaughter() async throws {
    let setup = ProductSetup(product: "milo").starting(at: Instant("2026-11-21T20:42:00Z"))
    try await RunningProduct.run(setup) { product in
      try await product.settle()
      let falls = FallDetectorClient(product.client(of: "fall-detector"))
      let alerts = AlertsClient(product.client(of: "family-alerts"))
      let contacts = ContactsClient(product.client(of: "family-alerts"))
      let outbox = Outbox(of: product)
      _ = try await contacts.addContact(
        AddContactRequest(
          userId: "ada", name: "Laura", email: "laura@example.com", hasConsented: true))

      // Ada falls, and nobody answers the question on her phone for a minute.
      let phone = try await falls.watch()
      for batch in RecordedFall.batches(of: "ada") { try await phone.requests.write(batch) }
      phone.requests.finish()
      for try await _ in phone.responses {}
      try await product.clock.advance(by: .seconds(59))
      #expect(outbox.mails().isEmpty)
      try await product.clock.advance(by: .seconds(2))
      let alert = try #require(outbox.mails().first)
      #expect(alert.recipient == "<laura@example.com>")

      // Laura opens the link: nothing more is sent, however long it takes her to come.
      let answer = try await alerts.acknowledge(AcknowledgeRequest(token: alert.token))
      #expect(answer.isFirst)
      try await product.clock.advance(by: .seconds(600))
      #expect(outbox.mails().count == 1)

      // She finds her mother well.
      let closed = try await falls.answer(AnswerRequest(userId: "ada", answer: .ok))
      #expect(closed.resolution == .allClear && !closed.ackBy.isEmpty)
      try await product.clock.advance(by: .seconds(1))
      #expect(outbox.mails().count == 2)
    }
  }
}
