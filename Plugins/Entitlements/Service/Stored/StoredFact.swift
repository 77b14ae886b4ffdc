import EntitlementsDomain
import KithAccess
import KithJSON
import KithRPC
import KithStore
import KithTime

/// A fact as a row.
struct StoredFact: UserRecord {
  static let table = "fact"

  let id: String
  let user: UserID
  let statement: String
  let at: Instant
  /// JSON.
  private let content: Sealed<String>
  /// What the store calls it.
  private let name: Sealed<String>?

  init(_ fact: StoreFact, id: String, user: UserID, statement: String) {
    (self.id, self.user, self.statement, at) = (id, user, statement, fact.at)
    content = Sealed(fact.json.text())
    name = Sealed(Self.name(of: fact))
  }

  init(_ row: RecordReader) throws {
    id = try row["id"]
    user = try row.user()
    statement = try row["statement_id"]
    at = Instant(milliseconds: try row["at_ms"])
    content = try row["content"]
    name = nil
  }

  func write(to row: inout RecordWriter) throws {
    row.set("statement_id", statement)
    row.set("at_ms", at.milliseconds)
    try row.set("content", content)
    row.setIndex("name_index", name)
  }

  /// What tells facts apart, for ever.
  static func name(of fact: StoreFact) -> String { "\(fact.origin.rawValue)/\(fact.id)" }

  /// The fact.
  /// - Throws: where it is damaged, or a later version of the worker wrote it.
  func fact() throws -> StoreFact {
    guard let fact = StoreFact(json: try JSONValue(parsing: try content.value), at: at) else {
      throw RPCError(.dataLoss, "a fact of a store cannot be read")
    }
    return fact
  }
}

extension StoreFact {
  /// All but its time, which has a column.
  fileprivate var json: JSONValue {
    var object: JSONObject = [
      "origin": .string(origin.rawValue), "id": .string(id),
      "subscription": .string(subscription), "product": .string(product),
      "kind": .string(kind.words.name),
    ]
    if let moment = kind.words.moment { object["until_ms"] = .integer(Int64(moment.milliseconds)) }
    if !purchase.isEmpty { object["purchase"] = .string(purchase) }
    if isFamilyShared { object["family_shared"] = true }
    if isTest { object["test"] = true }
    return .object(object)
  }

  fileprivate init?(json: JSONValue, at moment: Instant) {
    let until = json["until_ms"]?.integerValue.map { Instant(milliseconds: Int($0)) }
    guard let origin = json["origin"]?.stringValue.flatMap(Origin.init(rawValue:)),
      let id = json["id"]?.stringValue, let subscription = json["subscription"]?.stringValue,
      let product = json["product"]?.stringValue,
      let kind = json["kind"]?.stringValue.flatMap({ Kind($0, until) })
    else { return nil }
    self.init(
      origin: origin, id: id, subscription: subscription, product: product, at: moment, kind: kind,
      purchase: json["purchase"]?.stringValue ?? "",
      isFamilyShared: json["family_shared"]?.boolValue ?? false,
      isTest: json["test"]?.boolValue ?? false)
  }
}

extension StoreFact.Kind {
  /// In stored words.
  fileprivate var words: (name: String, moment: Instant?) {
    switch self {
    case .paid(let until): ("paid", until)
    case .pending: ("pending", nil)
    case .unpaid(let graceUntil): ("unpaid", graceUntil)
    case .held: ("held", nil)
    case .paused(let until): ("paused", until)
    case .expired: ("expired", nil)
    case .refunded: ("refunded", nil)
    case .refundReversed: ("refund_reversed", nil)
    case .revoked: ("revoked", nil)
    case .upgraded: ("upgraded", nil)
    case .renewal(let isOn): (isOn ? "renewal_on" : "renewal_off", nil)
    }
  }

  fileprivate init?(_ name: String, _ moment: Instant?) {
    switch name {
    case "paid": self = .paid(until: moment)
    case "pending": self = .pending
    case "unpaid": self = .unpaid(graceUntil: moment)
    case "held": self = .held
    case "paused": self = .paused(until: moment)
    case "expired": self = .expired
    case "refunded": self = .refunded
    case "refund_reversed": self = .refundReversed
    case "revoked": self = .revoked
    case "upgraded": self = .upgraded
    case "renewal_on": self = .renewal(isOn: true)
    case "renewal_off": self = .renewal(isOn: false)
    default: return nil
    }
  }
}
