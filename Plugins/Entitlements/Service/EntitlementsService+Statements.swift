public import BillingContract
import EntitlementsDomain
import FoundationEssentials
import KithAccess
import KithAppleReceipts
import KithJSON
public import KithRPC
import KithStore
import KithTime

extension EntitlementsService {
  private static let limits = JSONLimits(maximumBytes: 1 << 20, maximumDepth: 30)
  /// How far ahead of the clock a store's may be.
  private static let ahead = Duration.seconds(86_400)

  // MARK: - Apple

  /// Takes in what Apple has signed.
  public func recordAppleStatement(
    _ request: RecordAppleStatementRequest, context: CallContext
  ) async throws -> BillingContract.Entitlement {
    let (content, verifiers, now) = (Array(request.statement.utf8), settings.apple, book.wall)
    guard !verifiers.isEmpty else { throw RPCError.notSold("apple_bundle_id") }
    var problem: AppleProblem?
    for verifier in verifiers {
      let statement: Statement
      do throws(AppleProblem) {
        statement = try await verifier.read(content, now: now)
      } catch {
        // That it is of another environment tells less than what another verifier found.
        if problem == nil || problem?.code == .environment { problem = error }
        continue
      }
      return try await record(
        statement, from: content, origin: .apple, named: request.userId, context)
    }
    guard let problem else { throw RPCError(.internal, "no verifier has answered") }
    throw RPCError(.invalidArgument, "the statement is refused: \(problem)", cause: problem)
  }

  // MARK: - Google

  /// Takes in a purchase that Google Play has signed.
  public func recordGooglePurchase(
    _ request: RecordGooglePurchaseRequest, context: CallContext
  ) async throws -> BillingContract.Entitlement {
    guard let google = settings.google else { throw RPCError.notSold("google_package") }
    let statement = try Self.reading(request.purchase) { value throws(StatementProblem) in
      try google.check(request.purchase, signature: request.signature)
      return try GoogleStatements.purchase(value, package: google.package)
    }
    return try await record(
      statement, from: request.purchase, origin: .google, named: request.userId, context)
  }

  /// Takes in the state of a subscription as Google's server told it.
  public func recordGoogleState(
    _ request: RecordGoogleStateRequest, context: CallContext
  ) async throws -> BillingContract.Entitlement {
    try Self.checkSpeaksForStore(context)
    guard settings.google != nil else { throw RPCError.notSold("google_package") }
    let asked = request.askedAtMs.map { Instant(milliseconds: Int($0)) } ?? book.wall
    let statement = try Self.reading(request.state) { value throws(StatementProblem) in
      try GoogleStatements.state(value, token: request.token, asked: asked)
    }
    return try await record(
      statement, from: request.state, origin: .google, named: request.userId, context)
  }

  /// Takes in a notification of Google.
  public func recordGoogleNotification(
    _ request: RecordGoogleNotificationRequest, context: CallContext
  ) async throws -> BillingContract.Entitlement {
    try Self.checkSpeaksForStore(context)
    guard let google = settings.google else { throw RPCError.notSold("google_package") }
    let statement = try Self.reading(request.notification) { value throws(StatementProblem) in
      try GoogleStatements.notification(value, package: google.package)
    }
    return try await record(
      statement, from: request.notification, origin: .google, named: "", context)
  }

  // MARK: - Stripe and RevenueCat

  /// Takes in a webhook of Stripe.
  public func recordStripeEvent(
    _ request: RecordStripeEventRequest, context: CallContext
  ) async throws -> BillingContract.Entitlement {
    let (settings, now) = (settings, book.wall)
    guard !settings.stripeSecrets.isEmpty else { throw RPCError.notSold("stripe_secret_files") }
    let statement = try Self.reading(request.body) { value throws(StatementProblem) in
      try StripeSignature.check(
        request.body, header: request.signature, secrets: settings.stripeSecrets, now: now)
      return try StripeStatements.event(value, grace: settings.stripeGrace)
    }
    return try await record(statement, from: request.body, origin: .stripe, named: "", context)
  }

  /// Takes in a webhook of RevenueCat.
  public func recordRevenueCatEvent(
    _ request: RecordRevenueCatEventRequest, context: CallContext
  ) async throws -> BillingContract.Entitlement {
    let wanted = settings.revenueCatAuthorization
    guard !wanted.isEmpty else { throw RPCError.notSold("revenue_cat_authorization_file") }
    guard Self.isEqual(wanted, request.authorization) else {
      throw RPCError(
        .invalidArgument, "the statement is refused: expected RevenueCat's authorization")
    }
    let statement = try Self.reading(request.body) { value throws(StatementProblem) in
      try RevenueCatStatements.event(value)
    }
    return try await record(
      statement, from: request.body, origin: .revenueCat, named: "", context)
  }

  /// Takes in a customer of RevenueCat.
  public func importRevenueCat(
    _ request: ImportRevenueCatRequest, context: CallContext
  ) async throws -> BillingContract.Entitlement {
    let statement = try Self.reading(request.customer) { value throws(StatementProblem) in
      try RevenueCatStatements.customer(value)
    }
    return try await record(
      statement, from: request.customer, origin: .revenueCat, named: request.userId, context)
  }

  // MARK: - Recording

