import KithRPC
import KithStore
import KithTime
import LockContract
import Testing

@testable import UsageLockService

/// The ways in which locks of this kind are opened, each of which opens nothing here.
@Suite struct EdgeCaseTests {
  private static let sentence =
    "I am stupid enough to waste more time please give me another 15 minutes"

  // MARK: 1 to 4: clocks, zones, sleep

  @Test(arguments: [86_400, -86_400])
  func case01And02AWallClockThatIsSetOpensNothing(_ step: Int) async throws {
    let desk = try Desk()
    try await desk.set(.dailyBudget)
    try await desk.use(1_800)
    #expect(try await !desk.open().isOpen)
    desk.setWall(by: step)
    desk.tick(60)
    try await desk.settle()
    let status = try await desk.status()
    #expect(status.isLocked && status.leftMs == 0 && status.isTimeTrusted)
    #expect(try await !desk.open().isOpen)
    #expect(try await desk.events() == ["BudgetUsedUp", "ClockStepped"])
    // And back: told again, and still nothing.
    desk.setWall(by: -step)
    desk.tick(400)
    try await desk.settle()
    #expect(try await desk.events().count { $0 == "ClockStepped" } == 2)
    #expect(try await !desk.open().isOpen)
  }

  @Test func case03AnotherZoneIsNoOtherDay() async throws {
    let desk = try Desk()
    for mode in [Mode.dailyBudget] {
      try await desk.set(mode)
      try await desk.use(1_800)
      for zone in ["Asia/Tokyo", "America/New_York", "Pacific/Kiritimati"] {
        try await desk.set(mode) { $0.zone = zone }
        desk.tick(60)
        #expect(try await !desk.open().isOpen, "\(zone)")
      }
      // The new zone counts from the next day on.
      let status = try await desk.status()
      #expect(status.day == "2026-11-22")
      desk.tick(Int((status.dayEndsMs - status.nowMs) / 1000))
      #expect(try await desk.open().isOpen)
    }
    let ration = try Desk()
    try await ration.set(.hourlyRation)
    try await ration.unlock()
    ration.tick(1_000)
    for zone in ["Asia/Kathmandu", "Asia/Kolkata", "America/New_York"] {
      try await ration.set(.hourlyRation) { $0.zone = zone }
      #expect(await refusal { try await ration.unlock() }?.code == .failedPrecondition)
    }
  }

  @Test func case04SleepIsNotCharged() async throws {
    let desk = try Desk()
    try await desk.set(.dailyBudget)
    desk.tick(7_200)
    let status = try await desk.use(7_200, .sampled)
    #expect(status.usedMs == 9_000)
  }

  // MARK: 5 and 6: reboots and kills

  @Test func case05ARebootEndsAWindowOnTimeOrAtOnce() async throws {
    // A wall clock that is kept: the window ends when it would have.
    let kept = try Desk(settings: LockSettings(isWallKept: true))
    try await kept.set(.hourlyRation)
    try await kept.unlock()
    kept.reboot(down: 300)
    let next = try Desk(settings: LockSettings(isWallKept: true), beside: kept)
    try await next.settle()
    #expect(try await next.open().isOpen)
    next.tick(589)
    #expect(try await next.open().isOpen)
    next.tick(1)
    #expect(try await !next.open().isOpen)
    // One that is not: at once, whatever it says.
    for off in [0, 6 * 3600, -400_000] {
      let desk = try Desk()
      try await desk.set(.hourlyRation)
      try await desk.unlock()
      desk.reboot(down: 60, wallOff: off)
      #expect(try await !desk.open().isOpen)
      try await desk.settle()
      #expect(try await !desk.open().isOpen)
      #expect(try await desk.events().contains("WindowClosed"))
    }
  }

  @Test func case05ARealTimeClockThatIsAheadGrantsNothing() async throws {
    let desk = try Desk()
    try await desk.set(.hourlyRation)
    try await desk.unlock()
    desk.reboot(down: 30, wallOff: 6 * 3600)
    try await desk.settle()
    let status = try await desk.status()
    #expect(!status.isTimeTrusted && status.unprovenMs > 0)
    #expect(await refusal { try await desk.unlock() }?.code == .failedPrecondition)
    let budget = try Desk()
    try await budget.set(.dailyBudget)
    try await budget.use(1_800)
    budget.reboot(down: 30, wallOff: 86_400)
    for _ in 0..<23 {
      budget.tick(3_600)
      try await budget.settle()
      #expect(try await !budget.open().isOpen)
    }
  }

