import KithTime
import Testing

@testable import UsageLockDomain

/// The state machine against what it may never grant.
@Suite struct LockStateTests {
  private static let zones: [String: Zone] = {
    var zones: [String: Zone] = [:]
    for name in ["America/New_York", "Asia/Tokyo", "Asia/Kathmandu"] {
      zones[name] = try? ZoneFiles().zone(named: name)
    }
    return zones
  }()

  // MARK: The ratchet

  private func randomProfile(_ random: inout SeededGenerator) -> LockProfile {
    LockProfile(
      mode: [.dailyBudget, .hourlyRation, .extreme].randomElement(using: &random)!,
      dailyBudget: .seconds(60 * Int.random(in: 5...180, using: &random)),
      window: .seconds(60 * Int.random(in: 1...30, using: &random)),
      isAnchored: .random(using: &random), zone: "America/New_York",
      apps: ["a", "b", "c", "d"].filter { _ in .random(using: &random) }.map {
        LockProfile.App(
          id: $0,
          mode: .random(using: &random) ? nil : LockMode.allCases.randomElement(using: &random))
      },
      sentence: .random(using: &random) ? PhraseGate.standard : "I really want five more minutes",
      strictness: Strictness.allCases.randomElement(using: &random)!,
      extrasPerDay: Int.random(in: 0...5, using: &random),
      extra: .seconds(60 * Int.random(in: 1...30, using: &random)),
      typedPenalty: .seconds(60 * Int.random(in: 1...10, using: &random)),
      pass: .seconds(60 * Int.random(in: 1...30, using: &random)),
      isWithoutPass: .random(using: &random),
      enforcement: Enforcement.allCases.randomElement(using: &random)!)
  }

  /// What takes effect at once is in no respect looser, for 20,000 pairs of profiles.
  @Test func nothingLooserTakesEffectAtOnce() {
    var random = SeededGenerator(seed: 20)
    for _ in 0..<20_000 {
      let (old, wanted) = (randomProfile(&random), randomProfile(&random))
      let change = old.change(to: wanted)
      let now = change.now
      #expect(now.dailyBudget <= old.dailyBudget && now.window <= old.window)
      #expect(now.extrasPerDay <= old.extrasPerDay && now.extra <= old.extra)
      #expect(now.typedPenalty >= old.typedPenalty && now.strictness.rank >= old.strictness.rank)
      #expect(now.pass <= old.pass && (now.isWithoutPass || !old.isWithoutPass))
      #expect(now.enforcement.rank >= old.enforcement.rank)
      #expect(now.isAnchored == old.isAnchored && now.sentence == old.sentence)
      for app in ["a", "b", "c", "d"] {
        let (before, after) = (old.mode(of: app), now.mode(of: app))
        #expect(
          before == after || before == .alwaysOpen
            || (before == .hourlyRation && after == .extreme), "\(app): \(before) to \(after)")
      }
      // What is looser is named; where nothing is, all takes effect.
      if change.looser.isEmpty { #expect(now == wanted) }
      // To set what is in effect changes nothing.
      #expect(now.change(to: now).looser.isEmpty)
    }
  }

  // MARK: Histories

  /// Histories of ticks, reboots, suspends, steps of the wall clock, other zones, uses and
  /// unlocks, beside a reference that sees the world's time: no more windows than the world had
  /// hours, no more budgets than it had days of 20 hours, no more use than both allow.
  @Test func noHistoryGrantsMoreThanTheWorldAllows() throws {
    var random = SeededGenerator(seed: 2_026)
    for history in 0..<LockHistoryTests.histories * 5 {
      try run(history, &random)
    }
  }

