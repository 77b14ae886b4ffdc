public import KithJSON
public import KithTime

/// Reads what Google Play says of purchases.
public enum GoogleStatements {
  /// How long a subscription counts of which only the purchase is known, and how long a renewal
  /// does until its state was asked for.
  public static let unasked = Duration.seconds(72 * 3600)

  /// The facts of a purchase whose signature was verified.
  /// - Returns: none of one that was cancelled before it was paid.
  public static func purchase(
    _ value: JSONValue, package: String
  ) throws(StatementProblem) -> Statement {
    let fields = try StatementFields(value)
    guard fields.optionalText("packageName") == package else {
      throw StatementProblem(.elsewhere, "the purchase is of another app")
    }
    let token = try fields.text("purchaseToken")
    let product = try fields.text("productId")
    let bought = try StatementProblem.needed(try fields.moment("purchaseTime"), "purchaseTime")
    // What renews says so, either way; what is bought once says nothing of it.
    let renews = fields.object["autoRenewing"]?.boolValue
    let kind: StoreFact.Kind
    switch fields.integer("purchaseState") ?? 0 {
    case 0: kind = .paid(until: renews == nil ? nil : bought + unasked)
    case 1: kind = .expired
    case 2, 4: kind = .pending
    default: throw StatementProblem(.malformed, "purchaseState: expected 0, 1, 2 or 4")
    }
    // A licence tester has no order.
    let isTest = fields.optionalText("orderId") == nil && kind != .pending
    func fact(_ kind: StoreFact.Kind, _ name: String) -> StoreFact {
      StoreFact(
        origin: .google, id: "\(token)/\(name)", subscription: token, product: product, at: bought,
        kind: kind, purchase: fields.optionalText("orderId") ?? "", isTest: isTest)
    }
    var facts = [fact(kind, "purchase/\(fields.integer("purchaseState") ?? 0)")]
    if let renews { facts.append(fact(.renewal(isOn: renews), "renews/\(renews)")) }
    return Statement(facts: facts, account: fields.optionalText("obfuscatedAccountId"))
  }

  /// The facts of a SubscriptionPurchaseV2.
  /// - Parameter asked: when Google was asked.
  public static func state(
    _ value: JSONValue, token: String, asked: Instant
  ) throws(StatementProblem) -> Statement {
    let fields = try StatementFields(value)
    guard (1...4096).contains(token.utf8.count) else {
      throw StatementProblem(.malformed, "token: expected the purchase token")
    }
    let (line, expires) = try longestLine(of: fields)
    let product = try line.text("productId")
    let isTest = fields.object["testPurchase"]?.objectValue != nil
    func fact(_ kind: StoreFact.Kind, _ name: String, at moment: Instant) -> StoreFact {
      StoreFact(
        origin: .google, id: "\(token)/\(name)/\(moment.milliseconds)", subscription: token,
        product: product, at: moment, kind: kind,
        purchase: fields.optionalText("latestOrderId") ?? "", isTest: isTest)
    }
    let paid = fact(
      .paid(until: expires), "paid/\(expires.map { "\($0.milliseconds)" } ?? "")", at: asked)
    var facts: [StoreFact]
    switch fields.optionalText("subscriptionState") {
    case "SUBSCRIPTION_STATE_ACTIVE": facts = [paid]
    case "SUBSCRIPTION_STATE_CANCELED":
      facts = [paid, fact(.renewal(isOn: false), "canceled", at: asked)]
    case "SUBSCRIPTION_STATE_IN_GRACE_PERIOD":
      facts = [
        fact(.paid(until: asked), "paid", at: asked),
        fact(.unpaid(graceUntil: expires), "grace", at: asked),
      ]
    case "SUBSCRIPTION_STATE_ON_HOLD":
      facts = [fact(.paid(until: asked), "paid", at: asked), fact(.held, "hold", at: asked)]
    case "SUBSCRIPTION_STATE_PAUSED":
      let resumes = try fields.inside("pausedStateContext").date("autoResumeTime")
      facts = [fact(.paused(until: resumes), "paused", at: asked)]
    case "SUBSCRIPTION_STATE_EXPIRED", "SUBSCRIPTION_STATE_PENDING_PURCHASE_CANCELED":
      facts = [fact(.expired, "expired", at: asked)]
    case "SUBSCRIPTION_STATE_PENDING": facts = [fact(.pending, "pending", at: asked)]
    default:
      throw StatementProblem(.malformed, "subscriptionState: expected one that is known")
    }
    if facts[0] == paid,
      line.object["autoRenewingPlan"]?["autoRenewEnabled"]?.boolValue == true
    {
      facts.append(fact(.renewal(isOn: true), "renews", at: asked))
    }
    var statement = Statement(
      facts: facts,
      account: fields.object["externalAccountIdentifiers"]?["obfuscatedExternalAccountId"]?
        .stringValue)
    if let old = fields.optionalText("linkedPurchaseToken"), old != token {
      statement.replaced = [old]
      statement.facts.append(
        StoreFact(
          origin: .google, id: "\(token)/replaces", subscription: old, product: product,
          at: try fields.date("startTime") ?? asked, kind: .upgraded, isTest: isTest))
    }
    return statement
  }

