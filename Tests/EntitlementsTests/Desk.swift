import BillingContract
import Crypto
import CryptoExtras
import EntitlementsDomain
import Foundation
import KithAccess
import KithJSON
import KithRPC
import KithSealing
import KithStore
import KithTime
import Synchronization
import TestCertificates

@testable import EntitlementsService

/// Entitlements over a store in memory, or in a folder, with a clock that a test moves and stores
/// whose keys it has.
final class Desk: Sendable {
  static let noon = Instant(seconds: 1_795_000_000)

  let store: Store
  let service: EntitlementsService
  let chain: SigningChain
  let google: _RSA.Signing.PrivateKey

  static let googlePackage = "app.milo"
  static let stripeSecrets = ["whsec_old", "whsec_new"]
  static let revenueCat = "Bearer rc"

  init(path: String? = nil, keys: SealingKeys = SealingKeys(worker: "e"), tests: Bool = false)
    throws
  {
    store =
      if let path {
        try Store(path: path, keys: keys, migrations: EntitlementsSchema.migrations)
      } else {
        try Store(inMemoryWith: keys, migrations: EntitlementsSchema.migrations)
      }
    chain = try SigningChain(begin: Double(Self.noon.seconds) - 86_400, days: 400)
    google = try _RSA.Signing.PrivateKey(keySize: .bits2048)
    var settings = try EntitlementsSettings(
      plans: ["free", "plus", "premium"],
      features: ["free: ask reminders", "plus: digest", "premium: sms location"],
      limits: [
        "free: ask_daily 10 a day", "free: active_reminders 3 at once",
        "plus: ask_daily 500 a day fair",
      ],
      products: [
        "plus.monthly: plus", "premium.monthly: premium", "plus_month: plus", "gift: plus",
      ], safety: ["fall_alerts"], person: "me", zone: "America/New_York", countsTests: tests)
    try settings.sellAtApple(
      bundleID: "app.milo", appAppleID: 7, certificates: [chain.root],
      environments: ["Production", "Sandbox"])
    try settings.sellAtGoogle(
      package: Self.googlePackage,
      key: google.publicKey.derRepresentation.base64EncodedString())
    settings.stripeSecrets = Self.stripeSecrets
    settings.revenueCatAuthorization = Self.revenueCat
    let clock = Held(Self.noon)
    shown = clock
    service = try EntitlementsService(
      store: store, product: "milo", settings: settings, now: { clock.value })
  }

  private let shown: Held<Instant>

  /// What the wall clock shows.
  var now: Instant {
    get { shown.value }
    set { shown.value = newValue }
  }

  /// A call by an operator, in the name of a person or of nobody, or by somebody else.
  func call(as user: String? = nil, _ principal: Principal = .operator) -> CallContext {
    CallContext(
      method: EntitlementsMethods.reserve,
      metadata: user.map { [CallContext.userKey: $0] } ?? [:], principal: principal)
  }

  func plan(_ user: String = "ada") async throws -> String {
    try await service.getEntitlement(GetEntitlementRequest(), context: call(as: user)).plan
  }

  func rows() async throws -> [String: Int] {
    try await store.read { transaction in
      var counts: [String: Int] = [:]
      for table in ["statement", "fact", "holding", "person", "quota", "reservation"] {
        let number: Int = try transaction.rows(
          "SELECT count(*) AS number FROM \(name: table)")[0]["number"]
        if number > 0 { counts[table] = number }
      }
      return counts
    }
  }

  // MARK: Stores

  func transaction(
    _ id: String = "2", of original: String = "1", product: String = "plus.monthly",
    bought: Instant = Desk.noon, until: Instant? = Desk.noon + .seconds(30 * 86_400),
    _ more: (inout JSONObject) -> Void = { _ in }
  ) -> JSONValue {
    var object: JSONObject = [
      "transactionId": .string(id), "originalTransactionId": .string(original),
      "bundleId": "app.milo", "productId": .string(product), "environment": "Production",
      "purchaseDate": .integer(bought.contract), "signedDate": .integer(bought.contract),
      "inAppOwnershipType": "PURCHASED",
    ]
    if let until { object["expiresDate"] = .integer(until.contract) }
    more(&object)
    return .object(object)
  }

  func notification(
    _ type: String, uuid: String = UUID().uuidString, at moment: Instant = Desk.noon,
    _ transaction: JSONValue, renewal: JSONValue? = nil
  ) throws -> JSONValue {
    var data: JSONObject = [
      "bundleId": "app.milo", "appAppleId": 7, "environment": "Production",
      "signedTransactionInfo": .string(
        String(decoding: try chain.statement(transaction), as: UTF8.self)),
    ]
    if let renewal {
      data["signedRenewalInfo"] = .string(
        String(decoding: try chain.statement(renewal), as: UTF8.self))
    }
    return [
      "notificationType": .string(type), "notificationUUID": .string(uuid), "version": "2.0",
      "signedDate": .integer(moment.contract), "data": .object(data),
    ]
  }

