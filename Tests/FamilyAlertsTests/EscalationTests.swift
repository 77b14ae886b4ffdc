import KithTime
import Testing

@testable import FamilyAlertsDomain
@testable import FamilyAlertsService

/// The escalation as a state machine, without a store. Numbers in names are those of the edge cases
/// of family alerts.
@Suite struct EscalationTests {
  /// A ladder that a test climbs by hand.
  struct Climb {
    var escalation: Escalation
    var plan: EscalationPlan
    var now = Instant(milliseconds: 1_000_000)
    var events: [EscalationEvent] = []

    init(
      _ contacts: [Recipient], kind: AlertKind = .fall,
      policy: EscalationPolicy = EscalationPolicy()
    ) {
      plan = EscalationPlan(policy, for: kind, contacts: contacts)
      (escalation, events) = Escalation.opened(kind, at: now, plan: plan)
    }

    /// Claims what is due.
    mutating func claim() -> [LadderStep] {
      escalation.claim(at: now, token: "t", lasting: .seconds(15))
    }

    mutating func finish(_ number: Int, _ outcome: StepOutcome) {
      events += escalation.finish(
        number, token: "t", outcome, at: now, jitter: 1, plan: plan)
    }

    /// Goes to what is due next, and sends it.
    /// - Returns: what was sent: `0:ann push`, with the seconds since the begin.
    mutating func pass(_ outcome: StepOutcome = .accepted) -> [String] {
      guard let due = escalation.nextDue else { return [] }
      now = max(now, due)
      events += escalation.advance(to: now, plan: plan)
      return claim().map { step in
        finish(step.number, outcome)
        return
          "\((now.milliseconds - 1_000_000) / 1000):\(step.contact) \(step.route.channel.rawValue)"
          + (step.purpose == .alert ? "" : " \(step.purpose.rawValue)")
      }
    }

    mutating func acknowledge(_ contact: String) -> Bool {
      escalation.acknowledge(by: contact, through: .link, at: now, plan: plan)
    }

    mutating func resolve() -> Bool { escalation.resolve(at: now, plan: plan) }

    /// Goes on until nothing is due any more.
    mutating func passAll(_ outcome: StepOutcome = .accepted) -> [String] {
      var sent: [String] = []
      for _ in 0..<1000 where escalation.nextDue != nil { sent += pass(outcome) }
      return sent
    }
  }

  static func contact(
    _ name: String, _ channels: [ContactChannel], quiet: QuietWindow? = nil
  ) -> Recipient {
    Recipient(
      id: name,
      routes: channels.enumerated().map {
        Route(address: "\(name)\($0.offset)", channel: $0.element)
      },
      quietHours: quiet)
  }

  private static let three = [
    contact("ann", [.push, .email]), contact("bob", [.push]), contact("cem", [.email]),
  ]

  // MARK: - The ladder

  @Test func delaysCountFromWhenTheStepBeforeWasSent() {
    var climb = Climb(Self.three)
    #expect(climb.pass() == ["0:ann push"])
    // Two minutes after it was sent.
    #expect(climb.escalation.nextDue == climb.now + .seconds(120))
    #expect(climb.pass() == ["120:ann email", "120:bob push"])
    // The third waits for the later of the two.
    #expect(climb.pass() == ["420:cem email"])
    #expect(climb.pass() == ["720:ann push"])
  }

  @Test func aLateSendMovesTheNextStep() {
    var climb = Climb(Self.three)
    climb.now = climb.now + .seconds(100)
    #expect(climb.claim().count == 1)
    climb.now = climb.now + .seconds(7)
    climb.finish(0, .accepted)
    #expect(climb.escalation.nextDue == climb.now + .seconds(120))
  }