  /// Writes what a statement says, all of it or nothing.
  ///
  /// It is about whom the request names, or the person who calls; a webhook names nobody, and is
  /// about whoever has shown the subscription first, or about the account that the store names.
  private func record(
    _ statement: Statement, from content: [UInt8], origin: StoreFact.Origin, named name: String,
    _ context: CallContext
  ) async throws -> BillingContract.Entitlement {
    let book = book
    guard name.isEmpty || UserID(name) != nil else { throw RPCError.noUserID(field: "user_id") }
    let answer = try await store.write { transaction in
      let ledger = try EntitlementsLedger.writing(book, transaction)
      if let late = statement.facts.first(where: { $0.at > ledger.now + Self.ahead }) {
        throw RPCError(
          .invalidArgument,
          "the statement is refused: it is of \(late.at), more than a day ahead of the clock")
      }
      let user = try Self.owner(of: statement, origin, UserID(name), context, ledger)
      // A statement without facts may be about nobody who is known: a test, a type that says
      // nothing.
      guard let user else { return BillingContract.Entitlement() }
      let entitlement = try ledger.add(
        try statement.facts + ledger.whatIsOver(by: statement, of: user), of: user, from: content,
        traceparent: context.traceparent)
      for account in statement.accounts {
        try ledger.hold(StoredHolding.account(origin, account), user)
      }
      return entitlement.message(of: user)
    }
    changed()
    return answer
  }

  /// Whom a statement is about; nil if it says nothing and names nobody.
  /// - Throws: PERMISSION_DENIED if a subscription or account of it is another person's;
  ///   FAILED_PRECONDITION if nobody is known.
  private static func owner(
    of statement: Statement, _ origin: StoreFact.Origin, _ named: UserID?, _ context: CallContext,
    _ ledger: EntitlementsLedger<WriteTransaction>
  ) throws -> UserID? {
    var wanted = named
    if wanted == nil, case .user(let caller) = context.caller { wanted = caller }
    if let wanted { try allow(.change, on: wanted, context, ledger.transaction) }
    if case .stranger = context.caller {
      throw RPCError(.permissionDenied, "the caller has not shown who it is")
    }
    var holders = Set(
      try (statement.facts.map(\.subscription) + statement.replaced).compactMap {
        try ledger.holder(of: StoredHolding.subscription(origin, $0))?.user
      })
    for account in statement.accounts {
      if let holder = try ledger.holder(of: StoredHolding.account(origin, account))?.user {
        holders.insert(holder)
      }
    }
    guard holders.count <= 1, wanted.map({ holders.isEmpty || holders.contains($0) }) ?? true
    else { throw RPCError(.permissionDenied, "the purchase belongs to another account") }
    // Stripe and RevenueCat name the person by the product's own id.
    let isOwnID = origin == .stripe || origin == .revenueCat
    if isOwnID, let wanted, let account = statement.account.flatMap({ UserID($0) }),
      account != wanted, named == nil
    {
      throw RPCError(.permissionDenied, "the purchase belongs to another account")
    }
    if let user = wanted ?? holders.first ?? statement.account.flatMap({ UserID($0) }) {
      return user
    }
    if statement.facts.isEmpty { return nil }
    throw RPCError(
      .failedPrecondition,
      "the statement is refused: nobody is known whose purchase it is; name a person in user_id")
  }

  /// Only who has asked the store, or has verified who brought it, speaks for it.
  private static func checkSpeaksForStore(_ context: CallContext) throws(RPCError) {
    switch context.caller {
    case .product, .worker: return
    case .user, .stranger:
      throw RPCError(.permissionDenied, "only a worker or an operator tells what the store said")
    }
  }

  private static func reading(
    _ content: [UInt8], _ body: (JSONValue) throws(StatementProblem) -> Statement
  ) throws(RPCError) -> Statement {
    let value: JSONValue
    do {
      value = try JSONValue(parsing: content, limits: limits)
    } catch {
      throw RPCError(
        .invalidArgument, "the statement is refused: expected JSON of up to 1 MiB", cause: error)
    }
    do throws(StatementProblem) {
      return try body(value)
    } catch {
      throw RPCError(.invalidArgument, "the statement is refused: \(error)")
    }
  }

  /// Compares in a time that does not tell where texts differ.
  private static func isEqual(_ left: String, _ right: String) -> Bool {
    let (left, right) = (Array(left.utf8), Array(right.utf8))
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
  }
}

extension AppleVerifier {
  /// Verifies and reads a statement, whatever it is about, with those inside of it.
  fileprivate func read(
    _ content: [UInt8], now: Instant
  ) async throws(AppleProblem) -> Statement {
    let subject = AppleVerifier.subject(of: content)
    let payload = try await verify(content, about: subject, now: now)
    do throws(StatementProblem) {
      switch subject {
      case .transaction: return try AppleStatements.transaction(payload)
      case .renewalInfo: return try AppleStatements.renewal(payload)
      case .appTransaction: return Statement(facts: [])
      case .notification: break
      }
    } catch {
      throw AppleProblem(malformed: error.description)
    }
    var (transaction, renewal): (JSONValue?, JSONValue?) = (nil, nil)
    if let inner = payload["data"]?["signedTransactionInfo"]?.stringValue {
      transaction = try await verify(Array(inner.utf8), about: .transaction, now: now)
    }
    if let inner = payload["data"]?["signedRenewalInfo"]?.stringValue {
      renewal = try await verify(Array(inner.utf8), about: .renewalInfo, now: now)
    }
    do throws(StatementProblem) {
      return try AppleStatements.notification(
        payload, transaction: try Self.read(transaction, AppleStatements.transaction),
        renewal: try Self.read(renewal, AppleStatements.renewal))
    } catch {
      throw AppleProblem(malformed: error.description)
    }
  }

  private static func read(
    _ payload: JSONValue?, _ body: (JSONValue) throws(StatementProblem) -> Statement
  ) throws(StatementProblem) -> Statement? {
    guard let payload else { return nil }
    return try body(payload)
  }
}

extension RPCError {
  /// A store where the product sells nothing.
  static func notSold(_ key: String) -> RPCError {
    RPCError(
      .failedPrecondition, "the product sells nothing at this store: configure \(key)")
  }
}
