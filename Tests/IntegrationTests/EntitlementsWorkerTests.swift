import BillingContract
import HostContract
import KithAccess
import KithJSON
import KithRPC
import KithTesting
import KithTime
import KithWire
import RemindersContract
import RiskContract
import Testing

/// Plans as a product enforces them, with real processes: a worker's author has written an option in
/// the contract, and no code.
@Suite struct EntitlementsWorkerTests {
  private static let start = "2026-11-21T17:00:00Z"

  private static func setup(whenAway: String = "allow") -> ProductSetup {
    ProductSetup(product: "milo").starting(at: Instant(start))
      .only("reminders", "risk-engine", "entitlements")
      .configuring(
        "entitlements",
        [
          "limits": ["free: active_reminders 3 at once", "free: scam_checks 2 a day"],
          "when_away": .string(whenAway),
        ])
  }

  private func options(as user: String) -> CallOptions {
    CallOptions(
      timeout: RunningProduct.patience, metadata: [CallContext.userKey: user], waitForReady: true)
  }

  private func check(_ product: RunningProduct, as user: String, text: String = "hello") async
    -> RPCError?
  {
    do throws(RPCError) {
      _ = try await RiskEngineClient(product.client(of: "risk-engine")).analyze(
        AnalyzeRequest(text: text), options: options(as: user))
      return nil
    } catch {
      return error
    }
  }

  private func remind(_ product: RunningProduct, as user: String) async -> StatusCode? {
    do throws(RPCError) {
      _ = try await RemindersClient(product.client(of: "reminders")).createReminder(
        CreateReminderRequest(text: "Pills at 8 pm"), options: options(as: user))
      return nil
    } catch {
      return error.code
    }
  }

  private func used(_ product: RunningProduct, by user: String) async throws -> QuotaState {
    let all = try await EntitlementsClient(product.client(of: "entitlements")).listQuotas(
      ListQuotasRequest(), options: options(as: user)
    ).quotas
    return all.first { $0.quota == "scam_checks" } ?? QuotaState()
  }

  /// Sells plus to somebody.
  private func sell(_ product: RunningProduct, to user: String) async throws -> String {
    let customer = """
      {"request_date_ms": \(try #require(Instant(Self.start)).milliseconds),
       "subscriber": {"original_app_user_id": "\(user)", "subscriptions": {"plus": {
         "purchase_date": "2026-11-01T00:00:00Z", "expires_date": "2026-12-01T00:00:00Z"}}}}
      """
    return try await EntitlementsClient(product.client(of: "entitlements")).importRevenueCat(
      ImportRevenueCatRequest(customer: Array(customer.utf8)),
      options: CallOptions(timeout: RunningProduct.patience, waitForReady: true)
    ).plan
  }

  @Test func whatAPlanHasIsReservedCountedAndRefused() async throws {
    try await RunningProduct.run(Self.setup()) { product in
      try await product.settle()
      // A call that fails gives back what it reserved.
      #expect(await check(product, as: "bob", text: "")?.code == .invalidArgument)
      try await waitUntil("it is given back") { try await used(product, by: "bob").reserved == 0 }
      #expect(await check(product, as: "bob") == nil)
      #expect(await check(product, as: "bob") == nil)
      let error = try #require(await check(product, as: "bob"))
      #expect(error.code == .resourceExhausted)
      let detail = try #require(error.details.first { $0.type == QuotaExceeded.fullName })
      let exceeded = try QuotaExceeded(decoding: detail.value)
      #expect(exceeded.remaining == 0)
      #expect(exceeded.resetAtMs == Instant("2026-11-22T05:00:00Z").map { Int64($0.milliseconds) })
      let state = try await used(product, by: "bob")
      #expect(state.used == 2 && state.reserved == 0)
      // Of how many there are at once the reminders themselves are counted.
      for _ in 0..<3 { #expect(await remind(product, as: "ada") == nil) }
      #expect(await remind(product, as: "ada") == .resourceExhausted)
      // A call in the name of nobody is of no plan; a new plan counts for the next call.
      _ = try await RemindersClient(product.client(of: "reminders")).createReminder(
        CreateReminderRequest(text: "Pills at 8 pm"))
      #expect(try await sell(product, to: "bob") == "plus")
      #expect(await check(product, as: "bob") == nil)
      _ = try await product.host.moveClock(
        MoveClockRequest(move: .advanceMs(24 * 3_600_000)),
        options: CallOptions(timeout: RunningProduct.patience))
      #expect(try await sell(product, to: "ada") == "plus")
      #expect(await remind(product, as: "ada") == nil)
    }
  }

  /// The last known answer stands while entitlements are away, then what the manifest says.
  @Test(arguments: ["allow", "refuse"])
  func entitlementsThatAreAway(whenAway: String) async throws {
    try await RunningProduct.run(Self.setup(whenAway: whenAway)) { product in
      try await product.settle()
      for _ in 0..<2 { #expect(await check(product, as: "bob") == nil) }
      #expect(await check(product, as: "ada") == nil)
      _ = try await product.host.stopWorker(
        StopWorkerRequest(name: "entitlements"),
        options: CallOptions(timeout: RunningProduct.patience))
      #expect(await check(product, as: "ada") == nil)
      #expect(await check(product, as: "ada")?.code == .resourceExhausted)
      #expect(await check(product, as: "bob")?.code == .resourceExhausted)
      let unknown = await check(product, as: "carl")?.code
      #expect(unknown == (whenAway == "allow" ? nil : .unavailable))
    }
  }

  /// Whenever the worker is killed, no more is granted than there is.
  @Test func killsGrantNothing() async throws {
    let people = 8
    try await RunningProduct.run(Self.setup(whenAway: "refuse")) { product in
      try await product.settle()
      let granted = try await withThrowingTaskGroup(of: String?.self) { group in
        for number in 0..<people * 5 {
          group.addTask {
            let user = "p\(number % people)"
            return await check(product, as: user) == nil ? user : nil
          }
        }
        group.addTask {
          for _ in 0..<2 { try await product.kill("entitlements") }
          return nil
        }
        var granted: [String: Int] = [:]
        for try await user in group { if let user { granted[user, default: 0] += 1 } }
        return granted
      }
      try await product.waitUntil("entitlements") { $0.state == .ready }
      for number in 0..<people {
        let user = "p\(number)"
        // What was promised just before a kill may be taken alone, within what was left.
        #expect(granted[user] ?? 0 <= 2 + 2, "\(user)")
        #expect(try await used(product, by: user).used <= 2)
      }
    }
  }
}
