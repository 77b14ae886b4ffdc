import EntitlementsDomain
import KithTime
import Testing

/// The edge cases of billing that the rules alone decide, by their numbers in the list that the
/// work was accepted by.
@Suite struct EdgeCaseTests {
  private func at(_ text: String) throws -> Instant { try #require(Instant(text)) }

  private let start = Instant(seconds: 1_800_000_000)
  private func days(_ number: Double) -> Instant {
    start + .milliseconds(Int64(number * 86_400_000))
  }

  private func fact(
    _ day: Double, _ kind: StoreFact.Kind, id: String? = nil, of subscription: String = "s",
    product: String = "plus.monthly", shared: Bool = false, test: Bool = false
  ) -> StoreFact {
    StoreFact(
      origin: .apple, id: id ?? "\(subscription) \(day) \(kind)", subscription: subscription,
      product: product, at: days(day), kind: kind, isFamilyShared: shared, isTest: test)
  }

  private static func milo() throws -> PlanCatalogue {
    try PlanCatalogue(
      plans: [
        SoldPlan(
          name: "free", features: ["ask", "explain"],
          limits: ["ask_daily": .daily(10), "explain_daily": .daily(2), "reminders": .level(3)]),
        SoldPlan(
          name: "plus", features: ["ask", "explain", "digest"],
          limits: ["ask_daily": .fairUse(500)]),
        SoldPlan(name: "premium", features: ["ask", "explain", "digest", "sms", "location"]),
      ],
      products: [
        "plus.monthly": "plus", "premium.monthly": "premium", "premium.yearly": "premium",
      ],
      safety: ["fall_alert"])
  }

  private func plan(
    _ facts: [StoreFact], day: Double, tests: Bool = false
  ) throws -> String {
    Entitlement.decide(
      Subscription.fold(facts), in: try Self.milo(), now: days(day), countsTests: tests
    ).plan.name
  }

  /// 11.
  @Test func anOldRenewalThatComesLateUndoesNoRefund() throws {
    let facts = [
      fact(0, .paid(until: days(30))), fact(20, .refunded), fact(10, .paid(until: days(40))),
    ]
    #expect(try plan(facts, day: 21) == "free" && plan(facts.reversed(), day: 21) == "free")
    // A later payment counts again, and so does what a reversal gives back.
    #expect(try plan(facts + [fact(25, .paid(until: days(55)))], day: 26) == "plus")
    #expect(try plan(facts + [fact(22, .refundReversed)], day: 23) == "plus")
  }

  /// 12.
  @Test func theSameNoticeTwiceCountsOnce() throws {
    let facts = [fact(0, .paid(until: days(30)), id: "a"), fact(31, .expired, id: "b")]
    #expect(Subscription.fold(facts + facts + [facts[0]]) == Subscription.fold(facts))
  }

  /// A refund of an old payment takes nothing of what was paid since.
  @Test func aRefundIsOfOnePayment() throws {
    var facts = [fact(0, .paid(until: days(30))), fact(30, .paid(until: days(60)))]
    (facts[0].purchase, facts[1].purchase) = ("1", "2")
    var refund = fact(35, .refunded)
    refund.purchase = "1"
    #expect(try plan(facts + [refund], day: 36) == "plus")
    refund.purchase = "2"
    #expect(try plan(facts + [refund], day: 36) == "free")
    // Told twice, and then reversed.
    var again = fact(36, .refunded, id: "again")
    again.purchase = "2"
    #expect(try plan(facts + [refund, again, fact(37, .refundReversed)], day: 38) == "plus")
  }

  /// 13.
  @Test func graceThenRetryThenRecovered() throws {
    var facts = [fact(0, .paid(until: days(30))), fact(30, .unpaid(graceUntil: days(46)))]
    func status(_ day: Double) -> Subscription.Status {
      Subscription.fold(facts)[0].status(at: days(day))
    }
    #expect(status(29) == .active && status(31) == .grace && status(46) == .billingRetry)
    #expect(try plan(facts, day: 45) == "plus" && plan(facts, day: 47) == "free")
    facts.append(fact(46, .held))
    #expect(status(47) == .billingRetry)
    facts.append(fact(50, .paid(until: days(80))))
    #expect(status(51) == .active)
  }

  /// 20.
  @Test func aClockThatIsSetBackRevivesNothing() throws {
    let facts = [fact(0, .paid(until: days(30))), fact(30, .expired)]
    var time = LatestTime(latest: start)
    let now = time.observe(days(31))
    let later = time.observe(days(-334))
    #expect(now == later)
    let subscription = try #require(Subscription.fold(facts).first)
    #expect(subscription.status(at: later) == .expired)
  }

  /// 21.
  @Test func whatIsKnownStandsForThreeDays() throws {
    let facts = [fact(0, .paid(until: days(30)))]
    let hour = 1.0 / 24
    #expect(try plan(facts, day: 30 + 71 * hour) == "plus")
    #expect(try plan(facts, day: 30 + 73 * hour) == "free")
    // Who is paid for longer keeps it however long nothing is heard.
    #expect(try plan([fact(0, .paid(until: days(365)))], day: 300) == "plus")
    // What the store has ended does not stand.
    #expect(try plan(facts + [fact(30, .expired)], day: 30.1) == "free")
    #expect(try plan(facts + [fact(5, .renewal(isOn: false))], day: 30.1) == "free")
  }

  /// 22.
  @Test func whatIsSharedInAFamilyCanBeTakenAway() throws {
    let facts = [fact(0, .paid(until: days(30)), shared: true), fact(3, .revoked, shared: true)]
    let subscription = try #require(Subscription.fold(facts).first)
    #expect(subscription.isFamilyShared && subscription.status(at: days(4)) == .revoked)
    #expect(try plan(facts, day: 4) == "free")
  }

  /// 23.
  @Test func ofTwoTheHigherPlanCounts() throws {
    let facts = [
      fact(0, .paid(until: days(30)), of: "one"),
      fact(10, .paid(until: days(20)), of: "other", product: "premium.monthly"),
    ]
    #expect(try plan(facts, day: 11) == "premium" && plan(facts, day: 20.5) == "premium")
    #expect(try plan(facts, day: 23.5) == "plus")
    #expect(try plan(facts + [fact(10, .upgraded, of: "one")], day: 11) == "premium")
    #expect(try plan(facts + [fact(15, .refunded, of: "other")], day: 16) == "plus")
  }

  @Test func testPurchasesDoNotCount() throws {
    let facts = [fact(0, .paid(until: days(30)), test: true)]
    #expect(try plan(facts, day: 1) == "free" && plan(facts, day: 1, tests: true) == "plus")
  }

  @Test func whatSafetyDependsOnIsNeverRefused() throws {
    let catalogue = try Self.milo()
    let free = Entitlement.decide([], in: catalogue, now: start)
    #expect(free.basis == .everybody && free.allows("fall_alert", in: catalogue))
    #expect(!free.allows("sms", in: catalogue))
  }

  /// Facts in any order, and doubled, come to the same.
  @Test(arguments: UInt64(1)...200)
  func theOrderOfArrivalDoesNotCount(seed: UInt64) {
    var random = Dice(state: seed)
    let kinds: [StoreFact.Kind] = [
      .paid(until: days(30)), .paid(until: days(60)), .paid(until: nil), .pending,
      .unpaid(graceUntil: days(40)), .unpaid(graceUntil: nil), .held, .paused(until: nil),
      .expired, .refunded, .refundReversed, .revoked, .upgraded, .renewal(isOn: true),
      .renewal(isOn: false),
    ]
    let facts = (0..<12).map { number in
      fact(
        Double(random.next() % 8) * 5, kinds[Int(random.next() % UInt64(kinds.count))],
        id: "\(number)", of: random.next() % 2 == 0 ? "a" : "b",
        product: random.next() % 2 == 0 ? "plus.monthly" : "premium.monthly")
    }
    let expected = Subscription.fold(facts)
    for _ in 0..<20 {
      let doubled = (facts + facts.filter { _ in random.next() % 2 == 0 }).shuffled(using: &random)
      #expect(Subscription.fold(doubled) == expected)
    }
  }

  // MARK: Quotas

  /// A quota with its reservations, as the shell keeps them.
  private struct Desk {
    var quota = Quota()
    var kept: [String: Quota.Reservation] = [:]
    let limit: SoldPlan.Limit

    mutating func free(_ now: Instant) {
      for (key, value) in kept where value.state == .held && value.expires <= now {
        quota.free(value.amount)
        kept[key]?.state = .expired
      }
    }

    mutating func reserve(_ key: String, _ amount: Int = 1, at now: Instant) -> Quota.Answer {
      free(now)
      let (answer, made) = quota.reserve(amount, known: kept[key], limit: limit, at: now)
      if let made { kept[key] = made }
      return answer
    }

    mutating func commit(_ key: String, _ amount: Int? = nil, at now: Instant) -> Bool {
      free(now)
      guard let known = kept[key],
        let end = quota.commit(known, amount, limit: limit, at: now)
      else { return false }
      kept[key] = end
      return true
    }

    mutating func release(_ key: String, at now: Instant) {
      free(now)
      if let known = kept[key] { kept[key] = quota.release(known, at: now) }
    }
  }

  /// 16, in the rules: of 200 exactly 10.
  @Test func noMoreIsGrantedThanThereIs() {
    var desk = Desk(limit: .daily(10))
    let granted = (0..<200).filter { number in
      if case .granted = desk.reserve("\(number)", at: start) { true } else { false }
    }
    #expect(granted.count == 10)
    // A repeat is the same reservation.
    var answers = [desk.reserve("x", at: start), desk.reserve("3", at: start)]
    desk.release("3", at: start)
    answers.append(desk.reserve("y", at: start))
    #expect(
      answers == [.exhausted(remaining: 0), .granted(remaining: 0), .granted(remaining: 0)])
    for _ in 0..<3 {
      let isCounted = desk.commit("y", at: start)
      #expect(isCounted)
    }
    #expect(desk.quota.used == 1 && desk.quota.reserved == 9)
    // More than was reserved is not counted, less is.
    let counted = [
      desk.commit("4", 7, at: start), desk.commit("5", 0, at: start), desk.commit("3", at: start),
    ]
    #expect(counted == [true, true, false])
    #expect(desk.quota.used == 2 && desk.quota.reserved == 7)
  }

