import Crypto
import DeliveryContract
import DeliveryDomain
import KithAccess
import KithRPC
import KithStore
import KithTesting
import KithTime
import KithWire
import RemindersContract
import Testing

@testable import DeliveryService

/// Deliveries over a store on disk, with providers whose answers are scripted.
@Suite(.timeLimit(.minutes(2)))
struct DeliveryServiceTests {
  private func code(_ body: () async throws -> some Sendable) async -> StatusCode? {
    do {
      _ = try await body()
      return nil
    } catch {
      return (error as? RPCError)?.code ?? .unknown
    }
  }

  // MARK: Sending

  @Test func aMessageIsSentOnceWhoeverAsksHowOften() async throws {
    let office = try PostOffice()
    let first = try await office.send("a")
    #expect(first.message?.state == .handedOver && !first.isRepeat)
    #expect(first.message?.attemptCount == 1 && first.message?.providerId == "p1")
    for _ in 0..<3 {
      let again = try await office.send("a", retry: .byWorker)
      #expect(again.message == first.message && again.isRepeat)
    }
    #expect(office.provider.taken.count == 1)
    #expect(try await office.events() == ["HANDED_OVER a"])
  }

  @Test func callsAtOnceMakeOneAttempt() async throws {
    let office = try PostOffice()
    office.provider.hold()
    try await withThrowingTaskGroup(of: DeliveryState?.self) { group in
      for _ in 0..<20 { group.addTask { try await office.send("a").message?.state } }
      try await waitUntil("the provider has it") { office.provider.taken.count == 1 }
      office.provider.letGo()
      for try await state in group { #expect(state == .handedOver) }
    }
    #expect(office.provider.taken.count == 1)
  }

  @Test func theSenderTriesAgainAndTheOutboxDoesNot() async throws {
    let office = try PostOffice()
    office.provider.next(.later(.unavailable, "down"), .unknown(reason: "cut"))
    #expect(try await office.send("a").message?.state == .waiting)
    try await office.pass(.seconds(3600))
    #expect(office.provider.taken.count == 1)
    #expect(try await office.send("a").message?.state == .unknown)
    try await office.pass(.seconds(3600))
    #expect(office.provider.taken.count == 2)
    let last = try await office.send("a")
    #expect(last.message?.state == .handedOver && last.isRepeat && last.message?.attemptCount == 3)
    // However often, it is one message for the provider.
    #expect(Set(office.provider.taken.map(\.id)).count == 1)
  }

  @Test func theOutboxTriesAgainUntilTheMessageExpires() async throws {
    let office = try PostOffice()
    for _ in 0..<200 { office.provider.next(.later(.unavailable, "down")) }
    let sent = try await office.send("a", retry: .byWorker, life: 600_000)
    #expect(sent.message?.state == .waiting)
    #expect(sent.message?.nextAttemptMs == Int64(office.now.milliseconds + 1000))
    for _ in 0..<700 { try await office.pass(.seconds(1)) }
    let message = try await office.message("a")
    #expect(message.state == .expired)
    #expect((20...40).contains(message.attemptCount), "\(message.attemptCount)")
    #expect(try await office.events() == ["EXPIRED a"])
  }

  /// 9.6, 11: a clock that is set back sends nothing again, one that jumps ahead nothing early.
  @Test func clocksThatAreSetSendNothingTwice() async throws {
    let office = try PostOffice()
    office.provider.next(.later(.unavailable, "down"))
    _ = try await office.send("a", retry: .byWorker)
    _ = try await office.send("b", retry: .byWorker)
    try await office.pass(.seconds(-3600))
    #expect(office.provider.taken.count == 2)
    try await office.pass(.seconds(7200))
    #expect(office.provider.taken.count == 3)
    try await office.pass(.seconds(-3600))
    #expect(office.provider.taken.count == 3)
  }

  @Test func nothingIsSentWhereNoProviderIs() async throws {
    let office = try PostOffice([.push])
    let sent = try await office.send("a", .sms, to: "+12065550101")
    #expect(sent.message?.state == .refused && sent.message?.failure == .noProvider)
    #expect(try await office.events() == ["REFUSED a"])
  }

  @Test func requestsAreChecked() async throws {
    let office = try PostOffice()
    for (channel, address) in [
      (Channel.sms, "2065550101"), (.sms, "+0123456789"), (.email, "Ada <ada@example.org>"),
      (.email, "ada"), (.webhook, "http://example.org"), (.push, ""), (.push, "../x"),
      (.unspecified, "x"), (.push, "a b"), (.email, "a@b\r\nRCPT TO:<c@d>"),
    ] {
      #expect(
        await code { try await office.send("a", channel, to: address) } == .invalidArgument,
        "\(address)")
    }
    for key in ["", "a b", String(repeating: "k", count: 129), "ä"] {
      #expect(await code { try await office.send(key) } == .invalidArgument)
    }
    #expect(
      await code { try await office.send("a", collapse: String(repeating: "c", count: 65)) }
        == .invalidArgument)
    #expect(office.provider.taken.isEmpty)
  }

  @Test func peopleSeeTheirOwnMessages() async throws {
    let office = try PostOffice()
    try await office.send("a", user: "ada")
    let id = MessageDraft.id(of: "a")
    let mine = try await office.service.getMessage(
      GetMessageRequest(id: id), context: office.call(as: "ada"))
    #expect(mine.dedupeKey == "a")
    #expect(
      await code {
        try await office.service.getMessage(
          GetMessageRequest(id: id), context: office.call(as: "eve"))
      } == .notFound)
    #expect(
      await code {
        try await office.service.listMessages(
          ListMessagesRequest(userId: "ada"), context: office.call(as: "eve"))
      } == .permissionDenied)
    #expect(
      await code {
        try await office.service.cancel(
          CancelRequest(dedupeKey: "a"), context: office.call(as: "eve"))
      } == .permissionDenied)
  }

  @Test func messagesAreListedAPageAtATime() async throws {
    let office = try PostOffice()
    for number in 0..<7 { try await office.send("m\(number)") }
    var (keys, token): ([String], String) = ([], "")
    repeat {
      let page = try await office.service.listMessages(
        ListMessagesRequest(userId: "ada", state: .handedOver, pageSize: 3, pageToken: token),
        context: office.call())
      keys += page.messages.map(\.dedupeKey)
      token = page.nextPageToken
    } while !token.isEmpty
    #expect(Set(keys).count == 7 && keys.count == 7)
  }

  // MARK: Giving up

  @Test func whatIsGivenUpIsNotSent() async throws {
    let office = try PostOffice()
    office.provider.next(.later(.unavailable, "down"))
    try await office.send("a", retry: .byWorker)
    let given = try await office.service.cancel(
      CancelRequest(dedupeKey: "a"), context: office.call())
    #expect(given.state == .cancelled)
    try await office.pass(.seconds(3600))
    #expect(try await office.send("a").message?.state == .cancelled)
    #expect(office.provider.taken.count == 1)
    #expect(
      await code {
        try await office.service.cancel(CancelRequest(dedupeKey: "x"), context: office.call())
      } == .notFound)
  }

  /// 9.6, 1: at most the one attempt that is under way; when Cancel answers there is none.
  @Test func anAttemptThatIsUnderWayIsEndedFirst() async throws {
    let office = try PostOffice()
    office.provider.hold()
    let sending = Task { try await office.send("a").message?.state }
    try await waitUntil("the provider has it") { office.provider.taken.count == 1 }
    let given = try await office.service.cancel(
      CancelRequest(dedupeKey: "a"), context: office.call())
    #expect(given.state == .cancelled)
    #expect(try await sending.value == .unknown)
    #expect(try await office.send("a").message?.state == .cancelled)
    #expect(office.provider.taken.count == 1)
  }

  // MARK: Death

  @Test func whatWasUnderWayAtADeathIsUnknownAndMayBeSentAgain() async throws {
    let office = try PostOffice()
    office.provider.hold()
    let sending = Task { try await office.send("a") }
    let own = Task { try await office.send("b", retry: .byWorker) }
    try await waitUntil("the provider has both") { office.provider.taken.count == 2 }
    // The next process, beside the one that hangs.
    let next = try PostOffice(beside: office)
    try await next.service.recover()
    #expect(try await next.message("a").state == .unknown)
    #expect(try await next.message("b").state == .unknown)
    #expect(try await next.send("a").message?.state == .handedOver)
    try await next.pass(.seconds(3))
    #expect(try await next.message("b").state == .handedOver)
    // What the earlier one says now counts no more.
    office.provider.letGo()
    _ = try await (sending.value, own.value)
    #expect(try await next.message("a").attemptCount == 2)
    #expect(
      try await next.events().sorted() == [
        "HANDED_OVER a", "HANDED_OVER b", "UNKNOWN a", "UNKNOWN b", "WAITING a", "WAITING b",
      ])
  }

  /// 9.6, 12: two workers on one store; a row is leased to one of them.
  @Test func twoProcessesMakeOneAttempt() async throws {
    let office = try PostOffice()
    let other = try PostOffice(beside: office)
    office.provider.hold()
    let sending = Task { try await office.send("a") }
    try await waitUntil("the provider has it") { office.provider.taken.count == 1 }
    #expect(try await other.send("a").message?.state == .waiting)
    #expect(other.provider.taken.isEmpty)
    office.provider.letGo()
    #expect(try await sending.value.message?.state == .handedOver)
  }

  // MARK: Order and fairness

  @Test func messagesOfOneCollapseIDKeepTheirOrder() async throws {
    let office = try PostOffice()
    office.provider.next(.later(.unavailable, "down"), .later(.unavailable, "down"))
    func send(_ key: String) async throws {
      try await office.send(
        key, .email, to: "ada@example.org", retry: .byWorker, collapse: "c", body: key)
    }
    try await send("a")
    for key in ["b", "c"] { try await send(key) }
    #expect(office.provider.taken.map(\.content.body) == ["a"])
    try await office.pass(.seconds(60))
    try await office.pass(.seconds(60))
    #expect(office.provider.taken.map(\.content.body) == ["a", "a", "a", "b", "c"])
  }

  @Test func aLaterPushTakesThePlaceOfOneThatWaits() async throws {
    let office = try PostOffice()
    office.provider.next(.later(.unavailable, "down"))
    try await office.send("a", retry: .byWorker, collapse: "c")
    try await office.send("b", retry: .byWorker, collapse: "c")
    try await office.pass(.seconds(60))
    #expect(office.provider.taken.count == 2)
    #expect(try await office.message("a").state == .expired)
    #expect(try await office.message("b").state == .handedOver)
    // Of another address nothing is replaced.
    office.provider.next(.later(.unavailable, "down"))
    try await office.send("d", to: "aa", retry: .byWorker, collapse: "c")
    try await office.send("e", to: "bb", retry: .byWorker, collapse: "c")
    try await office.pass(.seconds(60))
    #expect(try await office.message("d").state == .handedOver)
  }

  /// 9.6, 13: a burst is handed over with a bound on what runs at once, and a person with one
  /// message does not wait for those of a person with hundreds.
  @Test func aBurstIsFairAndBounded() async throws {
    let office = try PostOffice(mostAttempts: 4)
    office.provider.hold()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<300 {
        group.addTask { try await office.send("ada\(number)", user: "ada") }
      }
      try await waitUntil("four are under way") { office.provider.taken.count == 4 }
      group.addTask { try await office.send("bob", user: "bob") }
      group.addTask { try await office.send("eve", user: "eve", priority: .safety) }
      try await Task.sleep(for: .milliseconds(50))
      office.provider.letGo()
      try await group.waitForAll()
    }
    #expect(office.provider.mostRunning == 4)
    #expect(office.provider.taken.count == 302)
  }

  // MARK: Addresses

  private func register(
    _ office: PostOffice, _ channel: Channel, _ value: String, at time: Instant? = nil,
    user: String = "ada"
  ) async throws -> RegisteredAddress {
    try await office.service.registerAddress(
      RegisterAddressRequest(
        userId: user, address: Address(channel: channel, value: value),
        registeredAtMs: time.map { Int64($0.milliseconds) }), context: office.call())
  }

  private func addresses(_ office: PostOffice) async throws -> [RegisteredAddress] {
    try await office.service.listAddresses(
      ListAddressesRequest(userId: "ada"), context: office.call()
    ).addresses
  }

  @Test func aProviderIsCalledNoMoreOftenThanIsConfigured() async throws {
    let office = try PostOffice(rates: ["outbox=3"])
    for number in 0..<3 { try await office.send("now-\(number)", retry: .byWorker) }
    #expect(office.provider.taken.count == 3)
    // The one that waits longest goes on when it may, an urgent one before it.
    let later = try await office.send("later", retry: .byWorker)
    #expect(later.message?.state == .waiting && later.message?.failure == .rateLimited)
    #expect(office.provider.taken.count == 3)
    try await office.send("urgent", retry: .byWorker, priority: .safety)
    let asked = try await office.send("asked")
    #expect(asked.message?.state == .waiting)
    try await office.pass(.milliseconds(334))
    #expect(try await office.message("urgent").state == .handedOver)
    #expect(try await office.message("later").state == .waiting)
    try await office.pass(.milliseconds(334))
    #expect(try await office.message("later").state == .handedOver)
    // Whoever tries again by itself is answered and not queued.
    #expect(office.provider.taken.count == 5)
    try await office.pass(.seconds(1))
    #expect(try await office.send("asked").message?.state == .handedOver)
  }

  @Test func addressesAreRegisteredOnce() async throws {
    let office = try PostOffice()
    let first = try await register(office, .push, "abcdef")
    #expect(first.hint == "cdef" && first.channel == .push)
    try await office.pass(.seconds(10))
    let again = try await register(office, .push, "abcdef")
    #expect(again.id == first.id && again.registeredAtMs == first.registeredAtMs + 10_000)
    #expect(try await addresses(office).count == 1)
    for _ in 0..<2 {
      _ = try await office.service.removeAddress(
        RemoveAddressRequest(id: first.id), context: office.call())
    }
    #expect(try await addresses(office).isEmpty)
  }

  /// 9.6, 6: a 410 removes the token, and not one that was registered later.
  @Test func aGoneTokenIsRemovedAndANewerOneKept() async throws {
    let office = try PostOffice()
    _ = try await register(office, .push, "abcd")
    _ = try await register(office, .push, "ef01")
    let before = office.now - .seconds(60)
    office.provider.next(
      .refused(.init(.addressGone, "apns 410 Unregistered"), goneSince: before))
    #expect(try await office.send("a").message?.failure == .addressGone)
    #expect(try await addresses(office).count == 2)
    office.provider.next(
      .refused(.init(.addressGone, "apns 410 Unregistered"), goneSince: office.now))
    try await office.send("b")
    #expect(try await addresses(office).map(\.hint) == ["ef01"])
  }

  /// 9.6, 7: who has opted out is refused for good, and others are told.
  @Test func anOptOutIsToldOf() async throws {
    let office = try PostOffice()
    _ = try await register(office, .sms, "+12065550101")
    office.provider.next(.refused(.optedOut, "twilio 21610"))
    let sent = try await office.send("a", .sms, to: "+12065550101")
    #expect(sent.message?.state == .refused && sent.message?.failure == .optedOut)
    #expect(try await office.events() == ["REFUSED a", "unwanted"])
    try await remind(office, key: "r")
    #expect(office.provider.taken.count == 1)
  }

  // MARK: Reminders

  private func remind(
    _ office: PostOffice, key: String, expires: Duration = .seconds(600)
  ) async throws {
    let sent = ReminderSent(
      key: key, reminderId: "r1", dueMs: 5,
      push: Push(
        title: "Pills", body: "It is eight", collapseId: "r1",
        expiresAtMs: Int64((office.now + expires).milliseconds), isTimeSensitive: true))
    let event = LoggedEvent(
      sequence: 1, type: ReminderSent.fullName, atMilliseconds: 0, user: UserID("ada"),
      traceparent: "", payload: try sent.encoded())
    try await office.store.write { try office.service.reminders.apply(event, in: $0) }
    try await office.settle()
  }

  @Test func remindersGoToTheAddressesThatPeopleRegistered() async throws {
    let office = try PostOffice()
    _ = try await register(office, .push, "abcd")
    _ = try await register(office, .email, "ada@example.org")
    _ = try await register(office, .call, "cdef")
    _ = try await register(office, .push, "9999", user: "bob")
    for _ in 0..<2 { try await remind(office, key: "k") }
    #expect(Set(office.provider.taken.map(\.address)) == ["abcd", "ada@example.org"])
    #expect(office.provider.taken.count == 2)
    let push = try #require(office.provider.taken.first { $0.channel == .push })
    #expect(push.content.title == "Pills" && push.urgency == .safety && push.collapseID == "r1")
    try await remind(office, key: "late", expires: .seconds(-1))
    #expect(office.provider.taken.count == 2)
  }

  // MARK: Privacy

  @Test func addressesAndContentsAreSealedAndThenWiped() async throws {
    let office = try PostOffice()
    try await office.send("a", .email, to: "ada.secret@example.org", body: "a very private word")
    office.provider.next(.later(.unavailable, "down"))
    try await office.send("b", .email, to: "ada.secret@example.org", life: 1000)
    func columns() async throws -> [Int] {
      try await office.store.read { transaction in
        try transaction.rows(
          """
          SELECT count(address_sealed) + count(content_sealed) + count(address_index) AS n
          FROM message
          """
        ).values(of: "n")
      }
    }
    #expect(try await columns() == [6])
    try await office.pass(.seconds(6 * 86_400))
    #expect(try await columns() == [6])
    try await office.pass(.seconds(2 * 86_400))
    #expect(try await columns() == [0])
    #expect(try await office.message("a").state == .handedOver)
    #expect(try await office.send("a").isRepeat)
    #expect(office.provider.taken.count == 2)
    let files = TemporaryFolder.names(in: office.folder.path)
    for file in files {
      let text = TemporaryFolder.text(of: "\(office.folder.path)/\(file)") ?? ""
      #expect(!text.contains("ada.secret") && !text.contains("private word"), "\(file)")
    }
  }

  // MARK: Channels

  /// 9.6, 19, through the service.
  @Test func theOutboxFolderIsWipedWithTheContents() async throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/outbox"
    let provider = OutboxFolder(
      path: path, sender: try #require(MailAddress("Milo <milo@example.com>")))
    let office = try PostOffice(real: ProviderSet([.email: [provider], .push: [provider]]))
    try await office.send("mail", .email, to: "ada@example.org")
    try await office.send("push")
    #expect(TemporaryFolder.names(in: path).count == 2)
    try await office.pass(.seconds(6 * 86_400))
    #expect(TemporaryFolder.names(in: path).count == 2)
    try await office.pass(.seconds(2 * 86_400))
    #expect(TemporaryFolder.names(in: path).isEmpty)
    #expect(try await office.message("mail").state == .handedOver)
  }

  @Test func theOutboxLiesBelowTheStateFolder() {
    for wrong in ["", "/etc/x", "../x", "a/../../x"] {
      #expect(throws: RPCError.self) { try DeliverySettings(outboxFolder: wrong) }
    }
  }

  @Test func aFailingChannelIsShown() async throws {
    let office = try PostOffice([.push])
    for number in 0..<20 {
      if number == 0 { office.provider.next(.refused(.filtered, "x")) }
      try await office.send("m\(number)")
      let status = try await office.service.listChannels(
        ListChannelsRequest(), context: office.call()
      ).channels
      #expect(status.map(\.isFailing) == [number == 19])
      #expect(status.first?.attemptCount == UInt32(number + 1))
    }
    #expect(office.service.failingChannels == ["push by outbox"])
    try await office.pass(.seconds(1000))
    #expect(office.service.failingChannels.isEmpty)
  }
}
