public import KithJSON
import KithTime

/// Reads what RevenueCat says of a customer.
public enum RevenueCatStatements {
  /// The facts of a webhook whose authorization was checked.
  /// - Returns: none for a test, and for a type that changes nothing.
  public static func event(_ value: JSONValue) throws(StatementProblem) -> Statement {
    let event = try StatementFields(value).inside("event")
    let type = try event.text("type")
    let at = try StatementProblem.needed(
      try event.moment("event_timestamp_ms"), "event_timestamp_ms")
    let id = try event.text("id")
    if type == "TEST" { return Statement(facts: []) }
    guard let account = event.optionalText("app_user_id"),
      let product = event.optionalText("product_id")
    else { return Statement(facts: [], account: event.optionalText("app_user_id")) }
    let expires = try event.moment("expiration_at_ms")
    let kinds = try kinds(of: type, event, expires: expires, at: at)
    // A product is sold in its base plan: `plus:monthly`.
    let subscription = event.optionalText("original_transaction_id") ?? "\(account)/\(product)"
    let facts = kinds.enumerated().map { index, kind in
      StoreFact(
        origin: .revenueCat, id: index == 0 ? id : "\(id)/\(index)", subscription: subscription,
        product: product, at: at, kind: kind,
        purchase: event.optionalText("transaction_id") ?? "",
        isFamilyShared: event.bool("is_family_share"),
        isTest: event.optionalText("environment") != "PRODUCTION")
    }
    return Statement(facts: facts, account: account)
  }

  private static func kinds(
    of type: String, _ event: StatementFields, expires: Instant?, at moment: Instant
  ) throws(StatementProblem) -> [StoreFact.Kind] {
    switch type {
    case "INITIAL_PURCHASE", "RENEWAL", "SUBSCRIPTION_EXTENDED":
      [.paid(until: expires), .renewal(isOn: true)]
    case "NON_RENEWING_PURCHASE", "TEMPORARY_ENTITLEMENT_GRANT":
      [.paid(until: expires), .renewal(isOn: false)]
    case "UNCANCELLATION": [.renewal(isOn: true)]
    case "CANCELLATION":
      switch event.optionalText("cancel_reason") {
      case "CUSTOMER_SUPPORT": [.refunded]
      case "BILLING_ERROR": []
      default: [.renewal(isOn: false)]
      }
    case "REFUND_REVERSED": [.refundReversed]
    case "BILLING_ISSUE":
      [.unpaid(graceUntil: try event.moment("grace_period_expiration_at_ms"))]
    case "EXPIRATION": [.expired]
    case "SUBSCRIPTION_PAUSED": [.paused(until: try event.moment("auto_resume_at_ms"))]
    default: []
    }
  }

  /// The facts of a customer, as `GET /v1/subscribers` answers.
  public static func customer(_ value: JSONValue) throws(StatementProblem) -> Statement {
    let fields = try StatementFields(value)
    let at = try StatementProblem.needed(try fields.moment("request_date_ms"), "request_date_ms")
    let customer = try fields.inside("subscriber")
    let account = try customer.text("original_app_user_id")
    var facts: [StoreFact] = []
    for member in customer.object["subscriptions"]?.objectValue?.members ?? [] {
      facts += try subscription(member.name, StatementFields(member.value), account, at: at)
    }
    for member in customer.object["non_subscriptions"]?.objectValue?.members ?? [] {
      for entry in member.value.arrayValue ?? [] {
        let purchase = try StatementFields(entry)
        let id = try purchase.text("id")
        let bought = try StatementProblem.needed(
          try purchase.date("purchase_date"), "purchase_date")
        facts.append(
          StoreFact(
            origin: .revenueCat, id: "import/\(id)", subscription: id, product: member.name,
            at: bought, kind: .paid(until: nil), purchase: id,
            isTest: purchase.bool("is_sandbox")))
      }
    }
    guard facts.count <= 1000 else {
      throw StatementProblem(.malformed, "expected up to 1000 purchases")
    }
    return Statement(facts: facts, account: account)
  }

  private static func subscription(
    _ product: String, _ fields: StatementFields, _ account: String, at asked: Instant
  ) throws(StatementProblem) -> [StoreFact] {
    let bought = try StatementProblem.needed(try fields.date("purchase_date"), "purchase_date")
    let expires = try fields.date("expires_date")
    // Google numbers renewals behind two dots.
    let payment = fields.optionalText("store_transaction_id")
      .flatMap { $0.split(separator: "..").first.map(String.init) }
    let id =
      fields.optionalText("original_transaction_id") ?? payment ?? "\(account)/\(product)"
    var kinds: [(StoreFact.Kind, Instant)] = [(.paid(until: expires), bought)]
    if let grace = try fields.date("grace_period_expires_date") {
      kinds.append((.unpaid(graceUntil: grace), asked))
    } else if try fields.date("billing_issues_detected_at") != nil {
      kinds.append((.held, asked))
    }
    let isOff = try fields.date("unsubscribe_detected_at") != nil
    kinds.append((.renewal(isOn: !isOff), asked))
    if let resumes = try fields.date("auto_resume_date") {
      kinds.append((.paused(until: resumes), asked))
    }
    if let refunded = try fields.date("refunded_at") { kinds.append((.refunded, refunded)) }
    return kinds.enumerated().map { index, kind in
      StoreFact(
        origin: .revenueCat,
        id: "import/\(id)/\(kind.1.milliseconds)/\(index)/\(expires?.milliseconds ?? 0)",
        subscription: id, product: product, at: kind.1, kind: kind.0,
        isFamilyShared: fields.optionalText("ownership_type") == "FAMILY_SHARED",
        isTest: fields.bool("is_sandbox"))
    }
  }
}
