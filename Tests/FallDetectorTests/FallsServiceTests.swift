import AlertsContract
import FallsContract
import KithAccess
import KithRPC
import KithStore
import KithTime
import KithWire
import Testing

@testable import FallDetectorService

/// The service over a real store. Numbers in names are those of the edge cases that falls are
/// accepted by.
@Suite struct FallsServiceTests {
  // MARK: The minute

  @Test func aCandidateAsksAndSilenceAlerts() async throws {
    let desk = try Desk()
    let answer = try await desk.report(.fallCandidate, "e1") { $0.accelG = 3.2 }
    let fallCase = try #require(answer.fallCase)
    #expect(fallCase.state == .awaitingConfirmation && fallCase.userId == "me")
    #expect(fallCase.deadlineMs == Int64(Desk.noon + 60) * 1000)
    #expect(!answer.isRepeat && fallCase.accelG == 3.2 && fallCase.candidateCount == 1)
    try await desk.pass(.seconds(61))
    let alerted = try await desk.get(fallCase.id)
    #expect(alerted.state == .alerted && alerted.alertedAtMs == Int64(Desk.noon + 60) * 1000)
    #expect(try await desk.events() == ["suspected at 0", "no_answer at 60"])
  }

  @Test(arguments: [
    (59.9, ["suspected at 0", "WEARER_OK at 59.9"]),
    (60.1, ["suspected at 0", "no_answer at 60.1", "ALL_CLEAR all-clear at 60.1"]),
  ])
  func case14TheAnswerAndTheDeadlineHaveOneOutcome(
    _ seconds: Double, _ expected: [String]
  ) async throws {
    for timerIsFirst in [true, false] {
      let desk = try Desk()
      try await desk.report(.fallCandidate, "e1")
      desk.tick(.milliseconds(Int64(seconds * 1000)))
      if timerIsFirst { try await desk.settle() }
      let closed = try await desk.answer(.ok)
      #expect(closed.state == .closed && closed.resolvedBy == "me")
      try await desk.pass(.seconds(600))
      #expect(try await desk.events() == expected)
    }
  }

