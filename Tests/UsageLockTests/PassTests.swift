import KithAccess
import KithRPC
import KithStore
import LockContract
import Testing

@testable import UsageLockService

/// Emergency passes: once a day, after a while to think again, and behind a PIN where one is set.
@Suite struct PassTests {
  private func begin(_ desk: Desk) async throws -> EmergencyPass {
    try await desk.service.beginPass(BeginPassRequest(), context: desk.call())
  }

  private func use(_ token: String, pin: String = "", _ desk: Desk) async throws -> Status {
    try await desk.service.usePass(UsePassRequest(token: token, pin: pin), context: desk.call())
  }

  private func setPin(_ pin: String, old: String = "", _ desk: Desk) async throws
    -> SetPinResponse
  {
    try await desk.service.setPin(SetPinRequest(pin: pin, oldPin: old), context: desk.call())
  }

  /// A desk whose budget is used up.
  private func desk(_ change: (inout Profile) -> Void = { _ in }) async throws -> Desk {
    let desk = try Desk()
    try await desk.set(.dailyBudget, change)
    try await desk.use(1_800)
    #expect(try await !desk.open().isOpen)
    return desk
  }

  @Test func aPassOpensEverythingForItsTimeAndIsLogged() async throws {
    let desk = try await desk { $0.passMs = 10 * 60_000 }
    let pass = try await begin(desk)
    #expect(!pass.needsPin && pass.expiresMs - pass.usableFromMs == 60_000)
    // Eight seconds to think again.
    desk.tick(7)
    #expect(await refusal { try await use(pass.token, desk) }?.code == .failedPrecondition)
    desk.tick(1)
    let status = try await use(pass.token, desk)
    #expect(status.passUntilMs == status.nowMs + 600_000 && !status.hasPass)
    #expect(try await desk.open().isOpen)
    desk.tick(599)
    #expect(try await desk.open().isOpen)
    desk.tick(1)
    #expect(try await !desk.open().isOpen)
    try await desk.settle()
    #expect(try await desk.events() == ["BudgetUsedUp", "EmergencyPassUsed", "WindowClosed"])
    #expect(try await desk.activity().contains("pass-used"))
  }

  @Test func case18APassIsUsedOnceAndOneADay() async throws {
    let desk = try await desk()
    let pass = try await begin(desk)
    desk.tick(8)
    _ = try await use(pass.token, desk)
    desk.tick(300)
    // The same token, and another one.
    #expect(await refusal { try await use(pass.token, desk) }?.code == .resourceExhausted)
    #expect(await refusal { try await begin(desk) }?.code == .resourceExhausted)
    #expect(try await !desk.open().isOpen)
    // On the next day there is one, and yesterday's token is none.
    let status = try await desk.status()
    desk.tick(Int((status.dayEndsMs - status.nowMs) / 1000))
    try await desk.use(1_800)
    #expect(await refusal { try await use(pass.token, desk) }?.code == .notFound)
    let next = try await begin(desk)
    desk.tick(8)
    #expect(try await use(next.token, desk).passUntilMs != nil)
  }