  @Test func case06AKillAtEveryTickLosesNothing() async throws {
    var desk = try Desk()
    try await desk.set(.dailyBudget) { $0.dailyBudgetMs = 180 * 60_000 }
    for tick in 1...1_000 {
      desk.tick(3)
      let status = try await desk.use(3, .sampled)
      #expect(status.usedMs == Int64(tick) * 3_000)
      // The next generation finds what was answered.
      if tick.isMultiple(of: 20) { desk = try Desk(beside: desk) }
    }
  }

  // MARK: 9 to 12: boundaries

  @Test func case09ABudgetThatEndsWithItsDay() async throws {
    // 23:30 in New York.
    let desk = try Desk(at: "2026-11-23T04:30:00Z")
    try await desk.set(.dailyBudget)
    desk.tick(1_799)
    #expect(try await desk.use(1_799).leftMs == 1_000)
    desk.tick(1)
    let status = try await desk.use(1)
    #expect(status.day == "2026-11-23" && status.usedMs == 0 && status.leftMs == 1_800_000)
    // No second budget within twenty hours.
    desk.tick(1_800)
    try await desk.use(1_800)
    try await desk.set(.dailyBudget) { $0.dayStart = "02:00" }
    desk.tick(3_600)
    #expect(try await !desk.open().isOpen)
  }

  @Test func case10FlappingIsOneCharge() async throws {
    let desk = try Desk()
    try await desk.set(.dailyBudget)
    for second in 0..<60 {
      desk.tick(1)
      try await desk.use(1, of: second.isMultiple(of: 2) ? "feed" : "clips")
    }
    #expect(try await desk.status().usedMs == 60_000)
    // Two devices at once are one use; what comes twice counts once.
    desk.tick(60)
    for device in ["phone", "watch", "phone"] { try await desk.use(60, on: device) }
    #expect(try await desk.status().usedMs == 120_000)
  }

  @Test func case11AWindowEndsWithItsHour() async throws {
    let desk = try Desk(at: "2026-11-22T12:59:50Z")
    try await desk.set(.hourlyRation)
    let status = try await desk.unlock()
    #expect(status.openUntilMs == Int64(Instant("2026-11-22T13:00:00Z")!.milliseconds))
    desk.tick(10)
    #expect(try await !desk.open().isOpen)
    try await desk.unlock()
    #expect(try await desk.open().isOpen)
  }

  @Test func case12TwoDevicesRaceForOneWindow() async throws {
    let desk = try Desk()
    try await desk.set(.hourlyRation)
    let granted = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<8 { group.addTask { await refusal { try await desk.unlock() } == nil } }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(granted == 1)
    #expect(try await desk.events() == ["WindowOpened"])
  }

  // MARK: 13 to 15: the sentence

