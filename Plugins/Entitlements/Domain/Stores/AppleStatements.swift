public import KithJSON
import KithTime

/// Reads what Apple has signed, after it was verified.
public enum AppleStatements {
  /// The facts of a transaction. A payment counts from when it was made, whenever its statement was
  /// signed: an old one that is signed once more changes nothing.
  /// - Returns: none where another payment has taken its place.
  public static func transaction(_ payload: JSONValue) throws(StatementProblem) -> Statement {
    let fields = try StatementFields(payload)
    let id = try fields.name("transactionId")
    let subscription = try fields.name("originalTransactionId")
    let product = try fields.text("productId")
    let bought = try StatementProblem.needed(try fields.moment("purchaseDate"), "purchaseDate")
    let expires = try fields.moment("expiresDate")
    if expires == nil, fields.optionalText("type") == "Auto-Renewable Subscription" {
      throw StatementProblem(.malformed, "expiresDate: expected a moment")
    }
    let isShared = fields.optionalText("inAppOwnershipType") == "FAMILY_SHARED"
    let isTest = fields.optionalText("environment") != "Production"
    func fact(_ kind: StoreFact.Kind, _ name: String, at moment: Instant) -> StoreFact {
      StoreFact(
        origin: .apple, id: "\(id)/\(name)", subscription: subscription, product: product,
        at: moment, kind: kind, purchase: id, isFamilyShared: isShared, isTest: isTest)
    }
    let end = expires.map { "\($0.milliseconds)" } ?? "ever"
    var facts = [fact(.paid(until: expires), "paid/\(end)", at: bought)]
    if fields.bool("isUpgraded") { facts.append(fact(.upgraded, "upgraded", at: bought)) }
    if let revoked = try fields.moment("revocationDate") {
      let kind: StoreFact.Kind = isShared ? .revoked : .refunded
      facts.append(fact(kind, "taken/\(revoked.milliseconds)", at: max(revoked, bought)))
    }
    return Statement(facts: facts, account: fields.optionalText("appAccountToken"))
  }

  /// The facts of renewal info.
  public static func renewal(_ payload: JSONValue) throws(StatementProblem) -> Statement {
    let fields = try StatementFields(payload)
    let subscription = try fields.name("originalTransactionId")
    let signed = try StatementProblem.needed(try fields.moment("signedDate"), "signedDate")
    let product = fields.optionalText("productId") ?? ""
    let isTest = fields.optionalText("environment") != "Production"
    func fact(_ kind: StoreFact.Kind, _ name: String) -> StoreFact {
      StoreFact(
        origin: .apple, id: "\(subscription)/\(name)/\(signed.milliseconds)",
        subscription: subscription, product: product, at: signed, kind: kind, isTest: isTest)
    }
    var facts: [StoreFact] = []
    if let status = fields.integer("autoRenewStatus") {
      facts.append(fact(.renewal(isOn: status == 1), "renews/\(status)"))
    }
    if let grace = try fields.moment("gracePeriodExpiresDate") {
      facts.append(fact(.unpaid(graceUntil: grace), "grace/\(grace.milliseconds)"))
    } else if fields.bool("isInBillingRetryPeriod") {
      facts.append(fact(.held, "retry"))
    }
    return Statement(facts: facts)
  }

  /// The facts of a notification.
  /// - Parameters:
  ///   - transaction: what its signed transaction says, where it has one.
  ///   - renewal: what its signed renewal info says.
  public static func notification(
    _ payload: JSONValue, transaction: Statement?, renewal: Statement?
  ) throws(StatementProblem) -> Statement {
    let fields = try StatementFields(payload)
    let id = try fields.text("notificationUUID")
    let type = try fields.text("notificationType")
    let signed = try StatementProblem.needed(try fields.moment("signedDate"), "signedDate")
    var facts = (transaction?.facts ?? []) + (renewal?.facts ?? [])
    let kind: StoreFact.Kind? =
      switch type {
      case "EXPIRED": .expired
      case "GRACE_PERIOD_EXPIRED": .held
      case "REFUND": .refunded
      case "REFUND_REVERSED": .refundReversed
      case "REVOKE": .revoked
      default: nil
      }
    if let kind, let about = facts.first {
      facts.append(
        StoreFact(
          origin: .apple, id: id, subscription: about.subscription, product: about.product,
          at: signed, kind: kind, purchase: transaction?.facts.first?.purchase ?? "",
          isFamilyShared: about.isFamilyShared, isTest: about.isTest))
    }
    return Statement(facts: facts, account: transaction?.account)
  }
}
