import BillingContract
import EntitlementsDomain
import Foundation
import KithRPC
import KithSealing
import KithTesting
import KithTime
import KithWire
import Synchronization
import Testing

@testable import EntitlementsService

/// Quotas behind their contract: never more is granted than there is, whatever is called at once,
/// repeated, or killed.
@Suite struct QuotaServiceTests {
  private let desk: Desk

  init() throws { desk = try Desk() }

  /// 16.
  @Test func ofTwoHundredAtOnceExactlyTenAreGranted() async throws {
    let granted = try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<200 {
        group.addTask { [desk] in
          guard let error = await refusal({ try await desk.reserve("\(number)") }) else {
            return true
          }
          #expect(error.code == .resourceExhausted)
          return false
        }
      }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(granted == 10)
    let error = try #require(await refusal { try await desk.reserve("more") })
    let detail = try #require(error.details.first { $0.type == QuotaExceeded.fullName })
    let exceeded = try QuotaExceeded(decoding: detail.value)
    #expect(exceeded.remaining == 0 && exceeded.quota == "ask_daily")
    // 2026-11-19 in New York.
    #expect(exceeded.resetAtMs == Instant("2026-11-19T00:00:00-05:00")?.contract)
    let state = try await desk.quota()
    #expect(state.reserved == 10 && state.used == 0 && state.limit == 10)
  }

