public import BillingContract
import Crypto
import EntitlementsDomain
import KithAccess
import KithJSON
public import KithRPC
import KithStore
import KithTime

extension EntitlementsService {
  /// How long a pass of what never ends counts before the 72 hours begin.
  private static let longestPass = Duration.seconds(31 * 86_400)

  // MARK: - Passes

  /// A signed statement of what a person is entitled to.
  public func issuePass(
    _ request: IssuePassRequest, context: CallContext
  ) async throws -> Pass {
    let (key, product) = (try await passKey(), product)
    return try await show(request.userId, context) { person, ledger in
      let (entitlement, now) = (try ledger.entitlement(of: person), ledger.now)
      var expires = now
      switch entitlement.basis {
      // What is paid, and then as long as is waited for a store that is not heard.
      case .subscription:
        expires = min(entitlement.until ?? now + Self.longestPass, now + Self.longestPass)
        expires = expires + EntitlementsDomain.Entitlement.patience
      case .silence: expires = entitlement.until ?? now
      case .everybody: expires = now + EntitlementsDomain.Entitlement.patience
      }
      var limits = JSONObject()
      for (name, limit) in entitlement.plan.limits.sorted(by: { $0.key < $1.key }) {
        limits[name] = .integer(Int64(limit.most))
      }
      let claims: JSONObject = [
        "iss": .string(product), "sub": .string(person.user.text),
        "plan": .string(entitlement.plan.name),
        "features": .array(entitlement.plan.features.sorted().map { .string($0) }),
        "safety": .array(
          ledger.book.settings.catalogue.safety.sorted().map { .string($0) }),
        "limits": .object(limits), "iat": .integer(Int64(now.seconds)),
        "exp": .integer(Int64(expires.seconds)),
      ]
      let header: JSONObject = ["alg": "EdDSA", "typ": "JWT"]
      let signed = [header, claims].map {
        Base64URLText.text(of: Array(JSONValue.object($0).text().utf8))
      }.joined(separator: ".")
      let signature = try key.signature(for: Array(signed.utf8))
      return Pass(
        token: "\(signed).\(Base64URLText.text(of: Array(signature)))",
        expiresAtMs: expires.contract)
    }
  }

  /// The key by which passes are verified.
  public func getPassKey(
    _ request: GetPassKeyRequest, context: CallContext
  ) async throws -> PassKey {
    PassKey(key: Array(try await passKey().publicKey.rawRepresentation))
  }

  private func passKey() async throws -> Curve25519.Signing.PrivateKey {
    if let known = try await store.read({ transaction in
      try transaction.record(StoredPassKey.self, id: StoredPassKey.only)?.key()
    }) {
      return known
    }
    return try await store.write { transaction in
      if let known = try transaction.record(StoredPassKey.self, id: StoredPassKey.only) {
        return try known.key()
      }
      let key = Curve25519.Signing.PrivateKey()
      try transaction.save(StoredPassKey(key))
      return key
    }
  }

  // MARK: - Export and erasure

  /// All that is kept of a person.
  public func exportPerson(
    _ request: ExportPersonRequest, context: CallContext
  ) async throws -> ExportPersonResponse {
    let (user, book) = (try subject(request.userId, context), book)
    return try await store.read { transaction in
      try Self.allow(.own, on: user, context, transaction)
      let ledger = try EntitlementsLedger(book, transaction)
      let person = try ledger.person(user)
      let own = EntitlementsBook.ownGrant
      let statements = try transaction.records(
        StoredStatement.self, where: "user_id = \(user)", orderedBy: "received_at_ms", under: own
      ).map { statement -> JSONValue in
        [
          "origin": .string(statement.origin.rawValue),
          "received": .string("\(statement.receivedAt)"),
          "content": .string(
            statement.content.intact.map { String(decoding: $0, as: UTF8.self) } ?? ""),
        ]
      }
      let subscriptions = try ledger.subscriptions(of: person).map { subscription -> JSONValue in
        let message = subscription.message(at: ledger.now)
        return [
          "origin": .string(subscription.origin.rawValue), "id": .string(message.id),
          "product": .string(message.product),
          "status": .string(subscription.status(at: ledger.now).rawValue),
          "facts": .array(
            message.facts.map { fact in
              [
                "at": .string("\(Instant(milliseconds: Int(fact.atMs)))"),
                "what": .string(fact.what),
              ]
            }),
        ]
      }
      let quotas = try transaction.records(
        StoredQuota.self, where: "user_id = \(user)", orderedBy: "id", under: own
      ).map { row -> JSONValue in
        [
          "quota": .string(row.name), "used": .integer(Int64(row.quota.used)),
          "resets": .string("\(row.window.resetsAt)"),
        ]
      }
      let content: JSONValue = [
        "person": .string(user.text), "plan": .string(person.plan),
        "zone": person.zone.map { .string($0) } ?? .null, "statements": .array(statements),
        "subscriptions": .array(subscriptions), "quotas": .array(quotas),
      ]
      return ExportPersonResponse(content: Array(content.text(pretty: true).utf8))
    }
  }

  /// Forgets a person.
  public func erasePerson(
    _ request: ErasePersonRequest, context: CallContext
  ) async throws -> ErasePersonResponse {
    let user = try subject(request.userId, context)
    let statements = try await store.write { transaction in
      try Self.allow(.own, on: user, context, transaction)
      let own = EntitlementsBook.ownGrant
      let statements = try transaction.deleteAll(StoredStatement.self, of: user, under: own)
      try transaction.deleteAll(StoredFact.self, of: user, under: own)
      try transaction.deleteAll(StoredHolding.self, of: user, under: own)
      try transaction.deleteAll(StoredQuota.self, of: user, under: own)
      try transaction.deleteAll(StoredReservation.self, of: user, under: own)
      try transaction.deleteAll(StoredPerson.self, of: user, under: own)
      return statements
    }
    folded.forget(user)
    changed()
    return ErasePersonResponse(statements: UInt32(clamping: statements))
  }
}
