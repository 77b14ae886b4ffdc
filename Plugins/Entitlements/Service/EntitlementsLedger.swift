import BillingContract
import EntitlementsDomain
import FoundationEssentials
import KithAccess
import KithRPC
import KithStore
import KithTime

/// Reads people and their facts in one transaction.
struct EntitlementsLedger<Reading: Transaction> {
  let book: EntitlementsBook
  let transaction: Reading
  /// Time that does not go back.
  let now: Instant

  init(_ book: EntitlementsBook, _ transaction: Reading) throws {
    (self.book, self.transaction) = (book, transaction)
    let stored = try transaction.record(StoredTime.self, id: StoredTime.only)
    var time = stored?.time ?? LatestTime(latest: book.wall)
    now = time.observe(book.wall)
  }

  /// Somebody's row; a new one where there is none.
  func person(_ user: UserID) throws -> StoredPerson {
    try transaction.record(StoredPerson.self, id: user.text, under: EntitlementsBook.ownGrant)
      ?? StoredPerson(user: user, plan: book.settings.catalogue.plans[0].name)
  }

  /// What somebody's facts come to.
  func subscriptions(of person: StoredPerson) throws -> [EntitlementsDomain.Subscription] {
    if let known = book.folded.subscriptions(of: person.user, at: person.revision) { return known }
    let rows = try transaction.records(
      StoredFact.self, where: "user_id = \(person.user)", under: EntitlementsBook.ownGrant)
    let subscriptions = EntitlementsDomain.Subscription.fold(try rows.map { try $0.fact() })
    // What is being written may be taken back, and its revision come again with other facts.
    if transaction is ReadTransaction {
      book.folded.keep(subscriptions, of: person.user, at: person.revision)
    }
    return subscriptions
  }

  /// What somebody is entitled to.
  func entitlement(of person: StoredPerson) throws -> EntitlementsDomain.Entitlement {
    EntitlementsDomain.Entitlement.decide(
      try subscriptions(of: person), in: book.settings.catalogue, now: now,
      countsTests: book.settings.countsTests)
  }

  /// What is over because a statement that names all of a customer's does not name it.
  func whatIsOver(by statement: Statement, of user: UserID) throws -> [StoreFact] {
    guard let summary = statement.summary else { return [] }
    let named = Set(statement.facts.map(\.subscription))
    return try subscriptions(of: try person(user))
      .filter { $0.id.hasPrefix("\(summary.customer)/") && !named.contains($0.id) }
      .map { subscription in
        StoreFact(
          origin: subscription.origin, id: "\(summary.id)/over/\(subscription.id)",
          subscription: subscription.id, product: subscription.product, at: summary.at,
          kind: .expired, isTest: subscription.isTest)
      }
  }

  /// Whose a subscription or an account is; nil for nobody's.
  func holder(of name: String) throws -> StoredHolding? {
    let index = transaction.index(of: name, in: StoredHolding.self, "name_index")
    return try transaction.records(
      StoredHolding.self, where: "name_index = \(index)", limit: 1,
      under: EntitlementsBook.ownGrant
    ).first
  }
}

extension EntitlementsLedger where Reading == WriteTransaction {
  /// How far time goes on until it is written down.
  private static var tick: Duration { .seconds(60) }

  /// A ledger that writes down how far time has come.
  static func writing(
    _ book: EntitlementsBook, _ transaction: WriteTransaction
  ) throws -> EntitlementsLedger {
    let ledger = try EntitlementsLedger(book, transaction)
    let stored = try transaction.record(StoredTime.self, id: StoredTime.only)
    if stored.map({ ledger.now - $0.time.latest >= tick }) ?? true {
      try transaction.save(StoredTime(LatestTime(latest: ledger.now)))
    }
    return ledger
  }

  /// Writes somebody's row with what their facts come to now, and tells of another plan.
  @discardableResult
  func settle(_ person: StoredPerson, traceparent: String) throws -> EntitlementsDomain.Entitlement
  {
    var person = person
    let entitlement = try entitlement(of: person)
    let (plan, before) = (entitlement.plan.name, person.plan)
    person.plan = plan
    // What is sold may wait for its begin, too: nothing that does not give tells a time.
    person.nextChange = entitlement.until
    try transaction.save(person, under: EntitlementsBook.ownGrant)
    if plan != before {
      try transaction.append(
        EntitlementChanged(
          plan: plan, previousPlan: before, features: entitlement.plan.features.sorted()),
        about: person.user, at: Int64(now.milliseconds), traceparent: traceparent)
    }
    return entitlement
  }

  /// Writes facts that are not known yet, with the statement that they were read from.
  /// - Returns: what the person is entitled to then.
  func add(
    _ facts: [StoreFact], of user: UserID, from content: [UInt8], traceparent: String
  ) throws -> EntitlementsDomain.Entitlement {
    var person = try person(user)
    let new = try facts.filter { fact in
      let index = transaction.index(
        of: StoredFact.name(of: fact), in: StoredFact.self, "name_index")
      return try transaction.count(
        of: StoredFact.self, where: "name_index = \(index)", under: EntitlementsBook.ownGrant)
        == 0
    }
    guard let origin = new.first?.origin else {
      return try settle(person, traceparent: traceparent)
    }
    let id = UUID().uuidString.lowercased()
    try transaction.save(
      StoredStatement(id: id, user: user, origin: origin, receivedAt: now, content: content),
      under: EntitlementsBook.ownGrant)
    var names: Set<String> = []
    for (number, fact) in new.enumerated() where names.insert(fact.id).inserted {
      try transaction.save(
        StoredFact(fact, id: "\(id)/\(number)", user: user, statement: id),
        under: EntitlementsBook.ownGrant)
      try hold(StoredHolding.subscription(fact.origin, fact.subscription), user)
    }
    // No revision comes again after an erasure.
    person.revision = max(person.revision + 1, Int64(now.milliseconds))
    return try settle(person, traceparent: traceparent)
  }

  /// Notes whose a subscription or an account is.
  func hold(_ name: String, _ user: UserID) throws {
    guard try holder(of: name) == nil else { return }
    try transaction.save(
      StoredHolding(id: UUID().uuidString.lowercased(), user: user, name: name),
      under: EntitlementsBook.ownGrant)
  }
}