  /// 17 and 18.
  @Test func aReservationWithoutAWordFreesItself() async throws {
    for number in 0..<10 { try await desk.reserve("\(number)") }
    for number in 0..<3 { #expect(try await desk.commit("\(number)") == 1) }
    desk.now = desk.now + .seconds(61)
    try await desk.settle()
    var state = try await desk.quota()
    #expect(state.reserved == 0 && state.used == 3)
    // Late: counted once while there is room.
    for _ in 0..<2 { #expect(try await desk.commit("5") == 1) }
    for number in 10..<16 { try await desk.reserve("\(number)") }
    #expect(await refusal { try await desk.commit("6") }?.code == .failedPrecondition)
    #expect(await refusal { try await desk.commit("none") }?.code == .notFound)
    try await desk.release("10")
    #expect(await refusal { try await desk.commit("10") }?.code == .failedPrecondition)
    state = try await desk.quota()
    #expect(state.used == 4 && state.reserved == 5)
  }

  @Test func aRepeatIsTheSameReservation() async throws {
    for _ in 0..<3 { #expect(try await desk.reserve("a", 4).remaining == 6) }
    for _ in 0..<3 { #expect(try await desk.commit("a", 2) == 2) }
    #expect(try await desk.reserve("a", 4).remaining == 8)
    #expect(try await desk.quota().used == 2)
    try await desk.release("a")
    #expect(try await desk.quota().used == 2)
    // Another person's key is another one.
    #expect(try await desk.reserve("a", as: "bob").remaining == 9)
  }

  /// Upgrading lifts the limit at once.
  @Test func aHigherPlanCountsAtOnce() async throws {
    for number in 0..<10 { try await desk.reserve("\(number)") }
    #expect(await refusal { try await desk.reserve("x") }?.code == .resourceExhausted)
    try await desk.apple(desk.transaction())
    let fair = try await desk.reserve("x")
    #expect(fair.remaining == 489 && !fair.isOverFairUse)
    for number in 0..<490 { try await desk.reserve("y\(number)") }
    #expect(try await desk.reserve("z").isOverFairUse)
  }

  @Test func featuresAndLevels() async throws {
    let level = try await desk.reserve("l", quota: "active_reminders", feature: "reminders")
    #expect(level.mostAtOnce == 3 && level.standsUntilMs != nil)
    let error = try #require(
      await refusal { try await desk.reserve("", quota: "", feature: "sms") })
    #expect(error.code == .permissionDenied)
    let detail = try #require(error.details.first { $0.type == FeatureRefused.fullName })
    #expect(
      try FeatureRefused(decoding: detail.value)
        == FeatureRefused(feature: "sms", plan: "free", plans: ["premium"]))
    // What safety depends on is never refused; what nobody limits is not counted.
    let safety = try await desk.reserve("", quota: "", feature: "fall_alerts")
    #expect(safety.standsUntilMs != nil)
    #expect(try await desk.reserve("k", quota: "other").remaining == nil)
    #expect(try await desk.rows()["quota"] == nil)
  }

  @Test func onlyWorkersAndOperatorsCount() async throws {
    let person = Principal.certificate(people: .everybody)
    let request = ReserveRequest(quota: "ask_daily", key: "k")
    #expect(
      await refusal {
        try await desk.service.reserve(request, context: desk.call(as: "ada", person))
      }?.code == .permissionDenied)
    let worker = Principal.worker("ask", generation: 1, people: .only(["ada"]))
    _ = try await desk.service.reserve(request, context: desk.call(as: "ada", worker))
    #expect(
      await refusal {
        try await desk.service.reserve(request, context: desk.call(as: "bob", worker))
      }?.code == .permissionDenied)
    for bad in [
      ReserveRequest(quota: "ask_daily"), ReserveRequest(),
      ReserveRequest(quota: "ask_daily", key: String(repeating: "k", count: 201)),
      ReserveRequest(quota: "ask_daily", key: "a\n"),
      ReserveRequest(quota: "ask_daily", key: "a", holdMs: 3_600_001),
    ] {
      #expect(
        await refusal { try await desk.service.reserve(bad, context: desk.call()) }?.code
          == .invalidArgument)
    }
  }

  /// 19: a day of the pinned zone, which a change of the zone does not shorten.
  @Test func theDayIsThatOfThePinnedZone() async throws {
    func zone(_ name: String) async throws {
      _ = try await desk.service.setZone(
        SetZoneRequest(zone: name), context: desk.call(as: "ada"))
    }
    try await desk.reserve("a")
    try await desk.commit("a")
    let first = try #require(try await desk.quota().resetAtMs)
    try await zone("Asia/Tokyo")
    #expect(try await desk.quota().resetAtMs == first)
    var resets: Set<Int64> = []
    for hour in 1..<(24 * 5) {
      desk.now = Desk.noon + .seconds(Int64(hour) * 3600)
      try await zone(hour % 2 == 0 ? "Asia/Tokyo" : "America/New_York")
      try await desk.reserve("h\(hour)")
      try await desk.release("h\(hour)")
      resets.insert(try #require(try await desk.quota().resetAtMs))
    }
    let sorted = resets.sorted()
    for (one, next) in zip(sorted, sorted.dropFirst()) { #expect(next - one >= 20 * 3_600_000) }
    #expect(await refusal { try await zone("Nowhere/At_All") }?.code == .invalidArgument)
  }

  /// Whatever is called at once while the store is closed and opened again, no more is granted than
  /// there is, and nothing is reserved for longer than its time. KITH_RESERVES says how many calls:
  /// a million for the long run.
  @Test func noReserveIsOverGrantedOverRestarts() async throws {
    let calls =
      ProcessInfo.processInfo.environment["KITH_RESERVES"].flatMap { Int($0) } ?? 4_000
    let folder = try TemporaryFolder()
    let keys = SealingKeys(worker: "e")
    let people = max(calls / 40, 1)
    var granted: [String: Int] = [:]
    for round in 0..<4 {
      // The one before is not closed: as after a kill.
      let desk = try Desk(path: "\(folder.path)/store.sqlite", keys: keys)
      let counted = await withTaskGroup(of: String?.self) { group in
        var running = 0
        var counted: [String] = []
        for number in 0..<(calls / 4) {
          if running >= 64, let one = await group.next() {
            running -= 1
            if let one { counted.append(one) }
          }
          running += 1
          group.addTask {
            let person = "p\(number % people)"
            let key = "\(round)-\(number)"
            guard await refusal({ try await desk.reserve(key, as: person) }) == nil else {
              return nil
            }
            // A third dies without a word, a third fails, the rest is counted.
            switch number % 3 {
            case 0: return nil
            case 1:
              try? await desk.release(key, as: person)
              return nil
            default:
              return await refusal { try await desk.commit(key, as: person) } == nil ? person : nil
            }
          }
        }
        for await one in group { if let one { counted.append(one) } }
        return counted
      }
      for person in counted { granted[person, default: 0] += 1 }
    }
    let last = try Desk(path: "\(folder.path)/store.sqlite", keys: keys)
    #expect(granted.values.allSatisfy { $0 <= 10 })
    last.now = Desk.noon + .seconds(61)
    try await last.settle()
    for number in 0..<people {
      let state = try await last.quota(as: "p\(number)")
      #expect(state.used == UInt32(granted["p\(number)"] ?? 0) && state.reserved == 0)
    }
  }
}
