public import KithJSON
import KithTime

/// Reads what Stripe says of subscriptions.
public enum StripeStatements {
  /// The facts of a webhook whose signature was checked.
  /// - Parameter grace: how long a subscription is given that is past due.
  /// - Returns: none for a type that changes nothing.
  public static func event(
    _ value: JSONValue, grace: Duration
  ) throws(StatementProblem) -> Statement {
    let fields = try StatementFields(value)
    let id = try fields.text("id")
    let type = try fields.text("type")
    let at = try StatementProblem.needed(try fields.seconds("created"), "created")
    let object = try fields.inside("data").inside("object")
    let isTest = !fields.bool("livemode")
    if type == "entitlements.active_entitlement_summary.updated" {
      return try summary(object, id: id, at: at, isTest: isTest)
    }
    guard type.hasPrefix("customer.subscription."),
      object.optionalText("object") == "subscription"
    else { return Statement(facts: []) }
    return try subscription(
      object, id: id, at: at, isDeleted: type == "customer.subscription.deleted", grace: grace,
      isTest: isTest)
  }

  private static func subscription(
    _ object: StatementFields, id: String, at moment: Instant, isDeleted: Bool, grace: Duration,
    isTest: Bool
  ) throws(StatementProblem) -> Statement {
    let name = try object.text("id")
    let item = object.object["items"]?["data"]?.arrayValue?.first
    let price = item?["price"]
    guard
      let product = price?["lookup_key"]?.stringValue ?? price?["id"]?.stringValue
        ?? object.object["plan"]?["id"]?.stringValue
    else { throw StatementProblem(.malformed, "items: expected a price") }
    // Newer versions of the API have the period in the item.
    let period = try StatementFields(item)
    let ends = try object.seconds("current_period_end")
    let end = try period.seconds("current_period_end") ?? ends
    func fact(_ kind: StoreFact.Kind, _ part: String = "") -> StoreFact {
      StoreFact(
        origin: .stripe, id: "\(id)\(part)", subscription: name, product: product, at: moment,
        kind: kind, isTest: isTest)
    }
    let status = object.optionalText("status") ?? ""
    let kind: StoreFact.Kind
    switch status {
    case _ where isDeleted: kind = .expired
    case "active", "trialing":
      kind = .paid(until: try StatementProblem.needed(end, "current_period_end"))
    case "past_due": kind = .unpaid(graceUntil: moment + grace)
    case "unpaid": kind = .held
    case "incomplete": kind = .pending
    case "paused": kind = .paused(until: nil)
    case "canceled", "incomplete_expired": kind = .expired
    default: throw StatementProblem(.malformed, "status: expected one that is known")
    }
    var facts = [fact(kind)]
    if status == "active" || status == "trialing", !isDeleted {
      let isOver = object.bool("cancel_at_period_end") || object.integer("cancel_at") != nil
      facts.append(fact(.renewal(isOn: !isOver), "/renews"))
    }
    if status == "past_due" {
      // The period that is not paid has begun: what was paid ends where it began.
      let begins = try object.seconds("current_period_start")
      let begin = try period.seconds("current_period_start") ?? begins
      facts.insert(fact(.paid(until: begin ?? moment), "/paid"), at: 0)
    }
    var statement = Statement(
      facts: facts, account: object.object["metadata"]?["user_id"]?.stringValue)
    statement.customer = object.optionalText("customer")
    return statement
  }

  /// A summary names all entitlements that a customer has: what it does not name is over.
  private static func summary(
    _ object: StatementFields, id: String, at moment: Instant, isTest: Bool
  ) throws(StatementProblem) -> Statement {
    let customer = try object.text("customer")
    let entries = object.object["entitlements"]?["data"]?.arrayValue ?? []
    guard entries.count <= 100 else {
      throw StatementProblem(.malformed, "entitlements: expected up to 100")
    }
    var facts: [StoreFact] = []
    var named: Set<String> = []
    for entry in entries {
      let key = try StatementFields(entry).text("lookup_key")
      let subscription = "\(customer)/\(key)"
      guard named.insert(subscription).inserted else { continue }
      facts.append(
        StoreFact(
          origin: .stripe, id: "\(id)/\(key)", subscription: subscription, product: key, at: moment,
          kind: .paid(until: nil), isTest: isTest))
    }
    var statement = Statement(facts: facts)
    statement.customer = customer
    statement.summary = Statement.Summary(id: id, customer: customer, at: moment)
    return statement
  }
}