  private func run(_ history: Int, _ random: inout SeededGenerator) throws {
    // 2026-03-07T20:00:00Z, before a change of clocks.
    var world = 1_772_913_600 + Int.random(in: 0..<100_000, using: &random)
    var (up, boot, offset) = (1_000, 0, 0)
    func reading() -> ClockReading {
      ClockReading(
        wall: Instant(seconds: world + offset), sinceBoot: .seconds(up), boot: "\(boot)")
    }
    var clock = TrustedClock(startingAt: reading())
    let mode: LockMode = .random(using: &random) ? .hourlyRation : .dailyBudget
    var state = LockState(
      profile: LockProfile(
        mode: mode, window: .seconds(900), zone: "America/New_York",
        apps: [.init(id: "feed")]),
      zone: try #require(Self.zones["America/New_York"]), debounce: .seconds(2), at: clock.now)
    var unlocks: [Int] = []
    var days: [Int] = [world]
    var (day, open) = (state.day, 0)
    for _ in 0..<30 {
      let passed = Int.random(in: 1...5_000, using: &random)
      let isReboot: Bool
      switch Int.random(in: 0..<10, using: &random) {
      case 0:
        offset = Int.random(in: -200_000...200_000, using: &random)
        (up, isReboot) = (up + passed, false)
      case 1:
        offset = Int.random(in: -200_000...200_000, using: &random)
        (boot, up, isReboot) = (boot + 1, Int.random(in: 0...passed, using: &random), true)
      case 2:
        state.profile.zone = Self.zones.keys.sorted().randomElement(using: &random)!
        (up, isReboot) = (up + passed, false)
      default: (up, isReboot) = (up + passed, false)
      }
      let before = state
      world += passed
      _ = clock.advance(to: reading(), isWallKept: false)
      // As the service does: nothing stays open over a reboot that cannot be trusted.
      if isReboot { state.openUntil = nil }
      // What was open until now, in the world's time.
      if let until = before.openUntil, !isReboot {
        open += min(passed, Int((until - (clock.now - .seconds(passed))).components.seconds))
      }
      // A kill: what is stored is all that there is.
      state.uses = UseLedger(debounce: .seconds(2), intervals: state.uses.intervals)
      _ = state.advance(to: clock.now, isTrusted: clock.isTrusted) { Self.zones[$0] }
      if state.day != day {
        days.append(world)
        day = state.day
      }
      let decision = state.decision(on: "feed", at: clock.now)
      if mode == .dailyBudget, decision.reason == nil {
        let length = min(Int.random(in: 1...600, using: &random), passed)
        state.note(
          .init(start: clock.now - .seconds(length), end: clock.now), of: "feed")
      } else if (try? state.unlock(at: clock.now, isTrusted: clock.isTrusted)) != nil {
        unlocks.append(world)
      }
    }
    // Of three unlocks the first and the last are an hour apart: two may lie around a full hour.
    for index in unlocks.indices.dropFirst(2) {
      #expect(unlocks[index] - unlocks[index - 2] >= 3_600, "history \(history)")
    }
    for index in days.indices.dropFirst(2) {
      #expect(days[index] - days[index - 2] >= 20 * 3_600, "history \(history)")
    }
    #expect(open <= unlocks.count * 900, "history \(history)")
    #expect(state.used <= state.budget + .seconds(600), "history \(history)")
  }

  // MARK: The ladder

  /// All sequences of eight answers, right and wrong, as fast as they are taken.
  @Test func pausesGrowAndNothingShortensThem() throws {
    for bits in 0..<256 {
      var ladder = ChallengeLadder()
      var now = Instant(seconds: 1_000)
      var wrong = 0
      for step in 0..<8 {
        if let until = ladder.coolDownUntil, until > now {
          #expect(throws: ChallengeLadder.Refusal.coolingDown(until: until)) {
            try ladder.begin("x", at: until - .milliseconds(1))
          }
          now = until
        }
        try ladder.begin("c\(step)", at: now)
        try ladder.check("c\(step)", at: now)
        #expect(throws: ChallengeLadder.Refusal.unknown) { try ladder.check("c", at: now) }
        #expect(throws: ChallengeLadder.Refusal.expired) {
          try ladder.check("c\(step)", at: now + .seconds(60))
        }
        let isRight = bits & (1 << step) != 0
        ladder.note(isAccepted: isRight, at: now)
        wrong = isRight ? 0 : wrong + 1
        let pause = [0, 0, 0, 15, 45, 120, 120, 120, 120][wrong]
        #expect(ladder.coolDownUntil == (pause == 0 ? nil : now + .seconds(pause)))
        if isRight {
          #expect(throws: ChallengeLadder.Refusal.unknown) { try ladder.check("c\(step)", at: now) }
        }
      }
    }
  }
}