  /// 16
  @Test func loopsAreBoundedAndNobodyReachedIsToldToAll() {
    var climb = Climb(Self.three)
    let sent = climb.passAll()
    #expect(sent.count == 3 * 4 + 3)
    #expect(sent.suffix(3).allSatisfy { $0.hasSuffix("nobody_answered") })
    #expect(Set(sent.suffix(3).map { $0.split(separator: " ")[0] }).count == 3)
    #expect(climb.escalation.state == .nobodyReached)
    #expect(climb.events.contains(.nobodyReached(.noAnswer)))
    #expect(climb.escalation.nextDue == nil)
    for repeats in [-1, 0, 3, 100] {
      var climb = Climb(Self.three, policy: EscalationPolicy(repeats: repeats))
      #expect(climb.passAll().count == (min(max(repeats, 0), 3) + 1) * 4 + 3)
    }
  }

  @Test func oneContactWithOneChannelIsToldAgain() {
    var climb = Climb([Self.contact("ann", [.email])])
    #expect(
      climb.passAll() == [
        "0:ann email", "300:ann email", "600:ann email", "900:ann email nobody_answered",
      ])
  }

  /// 10
  @Test func withoutContactsTheOperatorIsTold() {
    var climb = Climb([])
    #expect(climb.escalation.state == .nobodyReached)
    #expect(climb.events == [.nobodyReached(.noContacts)])
    #expect(climb.passAll() == [])
  }

  // MARK: - Failures

  /// 7
  @Test func whoHasOptedOutIsToldByTheNextChannelAtOnce() {
    var climb = Climb([Self.contact("ann", [.sms, .email])], policy: .init(allowsSMS: true))
    #expect(climb.claim().map(\.route.channel) == [.sms])
    climb.finish(0, .refused("opted_out"))
    #expect(climb.escalation.nextDue == climb.now)
    #expect(climb.claim().map(\.route.channel) == [.email])
  }

  @Test func aStageThatFailsIsFollowedAtOnce() {
    var climb = Climb([Self.contact("ann", [.push]), Self.contact("bob", [.email])])
    #expect(climb.pass(.refused("gone")) == ["0:ann push"])
    #expect(climb.pass() == ["0:bob email"])
  }

  /// 9
  @Test func whereAllChannelsFailTheOperatorIsTold() {
    var climb = Climb(Self.three)
    let sent = climb.passAll(.refused("gone"))
    // Another round would fail for the same reasons.
    #expect(Set(sent) == ["0:ann push", "0:ann email", "0:bob push", "0:cem email"])
    #expect(sent.count == 4)
    #expect(climb.events.contains(.nobodyReached(.allFailed)))
    #expect(climb.escalation.state == .nobodyReached)
  }

  @Test func anOutageIsOutlasted() {
    var climb = Climb([Self.contact("ann", [.email])])
    var attempts = 0
    // The provider is away for six minutes.
    while climb.now < Instant(milliseconds: 1_360_000) {
      attempts += climb.pass(.later("unavailable")).count
    }
    #expect((5...15).contains(attempts))
    #expect(climb.pass().first?.hasSuffix("ann email") == true)
    #expect(climb.escalation.told == ["ann"])
  }

  @Test func pausesGrowWithFullJitter() {
    #expect(Escalation.pause(afterAttempts: 1, jitter: 1) == .seconds(2))
    #expect(Escalation.pause(afterAttempts: 3, jitter: 0.5) == .seconds(4))
    #expect(Escalation.pause(afterAttempts: 100, jitter: 1) == .seconds(60))
    #expect(Escalation.pause(afterAttempts: 4, jitter: 0) == .zero)
    #expect(Escalation.pause(afterAttempts: 4, jitter: 7) == .seconds(16))
  }

  /// 8
  @Test func anAnswerThatComesLateCountsOnce() {
    var climb = Climb([Self.contact("ann", [.push, .email])])
    #expect(climb.claim().count == 1)
    climb.finish(0, .unknown)
    // The same step is attempted again within the time of doubt, under the same key.
    let key = DeliveryKey.text(incident: "i", step: climb.escalation.steps[0])
    #expect(climb.pass(.unknown) == ["2:ann push"])
    #expect(DeliveryKey.text(incident: "i", step: climb.escalation.steps[0]) == key)
    while climb.escalation.steps[0].isOpen { _ = climb.pass(.unknown) }
    // After 20 s the ladder goes on by mail.
    #expect(climb.now <= Instant(milliseconds: 1_020_000))
    #expect(climb.escalation.steps[1].route.channel == .email)
    climb.finish(1, .accepted)
    climb.events += climb.escalation.noteDelivery(0, .accepted, at: climb.now, plan: climb.plan)
    climb.events += climb.escalation.noteDelivery(0, .accepted, at: climb.now, plan: climb.plan)
    #expect(climb.escalation.steps[0].state == .sent)
    #expect(climb.events.count { $0 == .stepEnded(0) } == 2, "failed, then sent after all")
    #expect(climb.escalation.told == ["ann"])
  }

  @Test func aReceiptThatSaysUndeliverableBringsTheNextChannel() {
    var climb = Climb(Self.three)
    _ = climb.pass()
    _ = climb.escalation.noteDelivery(0, .refused("gone"), at: climb.now, plan: climb.plan)
    // Nobody has been told now, so that the second contact does not wait either.
    #expect(climb.pass() == ["0:ann email", "0:bob push"])
    #expect(climb.escalation.steps.count { $0.contact == "ann" && $0.loop == 0 } == 2)
  }

  // MARK: - Acknowledging and resolving

  /// 1
  @Test func anAcknowledgementBetweenClaimAndSendLetsOneGoOut() {
    var climb = Climb(Self.three)
    _ = climb.pass()
    climb.now = climb.now + .seconds(120)
    let claimed = climb.claim()
    #expect(claimed.count == 2)
    #expect(climb.acknowledge("ann") == true)
    #expect(climb.claim() == [])
    climb.finish(claimed[0].number, .accepted)
    // One that failed is not attempted again.
    climb.finish(claimed[1].number, .later("busy"))
    #expect(climb.escalation.steps[claimed[1].number].state == .cancelled)
    climb.now = climb.now + .seconds(600)
    #expect(climb.claim() == [])
  }

  @Test func aFallIsToldAgainUnlessItIsResolved() {
    var climb = Climb(Self.three)
    _ = climb.pass()
    _ = climb.escalation.acknowledge(by: "ann", through: .app, at: climb.now, plan: climb.plan)
    #expect(climb.pass() == ["900:ann push"])
    #expect(climb.escalation.state == .escalating)
    #expect(climb.escalation.generation == 1)
    // Whoever answers each time is not told for ever.
    var generations = 1
    while climb.escalation.acknowledge(by: "ann", through: .app, at: climb.now, plan: climb.plan),
      climb.escalation.nextDue != nil, generations < 10
    {
      _ = climb.pass()
      generations += 1
    }
    #expect(generations == EscalationPolicy.mostGenerations)
    #expect(climb.escalation.state == .acknowledged && climb.escalation.nextDue == nil)
    // Not so what is no safety.
    climb = Climb(Self.three, kind: .missedReminder)
    _ = climb.pass()
    _ = climb.escalation.acknowledge(by: "ann", through: .app, at: climb.now, plan: climb.plan)
    #expect(climb.escalation.nextDue == nil)
  }

  /// 2
  @Test func resolvingBeatsALateAcknowledgement() {
    var climb = Climb(Self.three)
    _ = climb.pass()
    #expect(climb.resolve() == true)
    let resolved = climb.escalation
    #expect(climb.acknowledge("ann") == false)
    #expect(climb.escalation == resolved)
    #expect(climb.resolve() == false)
  }

  /// 17
  @Test func onlyWhoWasToldHearsTheAllClear() {
    var climb = Climb(Self.three)
    _ = climb.pass()
    _ = climb.pass()
    _ = climb.escalation.resolve(at: climb.now, plan: climb.plan)
    #expect(climb.escalation.allClearCount == 2)
    #expect(climb.passAll().sorted() == ["120:ann email all_clear", "120:bob push all_clear"])
    #expect(climb.escalation.steps.last?.state == .sent)
    // Nobody was told of one that ended before.
    var silent = Climb(Self.three)
    _ = silent.escalation.resolve(at: silent.now, plan: silent.plan)
    #expect(silent.passAll() == [])
  }

  @Test func whoIsToldAfterTheEndHearsTheAllClearToo() {
    var climb = Climb(Self.three)
    #expect(climb.claim().count == 1)
    _ = climb.escalation.resolve(at: climb.now, plan: climb.plan)
    #expect(climb.claim() == [])
    climb.finish(0, .accepted)
    #expect(climb.pass() == ["0:ann push all_clear"])
  }

  @Test func nobodyReachedCanStillBeAcknowledged() {
    var climb = Climb(Self.three)
    while climb.escalation.state == .escalating { _ = climb.pass(.accepted) }
    #expect(climb.acknowledge("cem") == true)
    #expect(climb.escalation.state == .acknowledged)
  }

  /// 5
  @Test func aContactThatIsRemovedGetsNothingMore() {
    var climb = Climb(Self.three)
    _ = climb.pass()
    climb.plan = EscalationPlan(
      climb.plan.policy, for: .fall, contacts: Array(Self.three.dropFirst(2)))
    _ = climb.escalation.drop(contact: "ann", at: climb.now, plan: climb.plan)
    _ = climb.escalation.drop(contact: "bob", at: climb.now, plan: climb.plan)
    let sent = climb.passAll()
    #expect(!sent.isEmpty && sent.allSatisfy { $0.contains("cem") })
    _ = climb.escalation.resolve(at: climb.now, plan: climb.plan)
    #expect(climb.passAll().filter { !$0.contains("cem") } == [])
  }

  // MARK: - Plans and quiet hours

  /// 14
  @Test func aFallReachesOneContactWhateverThePlan() {
    let free = EscalationPolicy(mostContacts: 1)
    // Who has a free channel is told where the first has none.
    var climb = Climb(
      [Self.contact("ann", [.sms]), Self.contact("bob", [.sms, .email])], policy: free)
    #expect(climb.pass() == ["0:bob email"])
    // By text message where nobody has another channel.
    climb = Climb([Self.contact("ann", [.sms])], policy: free)
    #expect(climb.pass() == ["0:ann sms"])
    climb = Climb([Self.contact("ann", [.sms])], kind: .scamShared, policy: free)
    #expect(climb.events == [.nobodyReached(.noContacts)])
    // The plan adds a text message to the first one.
    climb = Climb(
      [Self.contact("ann", [.push, .sms])], policy: EscalationPolicy(allowsSMS: true))
    #expect(climb.pass() == ["0:ann push", "0:ann sms"])
  }

  @Test func safetyIgnoresQuietHours() {
    let night = QuietWindow(
      from: CivilTime(secondOfDay: 0), to: CivilTime(secondOfDay: 7 * 3600), zone: .utc)
    let contacts = [Self.contact("ann", [.push], quiet: night)]
    // 00:16:40 in UTC.
    var climb = Climb(contacts)
    #expect(climb.pass() == ["0:ann push"])
    climb = Climb(contacts, kind: .missedReminder)
    #expect(climb.pass() == ["24200:ann push"])
    #expect(night.end(after: Instant(seconds: 7 * 3600)) == nil)
    let over = QuietWindow(
      from: CivilTime(secondOfDay: 22 * 3600), to: CivilTime(secondOfDay: 7 * 3600), zone: .utc)
    #expect(over.end(after: Instant(seconds: 23 * 3600)) == Instant(seconds: 31 * 3600))
  }

  // MARK: - Random sequences

  /// Whatever happens in whatever order: nothing is claimed after an acknowledgement, no step is
  /// told twice, the all-clear goes only to those who were told, and it ends.
  @Test(arguments: 0..<400) func invariantsHoldInRandomSequences(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let kind = AlertKind.allCases.randomElement(using: &random) ?? .fall
    let contacts = (0..<Int.random(in: 0...5, using: &random)).map { number in
      Self.contact(
        "c\(number)",
        (0..<Int.random(in: 1...3, using: &random)).map { _ in
          ContactChannel.allCases.randomElement(using: &random) ?? .push
        })
    }
    var climb = Climb(
      contacts, kind: kind,
      policy: EscalationPolicy(
        repeats: .random(in: 0...3, using: &random),
        mostContacts: .random(in: 1...5, using: &random),
        allowsSMS: .random(using: &random)))
    var flying: [LadderStep] = []
    var accepted: [Int: Int] = [:]
    var acknowledgements = 0
    for turn in 0..<300 {
      let before = climb.escalation
      switch Int.random(in: 0..<20, using: &random) {
      case 0 where acknowledgements < 3:
        let contact = climb.plan.recipients.randomElement(using: &random)?.id ?? "x"
        if climb.escalation.acknowledge(
          by: contact, through: .link, at: climb.now, plan: climb.plan)
        {
          acknowledgements += 1
        }
      case 1 where turn > 200: _ = climb.escalation.resolve(at: climb.now, plan: climb.plan)
      case 2:
        let gone = climb.plan.recipients.randomElement(using: &random)?.id
        climb.plan = EscalationPlan(
          climb.plan.policy, for: kind, contacts: climb.plan.recipients.filter { $0.id != gone })
        if let gone { _ = climb.escalation.drop(contact: gone, at: climb.now, plan: climb.plan) }
      case 3 where !climb.escalation.steps.isEmpty:
        let number = Int.random(in: 0..<climb.escalation.steps.count, using: &random)
        if climb.escalation.steps[number].attempts > 0 {
          _ = climb.escalation.noteDelivery(
            number, Bool.random(using: &random) ? .accepted : .refused("late"), at: climb.now,
            plan: climb.plan)
        }
      case 4..<10:
        climb.now =
          climb.escalation.nextDue.map { max($0, climb.now) }
          ?? climb.now + .seconds(.random(in: 0...400, using: &random))
        _ = climb.escalation.advance(to: climb.now, plan: climb.plan)
      case 10..<15:
        let claimed = climb.escalation.claim(
          at: climb.now, token: "\(turn)", lasting: .seconds(15))
        for step in claimed {
          switch step.purpose {
          case .alert: #expect(before.state == .escalating)
          case .nobodyAnswered: #expect(before.state == .nobodyReached)
          case .allClear:
            #expect(before.state == .resolved)
            #expect(
              before.told.contains(step.contact)
                || before.steps.contains { $0.contact == step.contact && $0.attempts > 0 })
          }
          #expect(step.dueAt <= climb.now)
          #expect(accepted[step.number] == nil, "a step that was told is claimed again")
        }
        flying += claimed
      default:
        guard let step = flying.randomElement(using: &random) else { continue }
        flying.removeAll { $0 == step }
        let outcome: StepOutcome =
          [.accepted, .accepted, .refused("no"), .later("busy"), .unknown]
          .randomElement(using: &random) ?? .accepted
        if outcome == .accepted { accepted[step.number, default: 0] += 1 }
        _ = climb.escalation.finish(
          step.number, token: step.lease?.token ?? "", outcome, at: climb.now,
          jitter: .random(in: 0...1, using: &random), plan: climb.plan)
      }
      check(climb.escalation, before)
    }
    // It ends when nobody answers any more.
    flying = []
    _ = climb.passAll(seed.isMultiple(of: 2) ? .accepted : .later("busy"))
    #expect(climb.escalation.nextDue == nil)
    #expect(climb.escalation.state != .escalating)
  }

  private func check(_ escalation: Escalation, _ before: Escalation) {
    #expect(escalation.version >= before.version)
    #expect(escalation.loop <= EscalationPolicy.mostRepeats)
    #expect(escalation.steps.map(\.number) == Array(escalation.steps.indices))
    // An address is told once in each round.
    let alerts = escalation.steps.filter { $0.purpose == .alert }
    let places = alerts.map { "\($0.generation) \($0.loop) \($0.route.address)" }
    #expect(Set(places).count == places.count)
    let cleared = escalation.steps.filter { $0.purpose == .allClear }
    let clearedPlaces = cleared.map(\.route.address)
    #expect(Set(clearedPlaces).count == clearedPlaces.count)
    if before.state == .resolved { #expect(escalation.state == .resolved) }
    if escalation.state == .acknowledged {
      #expect(!escalation.steps.contains { $0.state == .pending })
    }
  }
}
