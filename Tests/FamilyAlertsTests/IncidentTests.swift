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

/// Incidents over a store and a delivery worker that does what the test says. Numbers are those of
/// the edge cases of family alerts.
@Suite(.timeLimit(.minutes(2))) struct IncidentTests {
  /// A policy with text messages and three contacts.
  private static func paid() throws -> AlertsSettings {
    try AlertsSettings(textMessages: true, linkBase: "https://kith.example/a/")
  }

  @Test func contactsAreToldOneAfterTheOther() async throws {
    let desk = try await Desk()
    try await desk.add("ann", [.push("t1"), .email("ann@example.com")])
    try await desk.add("bob")
    let incident = try await desk.raise()
    #expect(incident.state == .escalating)
    #expect(incident.steps.map(\.state) == [.pending])
    try await desk.settle()
    #expect(desk.told == ["t1"])
    try await desk.pass(.seconds(119))
    #expect(desk.told == ["t1"])
    try await desk.pass(.seconds(1))
    #expect(desk.told.first == "t1")
    #expect(desk.told.dropFirst().sorted() == ["ann@example.com", "bob@example.com"])
    #expect(try await desk.events() == ["IncidentRaised", "StepEnded", "StepEnded", "StepEnded"])
    let request = try #require(desk.delivery.sent.first)
    #expect(request.retry == .bySender && request.priority == .safety)
    #expect(request.collapseId == incident.id && request.dedupeKey.utf8.count == 64)
  }

  /// 1
  @Test func anAcknowledgementWhileOneIsSentLetsNothingElseOut() async throws {
    let desk = try await Desk(waits: false)
    try await desk.add("ann", [.push("t1"), .email("ann@example.com")])
    try await desk.add("bob")
    let incident = try await desk.raise()
    desk.delivery.hold()
    try await desk.settle()
    try await waitUntilTrue { desk.delivery.calls.count == 1 }
    let token = try #require(
      AcknowledgementToken(
        incident: incident.id, contact: incident.steps[0].contactId,
        expiresAt: desk.service.time.now + .seconds(60)
      ).map(desk.service.secret.text))
    #expect(try await desk.acknowledge(token: token).isFirst)
    desk.delivery.release()
    try await waitUntilTrue { try await desk.get(incident.id).steps.first?.state == .sent }
    try await desk.pass(.seconds(600))
    #expect(desk.told == ["t1"])
    #expect(try await desk.get(incident.id).state == .acknowledged)
  }

  /// 2
  @Test func aLateAcknowledgementOfWhatIsOverChangesNothing() async throws {
    let desk = try await Desk()
    try await desk.add("ann")
    let incident = try await desk.raise()
    try await desk.settle()
    let token = try desk.token(to: "ann@example.com")
    _ = try await desk.service.resolveIncident(
      ResolveIncidentRequest(id: incident.id), context: desk.call())
    let answer = try await desk.acknowledge(token: token)
    #expect(!answer.isFirst && answer.incident?.state == .incidentResolved)
    #expect(try await desk.events().contains("IncidentAcknowledged") == false)
  }

  /// 3
  @Test func oneKeyIsOneIncident() async throws {
    let desk = try await Desk()
    try await desk.add("ann")
    let ids = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<5 { group.addTask { try await desk.raise().id } }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(ids.count == 1)
    try await desk.settle()
    #expect(desk.told.count == 1)
    #expect(try await desk.events().count { $0 == "IncidentRaised" } == 1)
    // The same key of another person is another incident.
    #expect(try await desk.raise(of: "eve").id != ids.first)
  }

  /// 4
  @Test func anIncidentIsForgottenAYearLaterAndOneThatGoesOnIsNot() async throws {
    let desk = try await Desk()
    try await desk.add("Anna")
    let ended = try await desk.raise("fall/1")
    try await desk.settle()
    _ = try await desk.service.resolveIncident(
      ResolveIncidentRequest(id: ended.id), context: desk.call())
    try await desk.pass(.seconds(3600))
    let forgetting = desk.service.dueForgetting
    let due = try #require(try await forgetting.nextDue())
    desk.wait(due - desk.wall - .seconds(1))
    let open = try await desk.raise("fall/2")
    try await forgetting.run(at: desk.wall)
    #expect(try await desk.get(ended.id).id == ended.id)
    desk.wait(.seconds(1))
    try await forgetting.run(at: desk.wall)
    #expect(await code { try await desk.get(ended.id) } == .notFound)
    #expect(try await desk.get(open.id).state == .escalating)
    let steps = try await desk.store.read {
      try $0.rows("SELECT count(*) AS number FROM step WHERE incident_id = \(ended.id)")[0][
        "number"]
        as Int
    }
    #expect(steps == 0)
  }

  @Test func aRestartKeepsWhatIsDue() async throws {
    let desk = try await Desk()
    try await desk.add("ann")
    try await desk.add("bob")
    let incident = try await desk.raise()
    try await desk.settle()
    try await desk.pass(.seconds(100))
    let due = try await desk.get(incident.id).steps.last?.dueMs
    desk.close()
    let next = try await Desk(after: desk)
    #expect(try await next.get(incident.id).steps.last?.dueMs == due)
    try await next.pass(.seconds(19))
    #expect(next.told == ["ann@example.com"])
    try await next.pass(.seconds(1))
    #expect(next.told == ["ann@example.com", "bob@example.com"])
  }

  /// 4, 12
  @Test func anAttemptWhoseProcessIsGoneIsTakenOver() async throws {
    let desk = try await Desk(waits: false)
    try await desk.add("ann")
    let incident = try await desk.raise()
    desk.delivery.hold()
    try await desk.settle()
    try await waitUntilTrue { desk.delivery.calls.count == 1 }
    desk.close()
    let next = try await Desk(after: desk)
    // It is leased, so that nobody else sends it.
    try await next.settle()
    #expect(next.delivery.calls.count == 1)
    next.delivery.release()
    try await next.pass(.seconds(20))
    #expect(next.told == ["ann@example.com"])
    #expect(Set(next.delivery.calls.map(\.dedupeKey)).count == 1)
    #expect(try await next.get(incident.id).steps.first?.state == .sent)
  }

  /// 5
  @Test func aContactThatIsRemovedOrUnsubscribesGetsNothingMore() async throws {
    let desk = try await Desk(settings: Self.paid())
    let ann = try await desk.add("ann", [.push("t1"), .email("ann@example.com")])
    try await desk.add("bob", [.sms("+12125550101"), .email("bob@example.com")])
    try await desk.add("cem")
    try await desk.raise()
    try await desk.settle()
    _ = try await desk.service.removeContact(
      RemoveContactRequest(id: ann.id), context: desk.call())
    try await desk.take(
      ConsentChanged(key: "1", channel: .sms, address: "+12125550101", isWanted: false),
      by: desk.service.deliveryEvents, about: nil)
    try await desk.pass(.seconds(1200))
    #expect(desk.told.first == "t1")
    #expect(Set(desk.told.dropFirst()) == ["bob@example.com", "cem@example.com"])
    let again = try await desk.service.removeContact(
      RemoveContactRequest(id: ann.id), context: desk.call())
    #expect(again == RemoveContactResponse())
  }

  /// 7
  @Test func whoHasOptedOutIsReachedByTheNextChannelNow() async throws {
    let desk = try await Desk(settings: Self.paid())
    let ann = try await desk.add("ann", [.sms("+12125550101"), .email("ann@example.com")])
    desk.delivery.answer { $0.address?.channel == .sms ? .refused(.optedOut) : .accepted }
    try await desk.raise()
    try await desk.settle()
    #expect(desk.told == ["ann@example.com"])
    let contact = try await desk.service.getContact(
      GetContactRequest(id: ann.id), context: desk.call())
    #expect(contact.addresses.map(\.hasOptedOut) == [true, false])
    // Until they want messages again.
    try await desk.take(
      ConsentChanged(key: "1", channel: .sms, address: "+12125550101", isWanted: true),
      by: desk.service.deliveryEvents, about: nil)
    desk.delivery.answer { _ in .accepted }
    try await desk.raise("fall/2")
    try await desk.settle()
    #expect(desk.told.last == "+12125550101")
  }

  /// 8
  @Test func anUnknownAnswerAndALateReceiptAreOneMessage() async throws {
    let desk = try await Desk()
    try await desk.add("ann", [.push("t1"), .email("ann@example.com")])
    desk.delivery.answer { $0.address?.channel == .push ? .unknown(true) : .accepted }
    let incident = try await desk.raise()
    try await desk.settle()
    try await desk.pass(.seconds(5))
    // The attempt again found that it had been handed over.
    #expect(desk.told == ["t1"])
    #expect(try await desk.get(incident.id).steps[0].state == .sent)
    let key = desk.delivery.sent[0].dedupeKey
    for _ in 0..<2 {
      try await desk.take(
        MessageChanged(dedupeKey: key, messageId: "m", state: .delivered),
        by: desk.service.deliveryEvents)
    }
    #expect(try await desk.events().count { $0 == "StepEnded" } == 1)
  }

  @Test func aMessageThatStaysInDoubtDoesNotHoldUpTheOthers() async throws {
    let desk = try await Desk()
    try await desk.add("ann", [.push("t1"), .email("ann@example.com")])
    desk.delivery.answer { $0.address?.channel == .push ? .unknown(false) : .accepted }
    let incident = try await desk.raise()
    try await desk.settle()
    try await desk.pass(.seconds(20))
    #expect(desk.told == ["ann@example.com"])
    let pushes = desk.delivery.calls.filter { $0.address?.channel == .push }
    #expect(Set(pushes.map(\.dedupeKey)).count == 1)
    try await desk.take(
      MessageChanged(dedupeKey: pushes[0].dedupeKey, messageId: "m", state: .handedOver),
      by: desk.service.deliveryEvents)
    #expect(try await desk.get(incident.id).steps[0].state == .sent)
  }

  /// 9
  @Test func whereAllChannelsFailTheOperatorIsTold() async throws {
    let desk = try await Desk()
    try await desk.add("ann", [.push("t1"), .email("ann@example.com")])
    desk.delivery.answer { _ in .refused(.addressGone) }
    let incident = try await desk.raise()
    try await desk.pass(.seconds(3600))
    #expect(try await desk.get(incident.id).state == .nobodyReached)
    #expect(
      try await desk.last(NobodyReached.self)
        == NobodyReached(incidentId: incident.id, kind: .fall, reason: "all_failed"))
    #expect(desk.delivery.calls.count == 2)
  }

  /// 10
  @Test func withoutContactsTheOperatorIsTold() async throws {
    let desk = try await Desk()
    let incident = try await desk.raise()
    #expect(incident.state == .nobodyReached)
    #expect(try await desk.last(NobodyReached.self)?.reason == "no_contacts")
    #expect(try await desk.due.nextDue() == nil)
  }

  /// 11
  @Test(arguments: [-3600, 3600]) func aWallClockThatIsSetMovesNothing(by seconds: Int) async throws
  {
    let desk = try await Desk()
    try await desk.add("ann")
    try await desk.add("bob")
    try await desk.raise()
    try await desk.settle()
    desk.step(wallBy: .seconds(seconds))
    try await desk.settle()
    try await desk.pass(.seconds(60))
    #expect(desk.told == ["ann@example.com"], "no resend, and none too early")
    // Also over a restart.
    desk.close()
    let next = try await Desk(after: desk)
    next.step(wallBy: .seconds(seconds))
    try await next.pass(.seconds(59))
    #expect(next.told == ["ann@example.com"])
    try await next.pass(.seconds(1))
    #expect(next.told == ["ann@example.com", "bob@example.com"])
  }

  /// 12
  @Test func twoProcessesSendEachStepOnce() async throws {
    let desk = try await Desk()
    for name in ["ann", "bob", "cem"] { try await desk.add(name) }
    let other = try await Desk(after: desk)
    for number in 0..<40 { try await desk.raise("fall/\(number)") }
    for _ in 0..<4 {
      async let first: Void = desk.settle()
      async let second: Void = other.settle()
      _ = try await (first, second)
      desk.wait(.seconds(120))
    }
    try await desk.settle()
    let keys = desk.delivery.calls.map(\.dedupeKey)
    #expect(Set(keys).count == keys.count)
    #expect(Set(desk.told) == ["ann@example.com", "bob@example.com", "cem@example.com"])
  }

  /// 13
  @Test func manyIncidentsAtOnceAreFairBetweenPeople() async throws {
    let desk = try await Desk()
    try await desk.add("loud", of: "loud")
    try await withThrowingTaskGroup { group in
      for number in 0..<2000 {
        group.addTask { _ = try await desk.raise("fall/\(number)", of: "loud") }
      }
      try await group.waitForAll()
    }
    desk.wait(.seconds(1))
    for number in 0..<20 {
      try await desk.add("quiet\(number)", of: "u\(number)")
      try await desk.raise("fall", of: "u\(number)")
    }
    try await desk.due.run()
    let first = desk.told
    #expect(first.count { $0.hasPrefix("quiet") } == 20, "nobody waits for one who has thousands")
    try await desk.settle()
    #expect(desk.told.count == 2020)
    #expect(Set(desk.delivery.calls.map(\.dedupeKey)).count == 2020)
  }

  @Test func aProviderThatStallsHoldsUpNobodyElse() async throws {
    let desk = try await Desk(waits: false)
    try await desk.add("ann")
    desk.delivery.hold()
    try await desk.raise()
    try await desk.settle()
    try await waitUntilTrue { desk.delivery.calls.count == 1 }
    try await desk.add("eve", of: "eve")
    try await desk.raise(of: "eve")
    try await desk.settle()
    try await waitUntilTrue { desk.delivery.calls.count == 2 }
    desk.delivery.release()
    try await waitUntilTrue { desk.told.count == 2 }
  }

  /// 14
  @Test func theFreePlanTellsOneContactOfAFall() async throws {
    let desk = try await Desk(settings: AlertsSettings(mostContacts: 1))
    try await desk.add("ann", [.sms("+12125550101")])
    try await desk.add("bob", [.sms("+12125550102"), .email("bob@example.com")])
    try await desk.add("cem")
    try await desk.raise()
    try await desk.pass(.seconds(3600))
    #expect(Set(desk.told) == ["bob@example.com"])
  }

  /// 15
  @Test func forgedAndExpiredLinksAreRefused() async throws {
    let desk = try await Desk(settings: Self.paid())
    try await desk.add("ann")
    let incident = try await desk.raise()
    try await desk.settle()
    let link = try desk.token(to: "ann@example.com")
    #expect(link.hasPrefix("https://kith.example/a/"))
    let token = String(link.dropFirst("https://kith.example/a/".count))
    for forged in ["", "x", token + "A", String(token.dropLast()), String(token.reversed())] {
      #expect(await code { try await desk.acknowledge(token: forged) } != nil)
    }
    for index in token.indices {
      var forged = token
      forged.replaceSubrange(index...index, with: token[index] == "A" ? "B" : "A")
      #expect(await code { try await desk.acknowledge(token: forged) } == .permissionDenied)
    }
    desk.wait(.seconds(86_400))
    #expect(await code { try await desk.acknowledge(token: token) } == .permissionDenied)
    #expect(try await desk.get(incident.id).state != .acknowledged)
  }

  /// 15
  @Test func aLinkCountsOnce() async throws {
    let desk = try await Desk()
    try await desk.add("ann")
    let incident = try await desk.raise()
    try await desk.settle()
    let token = try desk.token(to: "ann@example.com")
    let first = try await desk.acknowledge(token: token)
    #expect(first.isFirst && first.incident?.acknowledgedThrough == .link)
    #expect(try await desk.acknowledge(token: token).isFirst == false)
    #expect(
      try await desk.last(IncidentAcknowledged.self)?.dedupeKey == incident.dedupeKey)
    // It is told again, and the old link does not end that.
    try await desk.pass(.seconds(900))
    #expect(desk.told.count == 2)
    #expect(await code { try await desk.acknowledge(token: token) } == .permissionDenied)
    let newest = try desk.token(to: "ann@example.com")
    #expect(try await desk.acknowledge(token: newest).isFirst)
  }

  /// 16
  @Test func theLadderEndsAndAllHearThatNobodyAnswered() async throws {
    let desk = try await Desk()
    try await desk.add("ann")
    try await desk.add("bob")
    let incident = try await desk.raise()
    try await desk.pass(.seconds(86_400))
    #expect(desk.told.count == 3 * 2 + 2)
    #expect(try await desk.last(NobodyReached.self)?.reason == "no_answer")
    let ended = try await desk.get(incident.id)
    #expect(ended.state == .nobodyReached && ended.loopCount == 2)
    #expect(ended.steps.suffix(2).map(\.purpose) == [.nobodyAnswered, .nobodyAnswered])
    #expect(try await desk.due.nextDue() == nil)
  }

  /// 17
  @Test func onlyWhoWasToldHearsTheAllClear() async throws {
    let desk = try await Desk()
    for name in ["ann", "bob", "cem"] { try await desk.add(name) }
    let incident = try await desk.raise()
    try await desk.settle()
    try await desk.pass(.seconds(120))
    _ = try await desk.service.resolveIncident(
      ResolveIncidentRequest(id: incident.id, note: "She is well."), context: desk.call())
    try await desk.pass(.seconds(3600))
    #expect(desk.told.prefix(2) == ["ann@example.com", "bob@example.com"])
    #expect(desk.told.dropFirst(2).sorted() == ["ann@example.com", "bob@example.com"])
    #expect(desk.delivery.sent.last?.content?.title == "All clear")
    #expect(try await desk.last(IncidentResolved.self)?.allClearCount == 2)
  }

  // MARK: - Other workers

  @Test func aFallIsToldAndItsEndToo() async throws {
    let desk = try await Desk()
    try await desk.add("ann")
    let alerted = FallAlerted(
      caseId: "c1", atMs: Int64(desk.wall.milliseconds), cause: "no_answer",
      location: Location(latitude: 40.7, longitude: -74))
    for _ in 0..<2 { try await desk.take(alerted, by: desk.service.fallEvents) }
    try await desk.settle()
    let body = try #require(desk.delivery.sent.first?.content?.body)
    #expect(body.contains("A fall was detected at 3:05 PM"))
    #expect(!body.contains("openstreetmap"), "the place is for plans that have it")
    try await desk.take(
      FallResolved(caseId: "c1", resolution: .allClear, wasAlerted: true),
      by: desk.service.fallEvents)
    try await desk.settle()
    #expect(desk.told.count == 2)
    // Of a case that only expired nobody hears that all is well.
    try await desk.take(
      FallAlerted(caseId: "c2", atMs: Int64(desk.wall.milliseconds)), by: desk.service.fallEvents)
    try await desk.settle()
    try await desk.take(
      FallResolved(caseId: "c2", resolution: .expired), by: desk.service.fallEvents)
    try await desk.settle()
    #expect(desk.told.count == 3)
    // What happened long before the worker was there is no alert.
    try await desk.take(
      FallAlerted(caseId: "c3", atMs: 0), by: desk.service.fallEvents, ago: .seconds(90_000))
    try await desk.settle()
    #expect(desk.told.count == 3)
  }

  @Test func thePlanSharesThePlaceAndALowBattery() async throws {
    let desk = try await Desk(settings: AlertsSettings(sharePlace: true))
    try await desk.add("ann")
    try await desk.take(
      FallAlerted(
        caseId: "c1", atMs: Int64(desk.wall.milliseconds), battery: 0.07,
        location: Location(latitude: 40.712776, longitude: -74.005974)),
      by: desk.service.fallEvents)
    try await desk.settle()
    let body = try #require(desk.delivery.sent.first?.content?.body)
    #expect(body.contains("mlat=40.71278&mlon=-74.00597"))
    #expect(body.contains("Battery: 7%."))
  }

  @Test func aMissedMedicineIsToldUntilItIsDone() async throws {
    let desk = try await Desk()
    try await desk.add("ann")
    let due = Int64(desk.wall.milliseconds) - 3_600_000
    try await desk.take(
      ContactDue(key: "r1/\(due)/contact", reminderId: "r1", dueMs: due, text: "Blue pill"),
      by: desk.service.reminderEvents)
    try await desk.settle()
    let content = try #require(desk.delivery.sent.first?.content)
    #expect(content.body.contains("A medicine reminder at 2:05 PM"))
    #expect(!content.body.contains("Blue"), "the address is not known to be the contact's")
    #expect(desk.delivery.sent.first?.priority == .normal)
    try await desk.take(
      ReminderDone(reminderId: "r1", dueMs: due, isLate: true), by: desk.service.reminderEvents)
    try await desk.settle()
    #expect(desk.told.count == 2)
    #expect(desk.delivery.sent.last?.content?.title == "All clear")
  }

  @Test func aScamThatIsSharedIsTold() async throws {
    let desk = try await Desk()
    let ann = try await desk.add("ann")
    _ = try await desk.service.sendVerification(
      SendVerificationRequest(contactId: ann.id), context: desk.call())
    let sent = try #require(desk.delivery.sent.last)
    #expect(sent.retry == .byWorker)
    let code = try #require(
      sent.content?.body.split(separator: " ").first { $0.hasSuffix(".") && $0.count == 7 })
    _ = try await desk.service.verify(
      VerifyRequest(contactId: ann.id, code: String(code.dropLast())), context: desk.call())
    try await desk.raise("scam/1", .scamShared, summary: "“Gift cards” – asked for by SMS")
    try await desk.settle()
    let body = try #require(desk.delivery.sent.last?.content?.body)
    #expect(body.contains("\"Gift cards\" - asked for by SMS."))
    // No re-escalation of what is no safety.
    _ = try await desk.acknowledge(token: desk.token(to: "ann@example.com"))
    #expect(try await desk.due.nextDue() == nil)
  }

  @Test func aReplyAcknowledges() async throws {
    let desk = try await Desk(settings: Self.paid())
    try await desk.add("ann", [.sms("+12125550101")])
    let incident = try await desk.raise()
    try await desk.settle()
    let text = try #require(desk.delivery.sent.first?.content?.body)
    #expect(
      ShortText.segments(of: text) == 1 && text.hasSuffix("Reply OK if you are looking after it."))
    func reply(_ text: String, key: String = "", from: String = "+12125550101") async throws {
      try await desk.take(
        ReplyReceived(key: text, dedupeKey: key, channel: .sms, from: from, text: text),
        by: desk.service.deliveryEvents, about: nil)
    }
    try await reply("who is this?", key: desk.delivery.sent[0].dedupeKey)
    try await reply("ok", from: "+12125550199")
    #expect(try await desk.get(incident.id).state == .escalating)
    try await reply("Ok!", key: desk.delivery.sent[0].dedupeKey)
    let answered = try await desk.get(incident.id)
    #expect(answered.state == .acknowledged && answered.acknowledgedThrough == .smsReply)
    // By the number alone, where the key is that of another message.
    try await desk.raise("fall/2")
    try await desk.settle()
    try await reply("on my way", key: "unknown")
    #expect(try await desk.events().count { $0 == "IncidentAcknowledged" } == 2)
  }

  /// A timer run with nothing due reads an index and nothing else, however many are stored.
  @Test func whatIsDueIsReadOffAnIndex() async throws {
    let desk = try await Desk()
    let plans = try await desk.store.read { transaction in
      try [
        "SELECT min(next_due_ms) AS least FROM incident WHERE (next_due_ms IS NOT NULL) AND (TRUE)",
        "SELECT id FROM incident WHERE next_due_ms <= 5",
        "SELECT id FROM step WHERE delivery_key = 'a'",
        "SELECT * FROM incident WHERE user_id = 'a' AND dedupe_key = 'b'",
      ].map { (sql: SQLText) in
        let rows: [String] = try transaction.rows("EXPLAIN QUERY PLAN \(sql)").values(of: "detail")
        return rows.joined(separator: " ")
      }
    }
    for (plan, index) in zip(plans, ["incident_due", "incident_due", "step_key", "incident_key"]) {
      #expect(plan.hasPrefix("SEARCH") && plan.contains("INDEX \(index)"), "\(plan)")
    }
  }

  // MARK: - Who may

  @Test func onlyContactsAcknowledge() async throws {
    let desk = try await Desk()
    let ann = try await desk.add("ann", of: "ada", familyUser: "bob")
    let incident = try await desk.raise(of: "ada")
    try await desk.settle()
    func acknowledge(as user: String?) async -> StatusCode? {
      await code {
        try await desk.service.acknowledge(
          AcknowledgeRequest(incidentId: incident.id), context: desk.call(as: user))
      }
    }
    #expect(await acknowledge(as: "ada") == .permissionDenied)
    #expect(await acknowledge(as: "eve") == .notFound)
    #expect(await acknowledge(as: nil) == .permissionDenied)
    #expect(await acknowledge(as: "bob") == nil)
    let answered = try await desk.service.getIncident(
      GetIncidentRequest(id: incident.id), context: desk.call(as: "bob"))
    #expect(answered.acknowledgedBy == ann.id && answered.acknowledgedThrough == .app)
    #expect(
      await code {
        try await desk.service.getIncident(
          GetIncidentRequest(id: incident.id), context: desk.call(as: "eve"))
      } == .notFound)
    #expect(
      await code {
        try await desk.service.resolveIncident(
          ResolveIncidentRequest(id: incident.id), context: desk.call(as: "eve"))
      } == .notFound)
    #expect(
      await code {
        try await desk.service.raiseIncident(
          RaiseIncidentRequest(userId: "ada", dedupeKey: "x", kind: .fall),
          context: desk.call(as: "bob"))
      } == .permissionDenied)
  }

  @Test func wrongRequestsAreRefused() async throws {
    let desk = try await Desk()
    func raise(_ request: RaiseIncidentRequest) async -> StatusCode? {
      await code { try await desk.service.raiseIncident(request, context: desk.call()) }
    }
    #expect(await raise(.init(dedupeKey: "", kind: .fall)) == .invalidArgument)
    #expect(await raise(.init(dedupeKey: "a")) == .invalidArgument)
    #expect(
      await raise(.init(dedupeKey: String(repeating: "a", count: 129), kind: .fall))
        == .invalidArgument)
    #expect(
      await raise(
        .init(dedupeKey: "a", kind: .fall, summary: String(repeating: "a", count: 501)))
        == .invalidArgument)
    #expect(
      await raise(.init(dedupeKey: "a", kind: .fall, place: .init(latitude: 91, longitude: 0)))
        == .invalidArgument)
    #expect(await raise(.init(dedupeKey: "a", kind: .fall, battery: .nan)) == .invalidArgument)
    #expect(await code { try await desk.get("") } == .invalidArgument)
    #expect(await code { try await desk.get("nothing") } == .notFound)
  }

  @Test func incidentsComeInPages() async throws {
    let desk = try await Desk()
    for number in 0..<5 {
      try await desk.raise("k\(number)", .scamShared)
      desk.wait(.seconds(1))
    }
    var (seen, token): ([String], String) = ([], "")
    repeat {
      let page = try await desk.service.listIncidents(
        ListIncidentsRequest(pageSize: 2, pageToken: token), context: desk.call())
      seen += page.incidents.map(\.dedupeKey)
      #expect(page.incidents.filter { !$0.steps.isEmpty }.isEmpty)
      token = page.nextPageToken
    } while !token.isEmpty
    #expect(seen == ["k4", "k3", "k2", "k1", "k0"])
    let open = try await desk.service.listIncidents(
      ListIncidentsRequest(state: .escalating), context: desk.call())
    #expect(open.incidents.isEmpty)
  }

  @Test func anOutageOfTheDeliveryWorkerIsOutlasted() async throws {
    let desk = try await Desk()
    try await desk.add("ann")
    desk.delivery.answer { _ in .later(.unavailable) }
    let incident = try await desk.raise()
    try await desk.pass(.seconds(400))
    #expect(try await desk.get(incident.id).state == .escalating)
    desk.delivery.answer { _ in .accepted }
    try await desk.pass(.seconds(600))
    #expect(desk.told.first == "ann@example.com")
    // One whose connection broke is in doubt, and keeps its key.
    desk.delivery.answer { _ in .dead }
    try await desk.raise("fall/2")
    let calls = desk.delivery.calls.count
    try await desk.settle()
    try await desk.pass(.seconds(10))
    desk.delivery.answer { _ in .accepted }
    try await desk.pass(.seconds(60))
    let again = desk.delivery.calls.dropFirst(calls).filter { $0.collapseId != incident.id }
    #expect(again.count > 1)
    #expect(desk.told.last == "ann@example.com")
  }
}

/// Waits for something that another task does.
func waitUntilTrue(_ condition: () async throws -> Bool) async throws {
  while try await !condition() { try await Task.sleep(for: .milliseconds(2)) }
}
