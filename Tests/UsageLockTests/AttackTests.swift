import Glibc
import KithRPC
import KithStore
import KithTime
import LockContract
import Testing

@testable import UsageLockService

/// What people try against locks of this kind, most of it told in the issues of others. Each test
/// is one way, and shows what it gains: nothing.
@Suite struct AttackTests {
  /// A desk whose day's budget is used up.
  private func usedUp(_ change: (inout Profile) -> Void = { _ in }) async throws -> Desk {
    let desk = try Desk()
    try await desk.set(.dailyBudget, change)
    try await desk.use(1_800)
    return desk
  }

  private func isLocked(_ desk: Desk) async throws -> Bool { try await !desk.open().isOpen }

  // MARK: Clocks

  /// SelfControl #28, #179, #699: the block ends when the clock is past its end.
  @Test(arguments: [3_600, 86_400, 40 * 86_400, 3_000 * 86_400])
  func aClockThatIsSetForwardEndsNoBlock(_ step: Int) async throws {
    let desk = try await usedUp()
    desk.setWall(by: step)
    for _ in 0..<10 {
      desk.tick(300)
      try await desk.settle()
      #expect(try await isLocked(desk))
    }
    // Nor after the next restart of the worker.
    #expect(try await isLocked(Desk(beside: desk)))
  }

  /// SelfControl #529: after clocks were set to and fro the block never ends.
  @Test func clocksThatAreSetToAndFroLeaveNothingStuck() async throws {
    let desk = try await usedUp()
    let end = try await desk.status().dayEndsMs
    for step in [400 * 86_400, -900 * 86_400, 86_400, -3_600] {
      desk.setWall(by: step)
      desk.tick(60)
      try await desk.settle()
    }
    let now = try await desk.status()
    #expect(now.dayEndsMs == end)
    desk.tick(Int((end - now.nowMs) / 1000))
    try await desk.settle()
    #expect(try await desk.open().isOpen)
  }

  /// A clock that stands back keeps no window open.
  @Test func aClockThatIsSetBackKeepsNoWindowOpen() async throws {
    let desk = try Desk()
    try await desk.set(.hourlyRation)
    try await desk.unlock()
    for _ in 0..<15 {
      desk.setWall(by: -60)
      desk.tick(60)
    }
    #expect(try await isLocked(desk))
    try await desk.settle()
    #expect(try await desk.events().contains("WindowClosed"))
  }

  /// lockbox-local #7: a jump forward, back again, and a restart shave the delay.
  @Test func jumpsForwardAndBackAndRestartsShaveNoDelay() async throws {
    var desk = try await usedUp()
    try await desk.set(.dailyBudget) { $0.dailyBudgetMs = 180 * 60_000 }
    for _ in 0..<20 {
      desk.setWall(by: 86_400)
      desk.tick(1)
      try await desk.settle()
      desk = try Desk(beside: desk)
      desk.setWall(by: -86_400)
      desk.tick(1)
      try await desk.settle()
      desk.reboot(down: 5, wallOff: 86_400)
      try await desk.settle()
      desk.setWall(by: -86_400)
    }
    #expect(try await desk.status().budgetMs == 1_800_000)
  }

  /// Reboots one after another, each with a clock that is a day further.
  @Test func rebootsWithAClockThatRunsAheadBringNoDay() async throws {
    let desk = try await usedUp()
    for _ in 0..<30 {
      desk.reboot(down: 20, wallOff: 86_400)
      try await desk.settle()
      #expect(try await isLocked(desk))
    }
    // Also where every second reboot takes the lie back.
    for step in 0..<30 {
      desk.reboot(down: 20, wallOff: step.isMultiple(of: 2) ? 86_400 : -86_400)
      try await desk.settle()
      #expect(try await isLocked(desk))
    }
  }

  /// The clock is set while the worker is down, within one boot.
  @Test func aClockThatIsSetWhileNobodyLooksCountsForNothing() async throws {
    let desk = try await usedUp()
    desk.setWall(by: 2 * 86_400)
    let next = try Desk(beside: desk)
    try await next.settle()
    #expect(try await isLocked(next))
    #expect(try await next.events().contains("ClockStepped"))
  }

  // MARK: Days, zones and hours

  /// LeechBlockNG-chrome #104: another zone has another day.
  @Test func aZoneOfWhichItIsTomorrowBringsNoBudget() async throws {
    let desk = try await usedUp()
    for zone in ["Pacific/Kiritimati", "Pacific/Pago_Pago", "Asia/Tokyo", "UTC"] {
      try await desk.set(.dailyBudget) { $0.zone = zone }
      desk.tick(60)
      try await desk.settle()
      #expect(try await isLocked(desk), "\(zone)")
    }
  }