  @Test func case14OneOfManyAnswersAndTheTimerAtOnce() async throws {
    for round in 0..<10 {
      let desk = try Desk()
      try await desk.report(.fallCandidate, "e1")
      desk.tick(.milliseconds(59_995 + round))
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<4 {
          group.addTask { _ = try await desk.answer(.ok) }
          group.addTask { try await desk.settle() }
        }
        group.addTask { desk.tick(.milliseconds(5)) }
        try await group.waitForAll()
      }
      let events = try await desk.events()
      #expect(events.count { $0.hasPrefix("no_answer") } <= 1)
      #expect(
        events.count { $0.hasPrefix("WEARER_OK") || $0.hasPrefix("ALL_CLEAR") } == 1, "\(events)")
    }
  }

  // MARK: Restarts and clocks

  @Test func case15ARestartAtSecondThirtyKeepsTheDeadline() async throws {
    let first = try Desk()
    try await first.report(.fallCandidate, "e1")
    try await first.pass(.seconds(30))
    let second = try Desk(beside: first)
    second.tick(.seconds(10))
    try await second.pass(.seconds(19))
    #expect(try await second.cases().first?.state == .awaitingConfirmation)
    try await second.pass(.seconds(1))
    #expect(try await second.events() == ["suspected at 0", "no_answer at 60"])
  }

  @Test(arguments: [3_600, -3_600])
  func case15AWallClockThatIsSetMovesNothing(_ step: Int) async throws {
    let desk = try Desk()
    let fallCase = try await desk.report(.fallCandidate, "e1").fallCase
    try await desk.pass(.seconds(30))
    desk.setWall(by: .seconds(step))
    try await desk.settle()
    // What the wall clock will show moves with it.
    let shown = try await desk.get(fallCase?.id ?? "")
    #expect(shown.deadlineMs == Int64(Desk.noon + 60 + step) * 1000)
    try await desk.pass(.milliseconds(29_999))
    #expect(try await desk.cases().first?.state == .awaitingConfirmation)
    try await desk.pass(.milliseconds(1))
    #expect(try await desk.events() == ["suspected at 0", "no_answer at \(60 + step)"])
  }

  @Test func case15ARebootGoesOnByTheWallClock() async throws {
    let first = try Desk()
    try await first.report(.fallCandidate, "e1")
    let rebooted = ClockReading(
      wall: Instant(seconds: Desk.noon + 45), sinceBoot: .seconds(7), boot: "two")
    let second = try Desk(beside: first, at: rebooted)
    try await second.settle()
    // From now on by the clock of this boot.
    second.setWall(by: .seconds(-3_600))
    try await second.pass(.seconds(14))
    #expect(try await second.events() == ["suspected at 0"])
    try await second.pass(.seconds(1))
    #expect(try await second.cases().first?.state == .alerted)
  }

  @Test func aClockThatBeginsAnewUnderItsNameIsNoticed() async throws {
    let first = try Desk()
    try await first.report(.fallCandidate, "e1")
    let again = ClockReading(
      wall: Instant(seconds: Desk.noon + 30), sinceBoot: .zero, boot: "one")
    let second = try Desk(beside: first, at: again)
    try await second.pass(.seconds(29))
    #expect(try await second.events() == ["suspected at 0"])
    try await second.pass(.seconds(2))
    #expect(try await second.events().last?.hasPrefix("no_answer") == true)
  }

  @Test func aLongDowntimeAlertsLateAndOnce() async throws {
    let first = try Desk()
    try await first.report(.fallCandidate, "e1")
    let second = try Desk(beside: first)
    second.tick(.seconds(3 * 86_400))
    try await second.pass(.seconds(10))
    #expect(try await second.events() == ["suspected at 0", "no_answer at 259200"])
  }

  @Test func aCaseIsForgottenAYearAfterItsEnd() async throws {
    let desk = try Desk(settings: try FallsSettings(expireAfter: .seconds(30 * 86_400)))
    try await desk.report(.fallCandidate, "first")
    try await desk.answer(.ok)
    desk.tick(.seconds(365 * 86_400))
    try await desk.settle()
    #expect(try await desk.cases().count == 1)
    try await desk.report(.fallConfirmed, "second")
    desk.tick(.seconds(86_400 + 3_600))
    try await desk.settle()
    let left = try await desk.cases()
    #expect(left.map(\.state) == [.alerted])
  }

  /// As during an upgrade: reports, answers and timers of both, over one store.
  @Test func twoWorkersOverOneStoreAlertEachCaseOnce() async throws {
    let first = try Desk()
    let second = try Desk(beside: first)
    for round in 0..<10 {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for wearer in 0..<6 {
          for desk in [first, second] {
            // The same event, sent to both.
            group.addTask { try await desk.report(.fallCandidate, "e\(round)", as: "w\(wearer)") }
          }
        }
        try await group.waitForAll()
      }
      for desk in [first, second] { desk.tick(.seconds(61)) }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for desk in [first, second] { group.addTask { try await desk.settle() } }
        group.addTask { _ = try await second.answer(.ok, as: "w0") }
        try await group.waitForAll()
      }
      for wearer in 1..<6 { try await first.answer(.ok, as: "w\(wearer)") }
      for desk in [first, second] { desk.tick(.seconds(121)) }
    }
    let events = try await first.events()
    #expect(events.count { $0.hasPrefix("suspected") } == 60)
    #expect(events.count { $0.hasPrefix("no_answer") } == 60)
    #expect(events.count { $0.hasPrefix("ALL_CLEAR") } == 60)
  }

  // MARK: Several reports

  @Test func case16ASecondCandidateJoinsTheFirst() async throws {
    let desk = try Desk()
    let first = try await desk.report(.fallCandidate, "e1") { $0.accelG = 2.9 }
    try await desk.pass(.seconds(10))
    let second = try await desk.report(.fallCandidate, "e2") { $0.accelG = 4.1 }
    #expect(second.fallCase?.id == first.fallCase?.id)
    #expect(second.fallCase?.candidateCount == 2 && second.fallCase?.accelG == 4.1)
    #expect(second.fallCase?.deadlineMs == first.fallCase?.deadlineMs)
    try await desk.pass(.seconds(55))
    try await desk.report(.fallCandidate, "e3")
    #expect(try await desk.events() == ["suspected at 0", "no_answer at 60"])
  }

  @Test func case17ALateOKIsAnAllClear() async throws {
    let desk = try Desk()
    try await desk.report(.fallCandidate, "e1")
    try await desk.pass(.seconds(300))
    let closed = try await desk.report(.resolved, "e2")
    #expect(closed.fallCase?.resolution == .allClear && closed.fallCase?.resolvedBy == "")
    #expect(
      try await desk.events()
        == ["suspected at 0", "no_answer at 60", "ALL_CLEAR all-clear at 300"])
    // Somebody who answers what is closed changes nothing.
    let again = try await desk.answer(.ok, closed.fallCase?.id ?? "")
    #expect(again == (try await desk.get(again.id)) && again.resolution == .allClear)
    #expect(try await desk.answer(.ok).id == again.id)
  }

  @Test func case18ABatteryThatDiesIsSilenceAndSilenceAlerts() async throws {
    let desk = try Desk()
    try await desk.report(.fallCandidate, "e1") { $0.battery = 0.01 }
    try await desk.pass(.seconds(90))
    let alerted = try await desk.cases().first
    #expect(alerted?.state == .alerted && alerted?.battery == 0.01)
  }

  @Test func whatIsCertainAlertsAtOnce() async throws {
    let desk = try Desk()
    try await desk.report(.fallCandidate, "e1")
    try await desk.pass(.seconds(5))
    try await desk.report(.fallConfirmed, "e2")
    #expect(try await desk.events() == ["suspected at 0", "device_confirmed at 5"])
    try await desk.report(.fallConfirmed, "e3", as: "bob")
    try await desk.answer(.needHelp, as: "cleo")
    #expect(
      try await desk.events().suffix(2) == ["device_confirmed at 5", "need_help at 5"])
  }

  @Test func aFallAfterAnAcknowledgedAlertIsAnother() async throws {
    let desk = try Desk()
    let first = try await desk.report(.fallConfirmed, "e1").fallCase
    try await acknowledge(desk, first?.id ?? "", by: "contact-1")
    let second = try await desk.report(.fallConfirmed, "e2").fallCase
    #expect(second?.id != first?.id && second?.state == .alerted)
    // "I'm OK" ends both.
    try await desk.answer(.ok)
    #expect(try await desk.cases().allSatisfy { $0.state == .closed })
  }

  @Test func aCandidateRightAfterAnAnswerOpensNothing() async throws {
    let desk = try Desk()
    try await desk.report(.fallCandidate, "e1")
    try await desk.answer(.ok)
    try await desk.pass(.seconds(119))
    #expect(try await desk.report(.fallCandidate, "e2").fallCase == nil)
    // What is certain does.
    #expect(try await desk.report(.fallConfirmed, "e3").fallCase?.state == .alerted)
    try await desk.answer(.ok)
    try await desk.pass(.seconds(121))
    #expect(try await desk.report(.fallCandidate, "e4").fallCase != nil)
  }

  @Test func anAlertThatNobodyClosesExpiresAfterADay() async throws {
    let desk = try Desk()
    let fallCase = try await desk.report(.fallConfirmed, "e1").fallCase
    try await desk.pass(.seconds(86_401))
    let expired = try await desk.get(fallCase?.id ?? "")
    #expect(expired.resolution == .expired && expired.resolvedBy == "")
    #expect(
      try await desk.events() == ["device_confirmed at 0", "EXPIRED all-clear at 86400"])
  }

  // MARK: Repeats

  @Test func aReportThatComesAgainHasNoFurtherEffect() async throws {
    let desk = try Desk()
    let first = try await desk.report(.fallCandidate, "e1")
    try await desk.pass(.seconds(20))
    var again = try await Desk(beside: desk).report(.fallCandidate, "e1") { $0.accelG = 9 }
    #expect(again.isRepeat)
    again.isRepeat = false
    #expect(again == first)
    #expect(try await desk.get(first.fallCase?.id ?? "").candidateCount == 1)
    // The same name from somebody else is another event.
    #expect(try await !desk.report(.fallCandidate, "e1", as: "bob").isRepeat)
  }

  @Test func idsAreForgottenAfterTheirTime() async throws {
    let desk = try Desk()
    try await desk.report(.fallConfirmed, "e1")
    try await desk.pass(.seconds(6 * 86_400))
    #expect(try await desk.report(.fallConfirmed, "e1").isRepeat)
    try await desk.pass(.seconds(2 * 86_400))
    let kept = try await desk.store.read { transaction in
      try transaction.count(of: StoredReport.self, under: CaseLedger.ownGrant)
    }
    #expect(kept == 0)
    #expect(try await !desk.report(.fallConfirmed, "e1").isRepeat)
  }

  // MARK: What is refused

  private static let refused: [(String, @Sendable (inout ReportRequest) -> Void)] = [
    ("event_id", { $0.eventId = "" }),
    ("event_id", { $0.eventId = .init(repeating: "e", count: 65) }),
    ("type", { $0.type = .unspecified }), ("type", { $0.type = .init(rawValue: 77) }),
    ("accel_g", { $0.accelG = -0.1 }), ("accel_g", { $0.accelG = 32.1 }),
    ("accel_g", { $0.accelG = .nan }), ("inactive_secs", { $0.inactiveSecs = 3600.5 }),
    ("inactive_secs", { $0.inactiveSecs = -1 }), ("battery", { $0.battery = 1.01 }),
    ("battery", { $0.battery = .infinity }), ("at_ms", { $0.atMs = -1 }),
    ("location.latitude", { $0.location = Location(latitude: 91) }),
    ("location.longitude", { $0.location = Location(longitude: -181) }),
    ("location.accuracy_m", { $0.location = Location(accuracyM: .nan) }),
  ]

  @Test(arguments: refused)
  func whatADeviceCannotMeanIsRefusedByField(
    _ field: String, _ change: @Sendable (inout ReportRequest) -> Void
  ) async throws {
    let desk = try Desk()
    let error = await refusal { try await desk.report(.fallCandidate, "e1", change) }
    #expect(error?.code == .invalidArgument && error?.fieldViolations.map(\.field) == [field])
    #expect(error?.message.contains("expected") == true)
    #expect(try await desk.cases().isEmpty)
  }

  @Test func theBoundsThemselvesAreTaken() async throws {
    let desk = try Desk()
    for (number, accelG) in [0.0, 32].enumerated() {
      try await desk.report(.fallCandidate, "e\(number)") {
        $0.accelG = accelG
        $0.inactiveSecs = 3600 * Double(number)
        $0.battery = Double(number)
        $0.location = Location(latitude: 90, longitude: -180, accuracyM: 0)
      }
    }
  }

  @Test func aDevicesClockDoesNotRunBackWithinACase() async throws {
    let desk = try Desk()
    try await desk.report(.fallCandidate, "e1") { $0.atMs = 5_000 }
    // A "resolved" of before the fall must not end it.
    for type in [EventType.resolved, .fallCandidate] {
      let error = await refusal { try await desk.report(type, "old") { $0.atMs = 4_999 } }
      #expect(error?.code == .invalidArgument)
      #expect(error?.fieldViolations.map(\.field) == ["at_ms"])
    }
    try await desk.report(.resolved, "e2") { $0.atMs = 5_000 }
    // A clock that was set back is no reason to miss the next fall.
    try await desk.pass(.seconds(121))
    try await desk.report(.fallCandidate, "e3") { $0.atMs = 1_000 }
    #expect(try await desk.cases().count == 2)
  }

  @Test func anAnswerThatSaysNothingIsRefused() async throws {
    let desk = try Desk()
    #expect(await refusal { try await desk.answer(.unspecified) }?.code == .invalidArgument)
    #expect(await refusal { try await desk.answer(.ok) }?.code == .failedPrecondition)
    #expect(await refusal { try await desk.answer(.ok, "nothing") }?.code == .notFound)
  }

  // MARK: Whose

  @Test func strangersSeeNothingAndFamilyWhatTheirLinkOpens() async throws {
    let desk = try Desk()
    let fallCase = try await desk.report(.fallCandidate, "e1", as: "ada").fallCase
    let id = try #require(fallCase?.id)
    #expect(await refusal { try await desk.get(id, as: "bob") }?.code == .notFound)
    try await desk.store.write { transaction in
      for (family, role) in [("bob", "viewer"), ("cleo", "caregiver")] {
        try transaction.execute(
          "INSERT INTO kith_family_link (senior, family, role) VALUES ('ada', \(family), \(role))")
      }
    }
    #expect(try await desk.get(id, as: "bob").id == id)
    #expect(await refusal { try await desk.answer(.ok, id, as: "bob") }?.code == .permissionDenied)
    #expect(await refusal { try await desk.cases(as: "bob") } == nil)
    #expect(try await desk.cases(as: "bob").isEmpty)
    let answered = try await desk.answer(.ok, id, as: "cleo")
    #expect(answered.resolution == .wearerOk && answered.resolvedBy == "cleo")
    let other = await refusal {
      try await desk.report(.fallCandidate, "e2", as: "bob") { $0.userId = "ada" }
    }
    #expect(other?.code == .permissionDenied)
  }

  @Test func casesComeAPageAtATimeTheLatestFirst() async throws {
    let desk = try Desk()
    for number in 0..<5 {
      try await desk.report(.fallCandidate, "e\(number)")
      try await desk.answer(.ok)
      try await desk.pass(.seconds(200))
    }
    var (token, found): (String, [FallCase]) = ("", [])
    repeat {
      let page = try await desk.service.listCases(
        ListCasesRequest(pageSize: 2, pageToken: token), context: desk.call())
      found += page.cases
      token = page.nextPageToken
    } while !token.isEmpty
    #expect(found.map(\.openedAtMs) == found.map(\.openedAtMs).sorted(by: >) && found.count == 5)
    let open = try await desk.service.listCases(
      ListCasesRequest(state: .alerted), context: desk.call())
    #expect(open.cases.isEmpty)
    for (field, request) in [
      ("page_size", ListCasesRequest(pageSize: 201)),
      ("page_token", ListCasesRequest(pageToken: "x")),
    ] {
      let error = await refusal {
        try await desk.service.listCases(request, context: desk.call())
      }
      #expect(error?.fieldViolations.map(\.field) == [field])
    }
  }

  // MARK: Places and acknowledgements

  @Test(arguments: [true, false])
  func aPlaceIsKeptWhereThatIsPermitted(_ keeps: Bool) async throws {
    let desk = try Desk(settings: try FallsSettings(keepsLocation: keeps))
    let place = Location(latitude: 52.5, longitude: 13.4)
    let answer = try await desk.report(.fallConfirmed, "e1") { $0.location = place }
    #expect(answer.fallCase?.location == (keeps ? place : nil))
    let page = try await desk.store.read { try $0.events(after: EventPosition()) }
    let alerted = try FallAlerted(decoding: try #require(page.events.first).payload)
    #expect(alerted.location == (keeps ? place : nil))
    let rows = try await desk.store.read { transaction in
      try transaction.count(
        of: StoredCase.self, where: "location_sealed IS NOT NULL", under: CaseLedger.ownGrant)
    }
    #expect(rows == (keeps ? 1 : 0))
  }

  private func acknowledge(
    _ desk: Desk, _ id: String, by contact: String, key: String? = nil
  ) async throws {
    let message = IncidentAcknowledged(
      incidentId: "i1", dedupeKey: key ?? "fall/\(id)", contactId: contact, atMs: 1_000)
    let payload = try message.encoded()
    try await desk.store.write { transaction in
      try Acknowledgements().apply(
        LoggedEvent(
          sequence: 1, type: IncidentAcknowledged.fullName, atMilliseconds: 2_000, user: nil,
          traceparent: "", payload: payload), in: transaction)
    }
  }

  @Test func theFirstAcknowledgementIsKept() async throws {
    let desk = try Desk()
    let id = try await desk.report(.fallConfirmed, "e1").fallCase?.id ?? ""
    try await acknowledge(desk, id, by: "other", key: "reminder/\(id)")
    try await acknowledge(desk, "nothing", by: "other")
    #expect(try await desk.get(id).ackAtMs == nil)
    try await acknowledge(desk, id, by: "contact-1")
    try await acknowledge(desk, id, by: "contact-2")
    let fallCase = try await desk.get(id)
    #expect(fallCase.ackAtMs == 1_000 && fallCase.ackBy == "contact-1")
    #expect(fallCase.state == .alerted)
  }

  @Test func aFallAfterContactsHaveEndedTheirIncidentIsAnother() async throws {
    let desk = try Desk()
    let first = try await desk.report(.fallConfirmed, "e1").fallCase
    let message = IncidentResolved(
      incidentId: "i1", dedupeKey: "fall/\(first?.id ?? "")", atMs: 1_000)
    let payload = try message.encoded()
    try await desk.store.write { transaction in
      try Acknowledgements().apply(
        LoggedEvent(
          sequence: 1, type: IncidentResolved.fullName, atMilliseconds: 2_000, user: nil,
          traceparent: "", payload: payload), in: transaction)
    }
    try await desk.pass(.seconds(60))
    let second = try await desk.report(.fallConfirmed, "e2").fallCase
    #expect(second?.state == .alerted && second?.id != first?.id)
    #expect(try await desk.events() == ["device_confirmed at 0", "device_confirmed at 60"])
  }

  @Test func aResolvedFromBeforeTheFallEndsNothing() async throws {
    let desk = try Desk()
    try await desk.report(.fallCandidate, "e1")
    let before = Int64(Desk.noon - 3_600) * 1_000
    let refused = await refusal {
      try await desk.report(.resolved, "e2") { $0.atMs = before }
    }
    #expect(refused?.code == .invalidArgument)
    #expect(try await desk.cases().map(\.state) == [.awaitingConfirmation])
    // The word that it is a fall is heard whatever the device's clock shows.
    try await desk.report(.fallConfirmed, "e3") { $0.atMs = before }
    #expect(try await desk.cases().map(\.state) == [.alerted])
  }

  @Test func aCaseThatCannotBeReadHoldsUpNoOther() async throws {
    let desk = try Desk()
    let id = try await desk.report(.fallCandidate, "e1", as: "ada").fallCase?.id ?? ""
    try await desk.report(.fallCandidate, "e2", as: "bob")
    try await desk.store.write { transaction in
      try transaction.execute("UPDATE fall_case SET cause = 'x' WHERE id = \(id)")
    }
    try await desk.pass(.seconds(61))
    #expect(desk.unreadable == [id])
    #expect(try await desk.cases(as: "bob").first?.state == .alerted)
  }

  // MARK: Sampling

  @Test func appsAreToldWhatToSampleAndWhy() async throws {
    func policy(_ settings: FallsSettings, _ battery: Double?) async throws -> SamplingPolicy {
      let desk = try Desk(settings: settings)
      return try await desk.service.getSamplingPolicy(
        GetSamplingPolicyRequest(placement: .wrist, battery: battery), context: desk.call())
    }
    let full = try await policy(FallsSettings(), 0.9)
    #expect(full.mode == .continuous && full.rateHz == 50 && full.rangeG == 16)
    #expect(full.confirmWithinMs == 60_000 && full.reason.contains("impact"))
    let low = try await policy(FallsSettings(), 0.1)
    #expect(low.mode == .bursts && low.burstMs == 3_000 && low.burstEveryMs == 10_000)
    #expect(low.rateHz == 10 && low.reason.contains("battery"))
    #expect(try await policy(FallsSettings(sampling: "bursts"), nil).mode == .bursts)
    #expect(try await policy(FallsSettings(sampling: "events"), nil).mode == .events)
    #expect(await refusal { try await policy(FallsSettings(), 2) }?.code == .invalidArgument)
    #expect(throws: RPCError.self) { try FallsSettings(sampling: "always") }
  }
}