  /// Of several lines the one that lasts longest counts.
  private static func longestLine(
    of fields: StatementFields
  ) throws(StatementProblem) -> (line: StatementFields, expires: Instant?) {
    let items = fields.object["lineItems"]?.arrayValue ?? []
    guard let first = items.first, items.count <= 20 else {
      throw StatementProblem(.malformed, "lineItems: expected one to twenty")
    }
    var (line, expires) = (try StatementFields(first), nil as Instant?)
    for item in items {
      let fields = try StatementFields(item)
      let end = try fields.date("expiryTime")
      if let end, expires.map({ end > $0 }) ?? true { (line, expires) = (fields, end) }
    }
    return (line, expires)
  }

  /// The facts of a real-time developer notification.
  /// - Parameter value: the body of a push request of Pub/Sub, or its data.
  /// - Returns: none for a test, and for what is about no subscription.
  public static func notification(
    _ value: JSONValue, package: String
  ) throws(StatementProblem) -> Statement {
    var fields = try StatementFields(value)
    if fields.object["message"] != nil {
      let data = try fields.inside("message").text("data")
      guard let bytes = Base64.decode(data), let inner = try? JSONValue(parsing: bytes) else {
        throw StatementProblem(.malformed, "message.data: expected JSON in base64")
      }
      fields = try StatementFields(inner)
    }
    guard fields.optionalText("packageName") == package else {
      throw StatementProblem(.elsewhere, "the notification is about another app")
    }
    let at = try StatementProblem.needed(try fields.moment("eventTimeMillis"), "eventTimeMillis")
    if fields.object["testNotification"] != nil { return Statement(facts: []) }
    if fields.object["voidedPurchaseNotification"] != nil {
      let voided = try fields.inside("voidedPurchaseNotification")
      let token = try voided.text("purchaseToken")
      return Statement(facts: [
        StoreFact(
          origin: .google, id: "\(token)/voided/\(at.milliseconds)", subscription: token,
          product: "", at: at, kind: .refunded, purchase: voided.optionalText("orderId") ?? "")
      ])
    }
    guard fields.object["subscriptionNotification"] != nil else { return Statement(facts: []) }
    let notice = try fields.inside("subscriptionNotification")
    let token = try notice.text("purchaseToken")
    guard let type = notice.integer("notificationType") else {
      throw StatementProblem(.malformed, "notificationType: expected a number")
    }
    guard let kind = kind(ofNotification: type, at: at) else { return Statement(facts: []) }
    return Statement(facts: [
      StoreFact(
        origin: .google, id: "\(token)/notice/\(type)/\(at.milliseconds)", subscription: token,
        product: notice.optionalText("subscriptionId") ?? "", at: at, kind: kind)
    ])
  }

  /// What a notification of a type says; nil for what changes nothing.
  private static func kind(ofNotification type: Int64, at moment: Instant) -> StoreFact.Kind? {
    switch type {
    // Recovered, renewed, purchased, restarted: how far it is paid, the state tells.
    case 1, 2, 4, 7: .paid(until: moment + unasked)
    case 3: .renewal(isOn: false)
    case 5: .held
    case 6: .unpaid(graceUntil: moment + unasked)
    case 10: .paused(until: nil)
    case 12: .revoked
    case 13, 20: .expired
    default: nil
    }
  }
}
