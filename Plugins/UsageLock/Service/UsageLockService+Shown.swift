import KithJSON
public import KithRPC
import KithStore
import KithTime
public import LockContract
import UsageLockDomain

extension UsageLockService {
  /// What a live activity shows: figures only, so that no profile makes it long.
  public func getLiveActivity(
    _ request: GetLiveActivityRequest, context: CallContext
  ) async throws -> LiveActivity {
    try await show(request.userId, context) { person, clock, _ in
      let (state, now) = (person.state, clock.now)
      let decision = state.decision(on: state.profile.mode, at: now)
      let phase =
        person.protectionOff != nil
        ? "protection-off"
        : state.passes.openUntil != nil ? "pass" : decision.reason == nil ? "open" : "locked"
      var shown: JSONObject = [
        "phase": .string(phase), "mode": .string(state.profile.mode.rawValue),
        "leftMs": .integer(state.left.milliseconds),
        "budgetMs": .integer(state.budget.milliseconds),
      ]
      if let until = decision.until { shown["endsMs"] = .integer(until.contract) }
      return LiveActivity(
        state: JSONValue.object(shown).text(),
        staleMs: (decision.until ?? state.day.end).contract)
    }
  }

  /// What trusted time believes, and why.
  public func getTrustedTime(
    _ request: GetTrustedTimeRequest, context: CallContext
  ) async throws -> TrustedTime {
    let book = book
    return try await store.read { transaction in
      let clock = try LockLedger.clock(book, transaction)
      let ahead = book.reading.wall - clock.now
      return TrustedTime(
        nowMs: clock.now.contract, isTrusted: clock.isTrusted, reason: Self.reason(clock, book),
        unprovenMs: clock.unproven.milliseconds, wallMs: book.reading.wall.contract,
        wallAheadMs: ahead.milliseconds, upMs: book.reading.sinceBoot.milliseconds,
        boot: book.reading.boot, isWallKept: book.settings.isWallKept)
    }
  }

  private static func reason(_ clock: TrustedClock, _ book: LockBook) -> String {
    if !clock.isTrusted {
      return
        "the machine was started anew, and nothing proves for how long it was off: what its wall clock claims counts when "
        + "the machine has been up for as long"
    }
    if book.settings.isWallKept {
      return "the configuration says that something keeps the wall clock right (wall_clock_is_kept)"
    }
    let ahead = book.reading.wall - clock.now
    let isOff = ahead > TrustedClock.stepTolerance || ahead < .zero - TrustedClock.stepTolerance
    return "counted by the clock of this boot, which nobody sets"
      + (isOff ? "; the wall clock was set, and does not count" : "")
  }

  /// Has an app be in the foreground, in virtual time.
  public func simulateForeground(
    _ request: SimulateForegroundRequest, context: CallContext
  ) async throws -> Status {
    try Check.text(request.appId, "app_id", bytes: 0...200)
    guard let simulated else {
      throw RPCError(
        .failedPrecondition,
        "the product goes by the machine's clocks: start it with `kith up --virtual-time`")
    }
    let status = try await show("", context) { try Self.status(of: $0, $1, $2) }
    simulated.app = request.appId.isEmpty ? nil : request.appId
    changed()
    return status
  }
}