  @discardableResult
  func apple(
    _ payload: JSONValue, as user: String? = "ada", for named: String = ""
  ) async throws -> BillingContract.Entitlement {
    try await apple(try chain.statement(payload), as: user, for: named)
  }

  @discardableResult
  func apple(
    _ statement: [UInt8], as user: String? = "ada", for named: String = ""
  ) async throws -> BillingContract.Entitlement {
    try await service.recordAppleStatement(
      RecordAppleStatementRequest(
        userId: named, statement: String(decoding: statement, as: UTF8.self)),
      context: call(as: user))
  }

  @discardableResult
  func googlePurchase(
    _ json: String, signed: String? = nil, as user: String = "ada"
  ) async throws -> BillingContract.Entitlement {
    let signature = try google.signature(
      for: Insecure.SHA1.hash(data: Array((signed ?? json).utf8)), padding: .insecurePKCS1v1_5)
    return try await service.recordGooglePurchase(
      RecordGooglePurchaseRequest(
        purchase: Array(json.utf8),
        signature: signature.rawRepresentation.base64EncodedString()), context: call(as: user))
  }

  @discardableResult
  func stripe(
    _ body: String, at moment: Instant? = nil, secrets: [String] = ["whsec_new"],
    header: String? = nil
  ) async throws -> BillingContract.Entitlement {
    let seconds = (moment ?? now).seconds
    let codes = secrets.map { secret in
      HMAC<SHA256>.authenticationCode(
        for: Array("\(seconds).\(body)".utf8), using: SymmetricKey(data: Array(secret.utf8))
      )
      .map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
    return try await service.recordStripeEvent(
      RecordStripeEventRequest(
        body: Array(body.utf8),
        signature: header ?? "t=\(seconds)," + codes.map { "v1=\($0)" }.joined(separator: ",")),
      context: call())
  }

  @discardableResult
  func revenueCat(
    _ event: JSONObject, authorization: String = Desk.revenueCat
  ) async throws -> BillingContract.Entitlement {
    let body: JSONValue = ["api_version": "1.0", "event": .object(event)]
    return try await service.recordRevenueCatEvent(
      RecordRevenueCatEventRequest(
        body: Array(body.text().utf8), authorization: authorization), context: call())
  }

  // MARK: Quotas

  @discardableResult
  func reserve(
    _ key: String, _ amount: UInt32 = 1, quota: String = "ask_daily", feature: String = "ask",
    as user: String = "ada"
  ) async throws -> Reservation {
    try await service.reserve(
      ReserveRequest(quota: quota, amount: amount, key: key, feature: feature),
      context: call(as: user))
  }

  @discardableResult
  func commit(
    _ key: String, _ amount: UInt32? = nil, as user: String = "ada"
  ) async throws -> UInt32 {
    try await service.commit(
      CommitRequest(quota: "ask_daily", key: key, amount: amount), context: call(as: user)
    ).counted
  }

  func release(_ key: String, as user: String = "ada") async throws {
    _ = try await service.release(
      ReleaseRequest(quota: "ask_daily", key: key), context: call(as: user))
  }

  func quota(as user: String = "ada") async throws -> QuotaState {
    let all = try await service.listQuotas(ListQuotasRequest(), context: call(as: user)).quotas
    return all.first { $0.quota == "ask_daily" } ?? QuotaState()
  }

  /// Does all that is due now.
  func settle() async throws {
    for _ in 0..<1000 {
      guard let next = try await service.due.nextDue(), next <= now else { return }
      try await service.due.run()
    }
  }

  /// The names of all events so far.
  func events() async throws -> [String] {
    try await store.read { try $0.events(after: EventPosition(), limit: 10_000) }.events.map {
      String($0.type.split(separator: ".").last ?? "")
    }
  }
}

/// A value that several tasks change.
final class Held<Value: Sendable>: Sendable {
  private let held: Mutex<Value>

  init(_ value: Value) { held = Mutex(value) }

  var value: Value {
    get { held.withLock(\.self) }
    set { held.withLock { $0 = newValue } }
  }
}

/// What a call was refused with; nil when it was not.
func refusal(_ body: () async throws -> some Sendable) async -> RPCError? {
  do {
    _ = try await body()
    return nil
  } catch {
    return error as? RPCError ?? (error as? any RPCErrorConvertible)?.rpcError
  }
}
