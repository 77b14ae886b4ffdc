public import BillingContract
import EntitlementsDomain
import KithAccess
public import KithRPC
import KithStore
import KithTime
import KithWire

extension EntitlementsService {
  /// How long an answer that counts nothing may be given again without asking.
  private static let stands = Duration.seconds(30)

  /// Asks for a feature, and reserves a part of its quota.
  public func reserve(
    _ request: ReserveRequest, context: CallContext
  ) async throws -> Reservation {
    try Self.checkCounts(context)
    let (user, book) = (try subject(request.userId, context), book)
    guard !request.feature.isEmpty || !request.quota.isEmpty else {
      throw RPCError.invalidArgument(field: "feature", "expected a feature, a quota, or both")
    }
    try Check.text(request.feature, "feature", bytes: 0...64)
    try Check.text(request.quota, "quota", bytes: 0...64)
    try Check.text(request.key, "key", bytes: (request.quota.isEmpty ? 0 : 1)...200)
    guard request.holdMs == 0 || (1000...3_600_000).contains(request.holdMs) else {
      throw RPCError.invalidArgument(field: "hold_ms", "expected 1 second to 1 hour")
    }
    let hold = request.holdMs == 0 ? Quota.holds : .milliseconds(Int64(request.holdMs))
    // What is not counted is only read.
    let plain = try await store.read { transaction -> Reservation? in
      try Self.allow(.change, on: user, context, transaction)
      let ledger = try EntitlementsLedger(book, transaction)
      let entitlement = try ledger.entitlement(of: try ledger.person(user))
      return try Self.uncounted(request, entitlement, book, now: ledger.now)
    }
    if let plain { return plain }
    let reservation = try await store.write { transaction in
      try Self.allow(.change, on: user, context, transaction)
      let ledger = try EntitlementsLedger.writing(book, transaction)
      let person = try ledger.person(user)
      let entitlement = try ledger.entitlement(of: person)
      if let plain = try Self.uncounted(request, entitlement, book, now: ledger.now) {
        return plain
      }
      guard let limit = entitlement.plan.limits[request.quota] else {
        throw RPCError(.internal, "the quota has no limit")
      }
      return try QuotaDesk(ledger, person).reserve(
        request.quota, Int(max(request.amount, 1)), key: request.key, limit: limit, for: hold)
    }
    changed()
    return reservation
  }

  /// The answer where nothing is counted here; nil where something is.
  /// - Throws: PERMISSION_DENIED if the plan lacks the feature.
  private static func uncounted(
    _ request: ReserveRequest, _ entitlement: EntitlementsDomain.Entitlement,
    _ book: EntitlementsBook, now: Instant
  ) throws -> Reservation? {
    let catalogue = book.settings.catalogue
    if !request.feature.isEmpty, !entitlement.allows(request.feature, in: catalogue) {
      let plans = catalogue.plans(with: request.feature)
      throw RPCError(
        .permissionDenied,
        plans.isEmpty
          ? "no plan has '\(request.feature)'"
          : "'\(request.feature)' needs the plan \(plans.joined(separator: " or "))",
        details: [
          try StatusDetail(
            FeatureRefused(feature: request.feature, plan: entitlement.plan.name, plans: plans))
        ])
    }
    let limit = request.quota.isEmpty ? nil : entitlement.plan.limits[request.quota]
    if let limit, !limit.isLevel, !catalogue.safety.contains(request.feature) { return nil }
    return Reservation(
      key: request.key, expiresAtMs: now.contract,
      mostAtOnce: limit.flatMap { $0.isLevel ? UInt32(clamping: $0.most) : nil },
      standsUntilMs: min(entitlement.until ?? now + stands, now + stands).contract)
  }

  /// Counts what was used.
  public func commit(
    _ request: CommitRequest, context: CallContext
  ) async throws -> CommitResponse {
    let counted = try await settle(request.userId, request.quota, request.key, context) {
      desk, limit in
      try desk.commit(
        request.quota, request.amount.map { Int($0) }, key: request.key, limit: limit)
    }
    return CommitResponse(counted: UInt32(clamping: counted))
  }

  /// Gives a reservation back.
  public func release(
    _ request: ReleaseRequest, context: CallContext
  ) async throws -> ReleaseResponse {
    try await settle(request.userId, request.quota, request.key, context) { desk, _ in
      try desk.release(request.quota, key: request.key)
    }
    return ReleaseResponse()
  }

  private func settle<Answer: Sendable>(
    _ name: String, _ quota: String, _ key: String, _ context: CallContext,
    _ body: @escaping @Sendable (QuotaDesk<WriteTransaction>, SoldPlan.Limit) throws -> Answer
  ) async throws -> Answer {
    try Self.checkCounts(context)
    let (user, book) = (try subject(name, context), book)
    try Check.text(quota, "quota", bytes: 1...64)
    try Check.text(key, "key", bytes: 1...200)
    return try await store.write { transaction in
      try Self.allow(.change, on: user, context, transaction)
      let ledger = try EntitlementsLedger.writing(book, transaction)
      let person = try ledger.person(user)
      // Whoever has risen to a plan without a limit since loses nothing by being counted.
      let limit = try ledger.entitlement(of: person).plan.limits[quota] ?? .fairUse(.max >> 32)
      return try body(QuotaDesk(ledger, person), limit)
    }
  }

  /// Only who does the work counts it: a person could give back what they use.
  /// - Throws: PERMISSION_DENIED.
  private static func checkCounts(_ context: CallContext) throws(RPCError) {
    switch context.principal.kind {
    case .operator, .host, .worker: return
    case .certificate, .stranger:
      throw RPCError(.permissionDenied, "quotas are counted by workers, for those who call them")
    }
  }
}

extension StatusDetail {
  /// A message as a detail.
  init(_ message: some GeneratedMessage) throws {
    self.init(type: Swift.type(of: message).fullName, value: try message.encoded())
  }
}