  @Test func aTokenThatWasNotIssuedHereOrIsOverOpensNothing() async throws {
    let desk = try await desk()
    let pass = try await begin(desk)
    desk.tick(8)
    // Another lock's, changed ones, and what is none.
    let other = try await self.desk()
    let foreign = try await begin(other)
    let parts = pass.token.split(separator: ".")
    let changed = String(parts[0].dropLast()) + (parts[0].last == "A" ? "B" : "A")
    for token in [
      foreign.token, "\(changed).\(parts[1])", "\(parts[0]).", "\(parts[0])", ".", "x",
      "\(parts[1]).\(parts[0])", "\(pass.token).x",
    ] {
      #expect(await refusal { try await use(token, desk) }?.code == .notFound, "\(token)")
    }
    for token in ["", String(repeating: "a", count: 1 << 20)] {
      #expect(
        await refusal { try await use(token, desk) }?.fieldViolations.map(\.field) == ["token"])
    }
    // A later one ends the one before; its time ends it too.
    let later = try await begin(desk)
    desk.tick(8)
    #expect(await refusal { try await use(pass.token, desk) }?.code == .notFound)
    desk.tick(60)
    #expect(await refusal { try await use(later.token, desk) }?.code == .failedPrecondition)
    #expect(try await !desk.open().isOpen)
  }

  @Test func aProfileMayHaveNoPassAndTimeThatIsNotTrustedGrantsNone() async throws {
    let without = try await desk { $0.isWithoutPass = true }
    #expect(await refusal { try await begin(without) }?.code == .failedPrecondition)
    // To have one again is looser.
    #expect(try await without.set(.dailyBudget).looserFields == ["is_without_pass"])
    let desk = try await desk()
    let pass = try await begin(desk)
    desk.reboot(down: 30, wallOff: 86_400)
    #expect(await refusal { try await begin(desk) }?.code == .failedPrecondition)
    #expect(await refusal { try await use(pass.token, desk) }?.code == .failedPrecondition)
  }

  @Test func aRebootEndsWhatAPassOpened() async throws {
    let desk = try await desk()
    let pass = try await begin(desk)
    desk.tick(8)
    _ = try await use(pass.token, desk)
    desk.reboot(down: 5)
    #expect(try await !desk.open().isOpen)
    try await desk.settle()
    #expect(try await desk.status().passUntilMs == nil)
  }

  @Test func aPINIsAskedForAndItsPausesGrow() async throws {
    let desk = try await desk()
    #expect(try await setPin("2468", desk).hasPin)
    // It is needed to change it, and the first two wrong ones are free.
    #expect(await refusal { try await setPin("", desk) }?.code == .permissionDenied)
    let pass = try await begin(desk)
    #expect(pass.needsPin)
    desk.tick(8)
    #expect(await refusal { try await use(pass.token, desk) }?.code == .permissionDenied)
    #expect(
      await refusal { try await use(pass.token, pin: "1357", desk) }?.code == .permissionDenied)
    // The third was one too many: also the right one waits now, whatever the wall clock says.
    desk.setWall(by: 86_400)
    #expect(
      await refusal { try await use(pass.token, pin: "2468", desk) }?.code == .resourceExhausted)
    desk.tick(15)
    #expect(try await use(pass.token, pin: "2468", desk).passUntilMs != nil)
    #expect(try await setPin("97531", old: "2468", desk).hasPin)
    #expect(try await !setPin("", old: "97531", desk).hasPin)
    #expect(
      try await Set(desk.activity()).isSuperset(of: [
        "pin-set", "pin-removed", "pass-refused", "pass-used",
      ]))
  }

  @Test func pinsGuessedAllAtOnceAreThreeGuesses() async throws {
    let desk = try await desk()
    _ = try await setPin("2468", desk)
    let pass = try await begin(desk)
    desk.tick(8)
    let codes = await withTaskGroup(of: StatusCode?.self) { group in
      for guess in 1000..<1008 {
        group.addTask { await refusal { try await use(pass.token, pin: "\(guess)", desk) }?.code }
      }
      return await group.reduce(into: [StatusCode?]()) { $0.append($1) }
    }
    #expect(codes.count { $0 == .permissionDenied } == 3)
    #expect(codes.count { $0 == .resourceExhausted } == 5)
  }

  @Test func aPINIsKeptAsScryptHasItAndNoOtherWay() async throws {
    let desk = try await desk()
    _ = try await setPin("correct horse", desk)
    let kept = try await desk.store.read { transaction in
      try LockLedger.stored(desk.service.book.settings.person, desk.service.book, transaction)?.pin
    }
    #expect(kept?.hasPrefix("scrypt 32768 8 ") == true && kept?.contains("horse") == false)
    for (field, pin) in [("pin", "123"), ("pin", String(repeating: "1", count: 65))] {
      let error = await refusal { try await setPin(pin, old: "correct horse", desk) }
      #expect(error?.fieldViolations.map(\.field) == [field])
    }
  }
}