  /// 17 and 18.
  @Test func aReservationFreesItself() {
    var desk = Desk(limit: .daily(10))
    _ = desk.reserve("a", 10, at: start)
    let before = start + .seconds(59)
    let after = start + .seconds(60)
    let answers = [desk.reserve("b", at: before), desk.reserve("b", at: after)]
    #expect(answers == [.exhausted(remaining: 0), .granted(remaining: 9)])
    // Late, and there is no room any more; then there is, and it counts once.
    var counted = [desk.commit("a", at: after)]
    desk.release("b", at: after)
    for _ in 0..<2 { counted.append(desk.commit("a", at: after)) }
    #expect(counted == [false, true, true] && desk.quota.used == 10)
    // What is reserved over a reset counts in the window of its end.
    desk = Desk(limit: .daily(10))
    _ = desk.reserve("c", at: start)
    desk.quota.reset()
    let isCounted = desk.commit("c", at: before)
    #expect(isCounted && desk.quota.used == 1)
  }

  @Test func whatIsFairIsToldAndNotRefused() {
    var desk = Desk(quota: Quota(used: 499), limit: .fairUse(500))
    let answers = [desk.reserve("a", at: start), desk.reserve("b", at: start)]
    #expect(answers == [.granted(remaining: 0), .overFairUse(used: 501)])
  }