  /// LeechBlock #314: thirty minutes before the reset and thirty after it, as often as the start of
  /// the day can be moved.
  @Test func aStartOfDayThatMovesAlongBringsNoSecondBudgetInTwentyHours() async throws {
    let desk = try Desk()
    try await desk.set(.dailyBudget)
    var resets: [Int64] = []
    var day = try await desk.status().day
    for hour in 0..<200 {
      // Always a day that begins at the next full hour.
      let start = String("0\((hour + 8) % 24):00".suffix(5))
      let answer = try await desk.set(.dailyBudget) { $0.dayStart = start }
      #expect(answer.pending == nil)
      desk.tick(3_600)
      try await desk.settle()
      let status = try await desk.status()
      if status.day != day {
        (day, resets) = (status.day, resets + [status.nowMs])
      }
    }
    for (earlier, later) in zip(resets, resets.dropFirst()) {
      #expect(later - earlier >= 20 * 3_600_000)
    }
  }

  /// LeechBlockNG-chrome #87 turned round: an unlock on each device, in each tab.
  @Test func anUnlockOnEachDeviceIsOne() async throws {
    let desk = try Desk()
    try await desk.set(.hourlyRation)
    let end = try await desk.unlock().openUntilMs
    for _ in 0..<5 {
      desk.tick(170)
      #expect(await refusal { try await desk.unlock() }?.code == .failedPrecondition)
    }
    #expect(try await desk.status().openUntilMs == end)
    desk.tick(50)
    #expect(try await isLocked(desk))
  }

  /// The same answer asked for again, with the key of the call that opened the window.
  @Test func aCallThatIsRepeatedWithItsKeyOpensNothingAgain() async throws {
    let desk = try Desk()
    try await desk.set(.hourlyRation)
    let first = try await desk.service.unlock(UnlockRequest(), context: desk.call(key: "k-1"))
    desk.tick(1_000)
    let again = try await desk.service.unlock(UnlockRequest(), context: desk.call(key: "k-1"))
    #expect(again.openUntilMs == first.openUntilMs)
    #expect(try await isLocked(desk))
  }

  // MARK: Accounting

  /// waittounlock: to quit the app by force within its last minute, over and over.
  @Test func quittingAndStartingTheAppAgainIsCharged() async throws {
    let desk = try Desk()
    try await desk.set(.dailyBudget) { $0.dailyBudgetMs = 5 * 60_000 }
    for _ in 0..<60 {
      desk.tick(5)
      try await desk.use(5)
    }
    #expect(try await isLocked(desk))
  }

  /// A program that is started anew once it is frozen.
  @Test func aProgramThatIsStartedAnewIsFrozenAnew() async throws {
    let programs = ScriptedPrograms()
    let desk = try Desk(settings: LockSettings(watchesPrograms: true))
    try await desk.set(.extreme) { $0.apps = [GuardedApp(appId: "/usr/games/tux")] }
    let looks = desk.service.looks(at: programs) { _ in }
    for generation in 0..<20 {
      programs.programs.value = []
      programs.start("/usr/games/tux", id: "\(100 + generation)/1")
      desk.tick(1)
      try await looks.run()
      #expect(programs.isStopped == true)
    }
  }

  /// The clock is set back, so that the next look is due in a year.
  @Test func aClockThatIsSetBackDelaysNoLook() async throws {
    let programs = ScriptedPrograms()
    let desk = try Desk(settings: LockSettings(watchesPrograms: true))
    try await desk.set(.extreme) { $0.apps = [GuardedApp(appId: "/usr/games/tux")] }
    let looks = desk.service.looks(at: programs) { _ in }
    try await looks.run()
    desk.setWall(by: -365 * 86_400)
    desk.tick(1)
    #expect(try await looks.nextDue() == desk.reading.wall)
    programs.start("/usr/games/tux")
    try await looks.run()
    #expect(programs.isStopped == true)
  }

  /// A program that stops itself before it is looked at, and goes on afterwards.
  @Test func aProgramThatStopsItselfIsFrozenWhenItGoesOn() async throws {
    let programs = ScriptedPrograms()
    let desk = try Desk(settings: LockSettings(watchesPrograms: true))
    try await desk.set(.extreme) { $0.apps = [GuardedApp(appId: "/usr/games/tux")] }
    let looks = desk.service.looks(at: programs) { _ in }
    programs.start("/usr/games/tux")
    programs.programs.value[0].isStopped = true
    try await looks.run()
    programs.programs.value[0].isStopped = false
    desk.tick(1)
    try await looks.run()
    #expect(programs.isStopped == true)
  }