  @Test func case13And14ASentenceOpensOneWindowOnce() async throws {
    let desk = try Desk()
    try await desk.set(.extreme)
    #expect(await refusal { try await desk.unlock() }?.code == .failedPrecondition)
    #expect(try await desk.open().reason == .sentenceRequired)
    let challenge = try await desk.begin()
    let denied = try await desk.say("I am not stupid enough to waste more time", to: challenge.id)
    #expect(denied.verdict?.problem == .negation && denied.triesLeft == 2)
    let answer = try await desk.say(Self.sentence, to: challenge.id)
    #expect(answer.verdict?.isAccepted == true && answer.status?.isLocked == false)
    // An accepted challenge is not accepted again, in this hour or the next.
    for wait in [0, 3_600] {
      desk.tick(wait)
      let again = await refusal { try await desk.say(Self.sentence, to: challenge.id) }
      #expect(again?.code == .notFound)
    }
    // Its time is a minute; a typed sentence opens less.
    let late = try await desk.begin()
    desk.tick(60)
    #expect(
      await refusal { try await desk.say(Self.sentence, to: late.id) }?.code == .failedPrecondition)
    let typed = try await desk.begin()
    let short = try await desk.say(Self.sentence, to: typed.id, isTyped: true)
    #expect(short.status.map { $0.openUntilMs! - $0.nowMs } == 600_000)
    // The texts are not kept.
    #expect(try await desk.activity().contains("refused"))
  }

  @Test func case13WhatIsNoTextIsRefusedByName() async throws {
    let desk = try Desk()
    try await desk.set(.extreme)
    let challenge = try await desk.begin()
    for text in ["", "🙏🙏", " \n ", String(repeating: "a", count: 10_240)] {
      let error = await refusal { try await desk.say(text, to: challenge.id) }
      #expect(error?.code == .invalidArgument && error?.message.contains("transcript") == true)
    }
    // None of it was a try.
    #expect(try await desk.say("no", to: challenge.id).triesLeft == 2)
  }

  @Test func case15PausesGrowAndNoClockShortensThem() async throws {
    let desk = try Desk()
    try await desk.set(.extreme)
    for pause in [15, 45, 120, 120] {
      var challenge = try await desk.begin()
      let tries = pause == 15 ? 3 : 1
      for _ in 0..<tries { _ = try await desk.say("open sesame", to: challenge.id) }
      desk.setWall(by: 86_400)
      #expect(await refusal { try await desk.begin() }?.code == .resourceExhausted)
      desk.tick(pause - 1)
      #expect(await refusal { try await desk.begin() }?.code == .resourceExhausted)
      desk.tick(1)
      challenge = try await desk.begin()
    }
  }

  // MARK: 16 to 20

  @Test func case16WhatIsLooserWaits() async throws {
    let desk = try Desk()
    try await desk.set(.dailyBudget)
    let looser = try await desk.set(.dailyBudget) {
      $0.dailyBudgetMs = 60 * 60_000
      $0.extrasPerDay = 5
      $0.apps = [GuardedApp(appId: "feed", mode: .alwaysOpen)]
    }
    #expect(looser.looserFields == ["daily_budget_ms", "extras_per_day", "apps"])
    #expect(looser.profile?.dailyBudgetMs == 1_800_000 && looser.profile?.apps.count == 2)
    // What is stricter takes effect at once, and withdraws what waited.
    let stricter = try await desk.set(.dailyBudget) { $0.dailyBudgetMs = 10 * 60_000 }
    #expect(stricter.profile?.dailyBudgetMs == 600_000 && stricter.pending == nil)
    try await desk.set(.dailyBudget)
    desk.setWall(by: 7 * 86_400)
    desk.tick(86_399)
    try await desk.settle()
    #expect(try await desk.status().budgetMs == 600_000)
    desk.tick(1)
    try await desk.settle()
    #expect(try await desk.status().budgetMs == 1_800_000)
    #expect(try await desk.events().suffix(1) == ["ChangeApplied"])
    // It can be withdrawn.
    try await desk.set(.dailyBudget) { $0.extrasPerDay = 1 }
    let withdrawn = try await desk.service.withdrawChange(
      WithdrawChangeRequest(), context: desk.call())
    #expect(withdrawn.pending == nil && withdrawn.pendingDueMs == nil)
  }

  @Test func case17ExtraTimeOnceIsOnce() async throws {
    let desk = try Desk()
    try await desk.set(.dailyBudget) { $0.extrasPerDay = 1 }
    try await desk.use(1_800)
    #expect(try await desk.choose(.extraTime).leftMs == 600_000)
    #expect(await refusal { try await desk.choose(.extraTime) }?.code == .resourceExhausted)
    try await desk.use(2_400)
    #expect(try await !desk.open().isOpen)
    _ = try await desk.choose(.closeApp)
    _ = try await desk.choose(.remindLater)
    desk.tick(300)
    try await desk.settle()
    #expect(
      try await desk.events() == [
        "BudgetUsedUp", "ExtraTimeTaken", "BudgetUsedUp", "RemindedLater",
      ])
  }

  @Test func case20ProtectionThatIsOffIsAState() async throws {
    let desk = try Desk()
    try await desk.set(.hourlyRation)
    let open = try await desk.unlock()
    func report(_ missing: [String]) async throws -> Status {
      try await desk.service.reportProtection(
        ReportProtectionRequest(deviceId: "phone", missing: missing), context: desk.call())
    }
    let off = try await report(["overlay", "usage-access"])
    #expect(off.protectionOffSinceMs == off.nowMs)
    #expect(off.missingPermissions == ["phone/overlay", "phone/usage-access"])
    desk.tick(600)
    #expect(try await report(["overlay"]).protectionOffSinceMs == off.nowMs)
    let on = try await report([])
    #expect(on.protectionOffSinceMs == nil && on.openUntilMs == open.openUntilMs)
    #expect(try await desk.events() == ["WindowOpened", "ProtectionChanged", "ProtectionChanged"])
    #expect(
      try await Set(desk.activity()) == [
        "protection-on", "protection-off", "unlocked", "profile-set",
      ])
  }

  // MARK: Bad input

  @Test func reportsThatCannotBeAreRefusedByName() async throws {
    let desk = try Desk()
    try await desk.set(.dailyBudget)
    func report(_ field: String, _ change: (inout ReportUseRequest) -> Void) async throws {
      var request = ReportUseRequest(
        deviceId: "phone", sentMs: 1_000_000_000,
        uses: [ForegroundUse(appId: "feed", startMs: 999_999_000, lengthMs: 1_000)])
      change(&request)
      let error = await refusal {
        try await desk.service.reportUse(request, context: desk.call())
      }
      #expect(error?.code == .invalidArgument)
      #expect(error?.fieldViolations.map(\.field) == [field])
    }
    try await report("uses[0].length_ms") { $0.uses[0].lengthMs = -1 }
    try await report("uses[0].length_ms") { $0.uses[0].lengthMs = 2_000 }
    try await report("uses[0].length_ms") { $0.uses[0].lengthMs = .max }
    try await report("uses[0].start_ms") { $0.uses[0].startMs = 1_000_000_001 }
    try await report("uses[0].start_ms") { $0.uses[0].startMs = 0 }
    try await report("uses[0].app_id") { $0.uses[0].appId = String(repeating: "x", count: 1 << 20) }
    try await report("uses[0].app_id") { $0.uses[0].appId = "" }
    try await report("uses[0].measure") { $0.uses[0].measure = Measure(rawValue: 9) }
    try await report("device_id") { $0.deviceId = String(repeating: "x", count: 1 << 20) }
    try await report("sent_ms") { $0.sentMs = .max }
    try await report("sent_ms") { $0.sentMs = -1 }
    try await report("uses") { $0.uses = Array(repeating: $0.uses[0], count: 1_001) }
    #expect(try await desk.status().usedMs == 0)
    // A device that claims another time of its own gains no minute by it.
    for sent: Int64 in [1 << 50, 0, 1 << 40] {
      desk.tick(60)
      _ = try await desk.service.reportUse(
        ReportUseRequest(deviceId: "phone", sentMs: sent), context: desk.call())
    }
    desk.tick(60)
    #expect(try await desk.use(60).usedMs == 60_000)
  }

  @Test func profilesThatCannotBeAreRefusedByName() async throws {
    let desk = try Desk()
    func set(_ field: String, _ change: @escaping (inout Profile) -> Void) async {
      let error = await refusal { try await desk.set(.dailyBudget, change) }
      #expect(error?.fieldViolations.map(\.field) == [field])
    }
    await set("profile.mode") { $0.mode = .unspecified }
    await set("profile.mode") { $0.mode = .alwaysOpen }
    await set("profile.daily_budget_ms") { $0.dailyBudgetMs = 4 * 60_000 }
    await set("profile.window_ms") { $0.windowMs = 31 * 60_000 }
    await set("profile.window_ms") { $0.windowMs = 61_000 }
    await set("profile.zone") { $0.zone = "Mars/Olympus" }
    await set("profile.day_start") { $0.dayStart = "25:00" }
    await set("profile.sentence") { $0.sentence = "yes yes yes yes yes yes yes" + "\n" }
    await set("profile.sentence") { $0.sentence = "a b" }
    await set("profile.apps[1].app_id") { $0.apps[1].appId = "feed" }
    await set("profile.extras_per_day") { $0.extrasPerDay = 6 }
    #expect(await refusal { try await desk.status() }?.code == .notFound)
  }
}