  /// 19.
  @Test func aDayIsOneOfTheZoneAndNoShorterThanTwentyHours() throws {
    let zones = Zones()
    let newYork = try zones.zone(named: "America/New_York")
    let tokyo = try zones.zone(named: "Asia/Tokyo")
    var window = QuotaWindow(in: newYork, at: try at("2026-03-07T12:00:00-05:00"))
    #expect(try window.resetsAt == at("2026-03-08T00:00:00-05:00"))
    // The day on which the clocks go forward has 23 hours, and one on which they go back 25.
    #expect(
      try window.advance(to: at("2026-03-08T12:00:00-04:00"), pinned: newYork, wanted: newYork))
    #expect(try window.resetsAt == at("2026-03-09T00:00:00-04:00"))
    #expect(
      try !window.advance(to: at("2026-03-08T23:59:59-04:00"), pinned: newYork, wanted: newYork))
    #expect(
      try window.advance(to: at("2026-10-31T09:00:00-04:00"), pinned: newYork, wanted: newYork))
    #expect(
      try window.advance(to: at("2026-11-01T00:00:00-04:00"), pinned: newYork, wanted: newYork))
    #expect(try window.resetsAt == at("2026-11-02T00:00:00-05:00"))
    // In Tokyo a new day begins sooner: it waits for the old one's end, and then for 20 hours.
    var resets: [Instant] = []
    var now = try at("2026-12-01T08:00:00-05:00")
    var hopper = QuotaWindow(in: newYork, at: now)
    var isEast = true
    for _ in 0..<(24 * 30) {
      now = now + .seconds(3600)
      let (pinned, wanted) = isEast ? (newYork, tokyo) : (tokyo, newYork)
      if hopper.advance(to: now, pinned: pinned, wanted: wanted) { resets.append(now) }
      isEast.toggle()
    }
    for (one, next) in zip(resets, resets.dropFirst()) {
      #expect(next - one >= QuotaWindow.least)
    }
    #expect((20...36).contains(resets.count))
  }
}

/// Numbers that a seed brings back.
private struct Dice: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