  /// The machine sleeps and wakes while the app is open.
  @Test func sleepingIsNeitherChargedNorADay() async throws {
    let desk = try await usedUp()
    for _ in 0..<8 {
      desk.tick(3_600)
      try await desk.settle()
      #expect(try await isLocked(desk))
    }
  }

  /// kill -9 at every tick: nothing that was answered is lost.
  @Test func aKillAtEveryTickLosesNoTick() async throws {
    let ticks = getenv("KITH_LOCK_TICKS").flatMap { Int(String(cString: $0)) } ?? 150
    var desk = try Desk()
    try await desk.set(.dailyBudget) { $0.dailyBudgetMs = 180 * 60_000 }
    for tick in 1...ticks {
      desk.tick(3)
      _ = try await desk.use(3, .sampled)
      desk = try Desk(beside: desk)
      #expect(try await desk.status().usedMs == Int64(tick) * 3_000)
    }
  }

  /// kill -9 after every look of the watcher: the next look charges the time between.
  @Test func aKillAfterEveryLookLosesNoLook() async throws {
    let programs = ScriptedPrograms()
    let settings = try LockSettings(watchesPrograms: true)
    var desk = try Desk(settings: settings)
    try await desk.set(.dailyBudget) { $0.apps = [GuardedApp(appId: "/usr/games/tux")] }
    programs.start("/usr/games/tux")
    let first = desk.service.looks(at: programs) { _ in }
    try await first.run()
    desk.tick(1)
    try await first.run()
    for second in 2...40 {
      desk = try Desk(settings: settings, beside: desk)
      desk.tick(1)
      try await desk.service.looks(at: programs) { _ in }.run()
      #expect(try await desk.status().usedMs == Int64(second) * 1_000)
    }
  }

  // MARK: The profile

  /// Everything that is looser, one by one and all at once.
  @Test func noLooserProfileTakesEffectAtOnce() async throws {
    let changes: [@Sendable (inout Profile) -> Void] = [
      { $0.dailyBudgetMs = 180 * 60_000 }, { $0.extrasPerDay = 5 }, { $0.apps = [] },
      { $0.apps[0].mode = .alwaysOpen }, { $0.apps[0].mode = .hourlyRation },
      { $0.apps[0].appId = "FEED" }, { $0.mode = .hourlyRation }, { $0.mode = .extreme },
      { $0.passMs = 30 * 60_000 }, { $0.enforcement = .warn }, { $0.strictness = .lenient },
      { $0.typedPenaltyMs = 60_000 }, { $0.extraMs = 30 * 60_000 },
      { $0.sentence = "I would like to go on now, thank you so much" },
    ]
    for (index, change) in changes.enumerated() {
      let desk = try await usedUp()
      let answer = try await desk.set(.dailyBudget, change)
      #expect(!answer.looserFields.isEmpty, "change \(index)")
      desk.tick(60)
      #expect(try await isLocked(desk), "change \(index)")
    }
  }

  /// A harmless change waits for nearly a day, and is replaced by another one.
  @Test func anotherChangeDoesNotTakeOverTheWaitOfTheFirst() async throws {
    let desk = try await usedUp()
    try await desk.set(.dailyBudget) { $0.dailyBudgetMs = 31 * 60_000 }
    desk.tick(86_000)
    let answer = try await desk.set(.dailyBudget) { $0.dailyBudgetMs = 180 * 60_000 }
    let now = try await desk.status().nowMs
    #expect(answer.pendingDueMs == now + 86_400_000)
    desk.tick(400)
    try await desk.settle()
    #expect(try await desk.status().budgetMs == 1_800_000)
  }

  /// An app is taken off the profile and put on it again, so that it begins anew.
  @Test func anAppThatIsTakenOffAndPutOnAgainKeepsItsUse() async throws {
    let desk = try await usedUp()
    try await desk.set(.dailyBudget) { $0.apps = [] }
    try await desk.set(.dailyBudget)
    #expect(try await desk.status().usedMs == 1_800_000)
    #expect(try await isLocked(desk))
  }

