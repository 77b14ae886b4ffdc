import AlertsContract
import DeliveryContract
import FallsContract
import FamilyAlertsDomain
import KithRPC
import KithStore
import KithTime
import RemindersContract
import Testing

@testable import FamilyAlertsService

/// Contacts, their consent and their digests.
@Suite(.timeLimit(.minutes(1))) struct ContactTests {
  private func list(_ desk: Desk, as user: String? = nil, of person: String = "") async throws
    -> [Contact]
  {
    try await desk.service.listContacts(
      ListContactsRequest(userId: person), context: desk.call(as: user)
    ).contacts
  }

  @Test func contactsStandInTheirOrder() async throws {
    let desk = try await Desk()
    let ann = try await desk.add("ann", priority: 2)
    try await desk.add("bob")
    #expect(try await list(desk).map(\.name) == ["bob", "ann"])
    // The same addresses are the same contact.
    #expect(try await desk.add("ann", [.email("ann@example.com")]).id == ann.id)
    _ = try await desk.service.updateContact(
      UpdateContactRequest(id: ann.id, name: "Ann", priority: 1), context: desk.call())
    #expect(try await list(desk).map(\.name) == ["Ann", "bob"])
    #expect(try await desk.events().isEmpty)
  }

  @Test func everybodySeesTheirOwn() async throws {
    let desk = try await Desk()
    let ann = try await desk.add("ann", of: "ada")
    #expect(try await list(desk, as: "ada").count == 1)
    #expect(await code { try await list(desk, as: "eve", of: "ada") } == .permissionDenied)
    #expect(
      await code {
        try await desk.service.getContact(
          GetContactRequest(id: ann.id), context: desk.call(as: "eve"))
      } == .notFound)
    #expect(
      await code {
        try await desk.service.addContact(
          AddContactRequest(userId: "ada", name: "x", email: "x@example.com"),
          context: desk.call(as: "eve"))
      } == .permissionDenied)
  }

  @Test(arguments: [
    AddContactRequest(name: "", email: "a@example.com"),
    AddContactRequest(name: "a"),
    AddContactRequest(name: "a", email: "example.com"),
    AddContactRequest(name: "a", email: "a b@example.com"),
    AddContactRequest(name: "a", phone: "2125550101"),
    AddContactRequest(name: "a", phone: "+1212555O101"),
    AddContactRequest(name: "a", email: "a@example.com", priority: 4),
    AddContactRequest(
      name: "a", addresses: [Address(channel: .webhook, value: "http://a.example")]),
    AddContactRequest(name: "a", addresses: [Address(value: "x")]),
    AddContactRequest(name: "a", email: "a@example.com", familyUserId: "a b"),
    AddContactRequest(name: "a", email: "a@example.com", quietRule: QuietRule(from: "8", to: "9")),
    AddContactRequest(
      name: "a", email: "a@example.com", quietRule: QuietRule(from: "22:00", to: "07:00", zone: "X")
    ),
  ]) func wrongContactsAreRefused(_ request: AddContactRequest) async throws {
    let desk = try await Desk()
    #expect(
      await code { try await desk.service.addContact(request, context: desk.call()) }
        == .invalidArgument)
  }

  @Test func thereAreNoMoreThanThereMayBe() async throws {
    let desk = try await Desk()
    for number in 0..<50 { try await desk.add("c\(number)") }
    #expect(await code { try await desk.add("one more") } == .invalidArgument)
    #expect(await code { try await desk.add("more") } == .resourceExhausted)
    #expect(await code { try await desk.add("c7") } == nil)
  }

  /// 6: a receipt about an address that was replaced says nothing about the newer one.
  @Test func aNewerAddressStaysWhenTheOldOneIsGone() async throws {
    let desk = try await Desk()
    let ann = try await desk.add("ann", [.push("old"), .email("ann@example.com")])
    try await desk.raise()
    try await desk.settle()
    let updated = try await desk.service.updateContact(
      UpdateContactRequest(id: ann.id, addresses: [.push("new"), .email("ann@example.com")]),
      context: desk.call())
    #expect(updated.addresses.map { $0.address?.value } == ["new", "ann@example.com"])
    try await desk.take(
      MessageChanged(
        dedupeKey: desk.delivery.sent[0].dedupeKey, state: .refused, failure: .addressGone),
      by: desk.service.deliveryEvents)
    let contact = try #require(try await list(desk).first)
    #expect(contact.addresses.map(\.isGone) == [false, false])
    try await desk.settle()
    #expect(desk.told.contains("new"))
  }

  @Test func fiveWrongCodesEndTheVerification() async throws {
    let desk = try await Desk()
    let ann = try await desk.add("ann")
    func verify(_ text: String) async -> StatusCode? {
      await code {
        try await desk.service.verify(
          VerifyRequest(contactId: ann.id, code: text), context: desk.call())
      }
    }
    func send() async throws -> String {
      _ = try await desk.service.sendVerification(
        SendVerificationRequest(contactId: ann.id),
        context: desk.call(ContactsMethods.sendVerification))
      let words = desk.delivery.sent.last?.content?.body.split(separator: " ") ?? []
      return String(words[3].dropLast())
    }
    #expect(await verify("123456") == .failedPrecondition)
    var right = try await send()
    let wrong = right == "000000" ? "000001" : "000000"
    for _ in 0..<5 { #expect(await verify(wrong) == .invalidArgument) }
    #expect(await verify(right) == .failedPrecondition)
    right = try await send()
    desk.wait(.seconds(600))
    #expect(await verify(right) == .failedPrecondition)
    right = try await send()
    #expect(await verify(right) == nil)
    #expect(try await list(desk).first?.addresses.first?.isVerified == true)
  }

  @Test func textMessagesAreForWhoAgreed() async throws {
    let desk = try await Desk(settings: AlertsSettings(textMessages: true))
    _ = try await desk.service.addContact(
      AddContactRequest(name: "ann", phone: "+12125550101"), context: desk.call())
    try await desk.raise()
    #expect(try await desk.last(NobodyReached.self)?.reason == "no_contacts")
  }

  @Test func quietHoursHoldUpOnlyWhatIsNoSafety() async throws {
    let desk = try await Desk()
    try await desk.add("ann", quiet: QuietRule(from: "15:00", to: "16:00"))
    try await desk.raise("scam", .scamShared)
    try await desk.settle()
    #expect(desk.told.isEmpty)
    try await desk.raise()
    try await desk.settle()
    #expect(desk.told.count == 1)
    _ = try await desk.acknowledge(token: desk.token(to: "ann@example.com"))
    // 4 PM in New York.
    try await desk.pass(.seconds(54 * 60))
    let before = desk.told.count
    try await desk.pass(.seconds(60))
    #expect(desk.told.count > before)
  }

  @Test func nothingPersonalStandsInTheFile() async throws {
    let desk = try await Desk()
    try await desk.add(
      "Rosalinda", [.email("rosalinda@example.com"), .sms("+12125550101")],
      familyUser: "secretuser")
    try await desk.raise(summary: "Fell near the piano")
    try await desk.settle()
    let rows = try await desk.store.read { transaction in
      try ["contact", "address", "incident", "step"].map {
        "\(try transaction.rows("SELECT * FROM \(name: $0)"))"
      }.joined()
    }
    for secret in ["osalinda", "2125550101", "secretuser", "piano"] {
      #expect(!rows.contains(secret))
    }
    #expect(rows.contains("escalating"))
  }

  // MARK: - The digest

  @Test func theDigestCountsTheWeek() async throws {
    let desk = try await Desk()
    // Tuesday of the week before.
    let due = Int64(desk.wall.milliseconds) - 6 * 86_400_000
    let reminders = desk.service.reminderEvents
    for _ in 0..<3 {
      try await desk.take(ReminderDone(reminderId: "r", dueMs: due), by: reminders)
    }
    for _ in 0..<2 {
      try await desk.take(
        ReminderMissed(key: "k", reminderId: "r", dueMs: due, reason: .unanswered), by: reminders)
    }
    try await desk.take(ReminderDone(reminderId: "r", dueMs: due, isLate: true), by: reminders)
    try await desk.take(FallAlerted(caseId: "c", atMs: due), by: desk.service.fallEvents)
    let digest = try await desk.service.getFamilyDigest(
      GetFamilyDigestRequest(html: true), context: desk.call())
    #expect(digest.firstDay == "2026-11-16")
    #expect(digest.doneCount == 4 && digest.missedCount == 1 && digest.fallCount == 1)
    #expect(digest.text.contains("Tuesday: 4 done, 1 missed, 1 fall"))
    let html = String(decoding: digest.html, as: UTF8.self)
    #expect(html.contains("<td>Tuesday</td><td>4</td><td>1</td><td>1</td>"))
    for outside in ["http", "src=", "url(", "<script", "<link"] {
      #expect(!html.contains(outside))
    }
    let plain = try await desk.service.getFamilyDigest(
      GetFamilyDigestRequest(), context: desk.call())
    #expect(plain.html.isEmpty && plain.text == digest.text)
    let empty = try await desk.service.getFamilyDigest(
      GetFamilyDigestRequest(day: "2026-11-22"), context: desk.call(as: "eve"))
    #expect(empty.doneCount == 0 && empty.firstDay == "2026-11-16")
    #expect(
      await code {
        try await desk.service.getFamilyDigest(
          GetFamilyDigestRequest(day: "monday"), context: desk.call())
      } == .invalidArgument)
  }

  @Test func theDigestGoesOnceToWhoWantsIt() async throws {
    let desk = try await Desk()
    let ann = try await desk.add("ann", digest: true)
    try await desk.add("bob", digest: true)
    try await desk.add("cem")
    _ = try await desk.service.sendVerification(
      SendVerificationRequest(contactId: ann.id), context: desk.call())
    let words = try #require(desk.delivery.sent.last?.content?.body.split(separator: " "))
    _ = try await desk.service.verify(
      VerifyRequest(contactId: ann.id, code: String(words[3])), context: desk.call())
    let digests = desk.service.dueDigests
    // The worker came on Monday afternoon; the first digest is due a week later.
    let due = try #require(try await digests.nextDue())
    #expect(due - desk.wall == .seconds(7 * 86_400 - 6 * 3600 - 300))
    desk.wait(due - desk.wall)
    desk.delivery.answer { _ in .dead }
    await #expect(throws: RPCError.self) { try await digests.run() }
    desk.delivery.answer { _ in .accepted }
    while let due = try await digests.nextDue(), due <= desk.wall { try await digests.run() }
    let sent = desk.delivery.sent.filter { $0.dedupeKey.hasPrefix("digest/") }
    #expect(sent.map { $0.address?.value } == ["ann@example.com"])
    #expect(sent.first?.dedupeKey == "digest/2026-11-23/\(ann.id)")
    #expect(sent.first?.retry == .byWorker)
    // After a long downtime only the last week is told.
    desk.wait(.seconds(30 * 86_400))
    while let due = try await digests.nextDue(), due <= desk.wall { try await digests.run() }
    #expect(desk.delivery.sent.count { $0.dedupeKey.hasPrefix("digest/") } == 2)
  }
}