  /// Case 16: the file of a friend's looser profile.
  @Test func aLooserFileWaits() async throws {
    let friend = try Desk()
    try await friend.set(.dailyBudget) { $0.dailyBudgetMs = 180 * 60_000 }
    let file = try await friend.service.exportConfiguration(
      ExportConfigurationRequest(), context: friend.call())
    let desk = try await usedUp()
    let answer = try await desk.service.importConfiguration(
      ImportConfigurationRequest(configuration: file.configuration), context: desk.call())
    #expect(answer.looserFields == ["daily_budget_ms"])
    #expect(try await isLocked(desk))
  }

  /// The activity log is erased, in the hope that it is what budgets are counted by.
  @Test func anErasedLogGivesNothingBack() async throws {
    let desk = try await usedUp()
    _ = try await desk.service.eraseActivity(EraseActivityRequest(), context: desk.call())
    #expect(try await desk.activity().isEmpty)
    #expect(try await isLocked(desk))
  }

  /// A permission is taken from the app while it counts.
  @Test func protectionThatIsOffStopsNoCount() async throws {
    let desk = try Desk()
    try await desk.set(.dailyBudget)
    _ = try await desk.service.reportProtection(
      ReportProtectionRequest(deviceId: "phone", missing: ["overlay"]), context: desk.call())
    try await desk.use(1_800)
    #expect(try await isLocked(desk))
    let back = try await desk.service.reportProtection(
      ReportProtectionRequest(deviceId: "phone", missing: []), context: desk.call())
    #expect(back.leftMs == 0)
  }

  // MARK: The sentence

  /// All answers at once, right ones, to one challenge.
  @Test func aRightAnswerGivenEightTimesAtOnceOpensOneWindow() async throws {
    let desk = try Desk()
    try await desk.set(.extreme)
    let challenge = try await desk.begin()
    let granted = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<8 {
        group.addTask {
          await refusal {
            try await desk.say(
              "I am stupid enough to waste more time please give me another 15 minutes",
              to: challenge.id)
          } == nil
        }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(granted == 1)
    #expect(try await desk.events() == ["WindowOpened"])
  }

  /// A new challenge for each guess, so that none is the third.
  @Test func challengesThatAreBegunAnewTakeNoMoreGuesses() async throws {
    let desk = try Desk()
    try await desk.set(.extreme)
    var guesses = 0
    // Ten minutes of guessing as fast as it goes.
    for _ in 0..<600 {
      if await refusal({
        let challenge = try await desk.begin()
        return try await desk.say("open sesame", to: challenge.id)
      }) == nil {
        guesses += 1
      }
      desk.tick(1)
    }
    // Three, then one after 15 s, 45 s, and each 120 s.
    #expect(guesses == 9)
  }

  /// A challenge of somebody else, and one of an hour ago.
  @Test func anotherPersonsChallengeIsNone() async throws {
    let desk = try Desk()
    try await desk.set(.extreme)
    _ = try await desk.service.setProfile(
      SetProfileRequest(userId: "ben", profile: Profile(mode: .extreme)), context: desk.call())
    let theirs = try await desk.service.beginChallenge(
      BeginChallengeRequest(userId: "ben"), context: desk.call())
    let error = await refusal {
      try await desk.say(
        "I am stupid enough to waste more time please give me another 15 minutes", to: theirs.id)
    }
    #expect(error?.code == .notFound)
  }

  // MARK: Devices

  /// A device claims that what it saw was long ago, and then that it was not.
  @Test func aDeviceWhoseClockJumpsTakesNothingBack() async throws {
    let desk = try await usedUp()
    for sent: Int64 in [1, 1 << 52, 1_000_000, 1 << 40] {
      desk.tick(10)
      _ = try await desk.service.reportUse(
        ReportUseRequest(deviceId: "phone", sentMs: sent), context: desk.call())
      #expect(try await desk.status().usedMs == 1_800_000)
    }
  }

  /// A device for each minute.
  @Test func aNewDeviceBringsNoBudgetOfItsOwn() async throws {
    let desk = try Desk()
    try await desk.set(.dailyBudget) { $0.dailyBudgetMs = 5 * 60_000 }
    for device in 0..<5 {
      desk.tick(60)
      try await desk.use(60, on: "phone-\(device)")
    }
    #expect(try await isLocked(desk))
  }

  /// The person signs in as somebody who has no profile.
  @Test func somebodyWithoutAProfileIsNoWayRound() async throws {
    let desk = try await usedUp()
    let error = await refusal {
      try await desk.service.openApp(
        OpenAppRequest(userId: "nobody-here", appId: "feed"), context: desk.call())
    }
    #expect(error?.code == .notFound)
  }
}
