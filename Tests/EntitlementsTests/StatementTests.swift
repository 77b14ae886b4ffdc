import BillingContract
import EntitlementsDomain
import Foundation
import KithJSON
import KithRPC
import KithTime
import TestCertificates
import Testing

@testable import EntitlementsService

/// What stores say, behind the contract: what is right becomes facts, what is not is refused with
/// its reason, and nothing is recorded. The numbers are those of the edge cases of billing that the
/// work was accepted by.
@Suite struct StatementTests {
  private let desk: Desk
  private var noon: Instant { Desk.noon }

  init() throws { desk = try Desk() }

  private func days(_ number: Int) -> Instant { noon + .seconds(Int64(number) * 86_400) }

  // MARK: Apple

  @Test func aPurchaseGivesItsPlanUntilItEnds() async throws {
    #expect(try await desk.plan() == "free")
    let answer = try await desk.apple(desk.transaction())
    #expect(answer.plan == "plus" && answer.untilMs == days(30).contract)
    #expect(answer.basis == .subscription && answer.features == ["ask", "digest", "reminders"])
    #expect(try await desk.plan("bob") == "free")
    // 21: what is known stands for 72 hours after it ended.
    desk.now = days(30) + .seconds(71 * 3600)
    #expect(try await desk.plan() == "plus")
    try await desk.settle()
    desk.now = days(30) + .seconds(73 * 3600)
    #expect(try await desk.plan() == "free")
    try await desk.settle()
    // 20: a clock that is set back revives nothing.
    desk.now = days(-335)
    #expect(try await desk.plan() == "free")
    #expect(try await desk.events() == ["EntitlementChanged", "EntitlementChanged"])
  }

  /// 12.
  @Test func theSameStatementTwiceIsOneFact() async throws {
    let notice = try desk.notification("SUBSCRIBED", uuid: "u", desk.transaction())
    for _ in 0..<3 { try await desk.apple(notice) }
    try await desk.apple(desk.transaction())
    #expect(
      try await desk.rows() == ["statement": 1, "fact": 1, "holding": 1, "person": 1])
  }

  /// 11.
  @Test func anOldRenewalThatComesAfterTheRefundChangesNothing() async throws {
    let refunded = desk.transaction { $0["revocationDate"] = .integer(days(20).contract) }
    desk.now = days(20)
    try await desk.apple(try desk.notification("REFUND", at: days(20), refunded))
    #expect(try await desk.plan() == "free")
    try await desk.apple(try desk.notification("DID_RENEW", at: days(10), desk.transaction()))
    #expect(try await desk.plan() == "free")
    try await desk.apple(
      try desk.notification("REFUND_REVERSED", at: days(20) + .seconds(60), desk.transaction()))
    #expect(try await desk.plan() == "plus")
  }

  /// 13.
  @Test func graceRetryAndRecovery() async throws {
    let renewal: JSONValue = [
      "originalTransactionId": "1", "autoRenewStatus": 1, "isInBillingRetryPeriod": true,
      "gracePeriodExpiresDate": .integer(days(46).contract), "environment": "Production",
      "signedDate": .integer(days(30).contract),
    ]
    desk.now = days(31)
    try await desk.apple(
      try desk.notification(
        "DID_FAIL_TO_RENEW", at: days(30), desk.transaction(), renewal: renewal))
    #expect(try await desk.plan() == "plus")
    desk.now = days(47)
    #expect(try await desk.plan() == "free")
    try await desk.apple(
      desk.transaction("3", bought: days(47), until: days(77)))
    #expect(try await desk.plan() == "plus")
  }

  /// 22 and 23.
  @Test func familyAndUpgrades() async throws {
    let shared = desk.transaction("8", of: "7") { $0["inAppOwnershipType"] = "FAMILY_SHARED" }
    try await desk.apple(shared)
    #expect(try await desk.plan() == "plus")
    desk.now = days(3)
    let gone = desk.transaction("8", of: "7") {
      $0["inAppOwnershipType"] = "FAMILY_SHARED"
      $0["revocationDate"] = .integer(days(3).contract)
    }
    try await desk.apple(try desk.notification("REVOKE", at: days(3), gone))
    #expect(try await desk.plan() == "free")
    try await desk.apple(desk.transaction { $0["isUpgraded"] = true })
    #expect(try await desk.plan() == "free")
    try await desk.apple(
      desk.transaction("9", product: "premium.monthly", bought: days(2), until: days(30)))
    #expect(try await desk.plan() == "premium")
  }

  /// 15, at Apple: what one has shown is no other's.
  @Test func aPurchaseBelongsToOnePerson() async throws {
    try await desk.apple(desk.transaction { $0["appAccountToken"] = "T-1" })
    #expect(
      await refusal { try await desk.apple(desk.transaction(), as: "bob") }?.code
        == .permissionDenied)
    // Another purchase of the same account.
    #expect(
      await refusal {
        try await desk.apple(
          desk.transaction("12", of: "11") { $0["appAccountToken"] = "t-1" }, as: "bob")
      }?.code == .permissionDenied)
    #expect(try await desk.rows()["fact"] == 1)
    // A notification that names nobody is about whoever has shown it.
    try await desk.apple(
      desk.transaction("3", bought: days(1), until: days(60)), as: nil)
    desk.now = days(40)
    #expect(try await desk.plan() == "plus")
    #expect(
      await refusal { try await desk.apple(desk.transaction("22", of: "21"), as: nil) }?.code
        == .failedPrecondition)
  }

  @Test func testPurchasesAreMarkedAndDoNotCount() async throws {
    let sandbox = desk.transaction { $0["environment"] = "Sandbox" }
    #expect(try await desk.apple(sandbox).plan == "free")
    let why = try await desk.service.explain(
      ExplainRequest(feature: "digest"), context: desk.call(as: "ada"))
    #expect(!why.isAllowed && why.subscriptions.map(\.isTest) == [true])
    #expect(why.changes.contains { $0.contains("test") })
    let lenient = try Desk(tests: true)
    let same = lenient.transaction { $0["environment"] = "Sandbox" }
    #expect(try await lenient.apple(same).plan == "plus")
  }

  /// 2 to 10, behind the contract.
  @Test func whatAppleHasNotSignedLeavesNothing() async throws {
    let good = String(decoding: try desk.chain.statement(desk.transaction()), as: UTF8.self)
    let segments = good.split(separator: ".").map(String.init)
    let none = SigningChain.base64URL(#"{"alg":"none"}"#)
    let other = try SigningChain(begin: Double(noon.seconds) - 86_400)
    let twice = #"{"bundleId":"app.milo","bundleId":"app.milo"}"#
    let bad: [[UInt8]] = [
      [], Array("..".utf8), Array(good.dropLast().utf8), Array((good + ".x").utf8),
      Array("\(none).\(segments[1]).".utf8), Array(repeating: 0x41, count: 10 << 20),
      Array("\(segments[0]).\(SigningChain.base64URL(twice)).\(segments[2])".utf8),
      try desk.chain.statement(desk.transaction(), algorithm: "HS256"),
      try desk.chain.statement(desk.transaction(), algorithm: "ES384"),
      try desk.chain.statement(desk.transaction(), inDER: true),
      try desk.chain.statement(
        desk.transaction(), certificates: Array(repeating: desk.chain.leaf, count: 100)),
      try desk.chain.statement(
        desk.transaction(), certificates: [desk.chain.leaf, desk.chain.intermediate]),
      try other.statement(desk.transaction()),
      try desk.chain.statement(desk.transaction { $0["bundleId"] = "app.other" }),
      try desk.chain.statement(desk.transaction { $0["environment"] = "Xcode" }),
      try desk.chain.statement(desk.transaction { $0["environment"] = "LocalTesting" }),
      // Of next year.
      try desk.chain.statement(desk.transaction(bought: days(365), until: days(395))),
      try desk.chain.statement(desk.transaction { $0["purchaseDate"] = nil }),
      try desk.chain.statement(desk.transaction { $0["purchaseDate"] = "soon" }),
    ]
    for (number, statement) in bad.enumerated() {
      let error = await refusal { try await desk.apple(statement) }
      #expect(error?.code == .invalidArgument, "\(number): \(error as Any)")
      #expect(error?.message.contains("refused") == true && error?.message.contains("T-1") == false)
    }
    #expect(try await desk.rows().isEmpty)
  }

  /// Each bit of a statement matters. KITH_LONG_TESTS flips all of them.
  @Test func aFlippedBitAnywhereIsRefused() async throws {
    let good = try desk.chain.statement(desk.transaction())
    let step = ProcessInfo.processInfo.environment["KITH_LONG_TESTS"] == nil ? 23 : 1
    for bit in stride(from: 0, to: good.count * 8, by: step) {
      var flipped = good
      flipped[bit / 8] ^= 1 << UInt8(bit % 8)
      let error = await refusal { try await desk.apple(flipped) }
      // The root that comes along is not looked at, and its certificate may be any.
      if error == nil {
        #expect(try await desk.rows()["fact"] == 1, "bit \(bit)")
        continue
      }
      #expect(error?.code == .invalidArgument, "bit \(bit): \(error as Any)")
    }
  }

  // MARK: Google

  private func purchase(_ token: String = "tok", state: Int = 0, renewing: Bool? = true) -> String {
    let renews = renewing.map { #","autoRenewing":\#($0)"# } ?? ""
    return #"{"orderId":"GPA.1","packageName":"app.milo","productId":"plus.monthly","#
      + #""purchaseTime":\#(noon.contract),"purchaseState":\#(state),"purchaseToken":"\#(token)"\#(renews)}"#
  }

  /// 14 and 15.
  @Test func googleSignsTheVeryBytes() async throws {
    let json = purchase()
    #expect(try await desk.googlePurchase(json).plan == "plus")
    let spaced = json.replacing(",", with: ", ")
    #expect(
      await refusal { try await desk.googlePurchase(spaced, signed: json) }?.code
        == .invalidArgument)
    #expect(
      await refusal { try await desk.googlePurchase(json, as: "bob") }?.code == .permissionDenied)
    let foreign = purchase("other").replacing("app.milo", with: "app.other")
    #expect(await refusal { try await desk.googlePurchase(foreign) }?.code == .invalidArgument)
    #expect(try await desk.rows()["statement"] == 1)
    // The purchase alone tells no end.
    desk.now = days(7)
    #expect(try await desk.plan() == "free")
    // What is not paid yet gives nothing; what does not renew gives for ever.
    #expect(try await desk.googlePurchase(purchase("pending", state: 4)).plan == "free")
    #expect(try await desk.googlePurchase(purchase("once", renewing: nil)).plan == "plus")
  }

  private func state(
    _ name: String, until: Instant, _ more: String = ""
  ) -> [UInt8] {
    Array(
      """
      {"subscriptionState": "SUBSCRIPTION_STATE_\(name)", "latestOrderId": "GPA.1", \(more)
       "lineItems": [{"productId": "plus.monthly", "expiryTime": "\(until)",
                      "autoRenewingPlan": {"autoRenewEnabled": \(name != "CANCELED")}}]}
      """.utf8)
  }

  @Test func theStatesOfGoogle() async throws {
    try await desk.googlePurchase(purchase())
    func tell(_ bytes: [UInt8], token: String = "tok", as user: String? = nil) async throws
      -> String
    {
      try await desk.service.recordGoogleState(
        RecordGoogleStateRequest(token: token, state: bytes), context: desk.call(as: user)
      ).plan
    }
    var day = 1
    for (name, given) in [
      ("ACTIVE", "plus"), ("IN_GRACE_PERIOD", "plus"), ("ON_HOLD", "free"), ("ACTIVE", "plus"),
      ("CANCELED", "plus"), ("PAUSED", "free"), ("ACTIVE", "plus"), ("EXPIRED", "free"),
    ] {
      desk.now = days(day)
      let more = name == "PAUSED" ? #""pausedStateContext": {},"# : ""
      #expect(try await tell(state(name, until: days(day + 20), more)) == given, "\(name)")
      day += 1
    }
    // A person tells nothing in the store's name; a token that nobody has shown is nobody's.
    #expect(
      await refusal { try await tell(state("ACTIVE", until: days(40)), as: "ada") }?.code
        == .permissionDenied)
    #expect(
      await refusal { try await tell(state("ACTIVE", until: days(40)), token: "new") }?.code
        == .failedPrecondition)
    // An upgrade ends what it replaces, and is the same person's.
    let upgraded = state(
      "ACTIVE", until: days(60), #""linkedPurchaseToken": "tok", "startTime": "\#(days(9))","#)
    #expect(try await tell(upgraded, token: "tok2") == "plus")
    #expect(
      await refusal { try await tell(state("SOLD", until: days(9))) }?.code == .invalidArgument)
  }

  @Test func notificationsOfGoogle() async throws {
    try await desk.googlePurchase(purchase())
    func notify(_ type: Int, at moment: Instant) async throws -> String {
      let inner =
        #"{"version":"1.0","packageName":"app.milo","eventTimeMillis":"\#(moment.contract)","#
        + #""subscriptionNotification":{"notificationType":\#(type),"purchaseToken":"tok","#
        + #""subscriptionId":"plus.monthly"}}"#
      let data = Data(inner.utf8).base64EncodedString()
      let body = #"{"message":{"data":"\#(data)","messageId":"1"},"subscription":"s"}"#
      return try await desk.service.recordGoogleNotification(
        RecordGoogleNotificationRequest(notification: Array(body.utf8)), context: desk.call()
      ).plan
    }
    desk.now = days(1)
    #expect(try await notify(5, at: days(1)) == "plus")
    desk.now = days(4)
    #expect(try await desk.plan() == "free")
    #expect(try await notify(1, at: days(4)) == "plus")
    #expect(try await notify(12, at: days(5)) == "free")
    // An older one comes late.
    #expect(try await notify(2, at: days(4) + .seconds(60)) == "free")
    #expect(
      await refusal { try await notify(2, at: days(365)) }?.code == .invalidArgument)
  }

  // MARK: Stripe

  private func subscription(
    _ id: String, _ status: String, at moment: Instant, type: String = "updated",
    until: Instant? = nil, user: String = "ada", live: Bool = true
  ) -> String {
    """
    {"id": "\(id)", "type": "customer.subscription.\(type)", "created": \(moment.seconds),
     "livemode": \(live), "data": {"object": {"object": "subscription", "id": "sub_1",
     "customer": "cus_1", "status": "\(status)", "metadata": {"user_id": "\(user)"},
     "items": {"data": [{"price": {"id": "price_1", "lookup_key": "plus_month"},
       "current_period_start": \(moment.seconds),
       "current_period_end": \((until ?? moment + .seconds(30 * 86_400)).seconds)}]}}}}
    """
  }

  @Test func stripesWebhooks() async throws {
    #expect(try await desk.stripe(subscription("e1", "active", at: noon)).plan == "plus")
    // Signed with both secrets, or with the old one alone.
    try await desk.stripe(subscription("e1", "active", at: noon), secrets: Desk.stripeSecrets)
    try await desk.stripe(subscription("e1", "active", at: noon), secrets: ["whsec_old"])
    #expect(try await desk.rows()["statement"] == 1)
    desk.now = days(30)
    #expect(
      try await desk.stripe(subscription("e2", "past_due", at: days(30))).plan == "plus")
    desk.now = days(34)
    #expect(try await desk.plan() == "free")
    // An older event that comes late changes nothing; a payment does.
    #expect(try await desk.stripe(subscription("e0", "active", at: days(1))).plan == "free")
    #expect(try await desk.stripe(subscription("e3", "active", at: days(34))).plan == "plus")
    #expect(
      try await desk.stripe(subscription("e4", "canceled", at: days(35), type: "deleted")).plan
        == "free")
  }

  @Test func stripesEntitlements() async throws {
    func summary(_ id: String, _ keys: [String], at moment: Instant) -> String {
      let entries = keys.map { #"{"id": "e", "lookup_key": "\#($0)"}"# }.joined(separator: ",")
      return """
        {"id": "\(id)", "type": "entitlements.active_entitlement_summary.updated",
         "created": \(moment.seconds), "livemode": true,
         "data": {"object": {"customer": "cus_1", "entitlements": {"data": [\(entries)]}}}}
        """
    }
    #expect(
      await refusal { try await desk.stripe(summary("s0", ["gift"], at: noon)) }?.code
        == .failedPrecondition)
    try await desk.stripe(subscription("e1", "canceled", at: noon, type: "deleted"))
    #expect(try await desk.stripe(summary("s1", ["gift"], at: noon)).plan == "plus")
    desk.now = days(1)
    #expect(try await desk.stripe(summary("s2", [], at: days(1))).plan == "free")
  }

  @Test func whatStripeHasNotSignedLeavesNothing() async throws {
    let body = subscription("e1", "active", at: noon)
    let year = noon + .seconds(365 * 86_400)
    let refusals = [
      await refusal { try await desk.stripe(body, secrets: ["whsec_wrong"]) },
      await refusal { try await desk.stripe(body, at: noon - .seconds(301)) },
      await refusal { try await desk.stripe(body, at: year) },
      await refusal { try await desk.stripe(body, header: "") },
      await refusal { try await desk.stripe(body, header: "t=1,v0=00") },
      await refusal { try await desk.stripe(body, header: "t=-1,v1=zz") },
      await refusal { try await desk.stripe("{}") },
      await refusal { try await desk.stripe("[") },
      await refusal { try await desk.stripe(#"{"id": "a", "id": "a"}"#) },
      await refusal { try await desk.stripe(subscription("e", "active", at: year)) },
      await refusal { try await desk.stripe(subscription("e", "sold", at: noon)) },
      await refusal {
        try await desk.stripe(String(repeating: " ", count: 2 << 20) + body)
      },
    ]
    for (number, error) in refusals.enumerated() {
      #expect(error?.code == .invalidArgument, "\(number): \(error as Any)")
    }
    #expect(
      await refusal { try await desk.stripe(subscription("e", "active", at: noon, user: "a b")) }?
        .code == .failedPrecondition)
    #expect(try await desk.rows().isEmpty)
    // In test mode no money was meant.
    #expect(
      try await desk.stripe(subscription("e9", "active", at: noon, live: false)).plan == "free")
  }

  // MARK: RevenueCat

  private func event(_ id: String, _ type: String, _ moment: Instant, _ more: JSONObject = [:])
    -> JSONObject
  {
    var event: JSONObject = [
      "id": .string(id), "type": .string(type), "app_user_id": "ada",
      "product_id": "plus.monthly", "original_transaction_id": "o1",
      "event_timestamp_ms": .integer(moment.contract), "environment": "PRODUCTION",
    ]
    for member in more.members { event[member.name] = member.value }
    return event
  }

  @Test func revenueCatsWebhooks() async throws {
    let end: JSONObject = ["expiration_at_ms": .integer(days(30).contract)]
    #expect(
      try await desk.revenueCat(event("1", "INITIAL_PURCHASE", noon, end)).plan == "plus")
    // A replay adds nothing; a wrong authorization, or one of next year, leaves nothing.
    try await desk.revenueCat(event("1", "INITIAL_PURCHASE", noon, end))
    for wrong in ["", "Bearer rd", "Bearer rc "] {
      #expect(
        await refusal {
          try await desk.revenueCat(event("2", "EXPIRATION", noon), authorization: wrong)
        }?.code == .invalidArgument)
    }
    #expect(
      await refusal { try await desk.revenueCat(event("2", "EXPIRATION", days(365))) }?.code
        == .invalidArgument)
    #expect(try await desk.rows()["statement"] == 1)
    desk.now = days(2)
    try await desk.revenueCat(event("3", "CANCELLATION", days(2), ["cancel_reason": "UNSUBSCRIBE"]))
    #expect(try await desk.plan() == "plus")
    // It will not be renewed: silence is the end.
    desk.now = days(30) + .seconds(60)
    #expect(try await desk.plan() == "free")
    try await desk.revenueCat(
      event("4", "RENEWAL", days(30), ["expiration_at_ms": .integer(days(60).contract)]))
    #expect(try await desk.plan() == "plus")
    let refund: JSONObject = ["cancel_reason": "CUSTOMER_SUPPORT"]
    try await desk.revenueCat(event("5", "CANCELLATION", days(30) + .seconds(60), refund))
    #expect(try await desk.plan() == "free")
    try await desk.revenueCat([
      "id": "t", "type": "TEST", "event_timestamp_ms": .integer(noon.contract),
    ])
  }

  @Test func aCustomerOfRevenueCatIsImported() async throws {
    let customer = """
      {"request_date_ms": \(noon.contract), "subscriber": {"original_app_user_id": "ada",
       "non_subscriptions": {"gift": [{"id": "n1", "purchase_date": "2026-01-01T00:00:00Z"}]},
       "subscriptions": {"premium.monthly": {"purchase_date": "2026-11-01T00:00:00Z",
         "expires_date": "\(days(10))", "unsubscribe_detected_at": null, "is_sandbox": false,
         "store_transaction_id": "GPA.7..3"}}}}
      """
    for _ in 0..<2 {
      let answer = try await desk.service.importRevenueCat(
        ImportRevenueCatRequest(customer: Array(customer.utf8)), context: desk.call())
      #expect(answer.plan == "premium")
    }
    desk.now = days(20)
    #expect(try await desk.plan() == "plus")
    #expect(try await desk.rows()["statement"] == 1)
  }

  // MARK: Why, passes, erasure

  @Test func whyTellsTheFactsAndWhatWillChange() async throws {
    try await desk.apple(desk.transaction())
    func why(_ feature: String) async throws -> Explanation {
      try await desk.service.explain(
        ExplainRequest(feature: feature), context: desk.call(as: "ada"))
    }
    let digest = try await why("digest")
    #expect(digest.isAllowed && !digest.isSafety)
    #expect(digest.subscriptions[0].facts.map(\.what) == ["paid until \(days(30))"])
    #expect(digest.changes == ["'plus' is paid until \(days(30))."])
    let sms = try await why("sms")
    #expect(!sms.isAllowed && sms.changes.contains("A purchase of 'premium' gives 'sms'."))
    let fall = try await why("fall_alerts")
    #expect(fall.isAllowed && fall.isSafety)
    #expect(
      await refusal {
        try await desk.service.explain(
          ExplainRequest(feature: "ask", userId: "ada"), context: desk.call(as: "bob"))
      }?.code == .permissionDenied)
  }

  @Test func aPassIsVerifiedWithoutUs() async throws {
    try await desk.apple(desk.transaction())
    let pass = try await desk.service.issuePass(
      IssuePassRequest(), context: desk.call(as: "ada"))
    #expect(pass.expiresAtMs == (days(30) + .seconds(72 * 3600)).contract)
    let key = try await desk.service.getPassKey(
      GetPassKeyRequest(), context: desk.call(as: nil, .stranger)
    ).key
    let claims = try #require(PassReader.claims(of: pass.token, key: key))
    #expect(claims["plan"] == "plus" && claims["sub"] == "ada" && claims["iss"] == "milo")
    #expect(claims["limits"]?["ask_daily"] == 500)
    for index in stride(from: 0, to: pass.token.utf8.count, by: 7) {
      var bytes = Array(pass.token.utf8)
      bytes[index] ^= 1
      #expect(PassReader.claims(of: String(decoding: bytes, as: UTF8.self), key: key) == nil)
    }
    // The key is the same the next time.
    #expect(
      try await desk.service.getPassKey(GetPassKeyRequest(), context: desk.call()).key == key)
  }

  @Test func aPersonIsExportedAndErased() async throws {
    try await desk.apple(desk.transaction())
    try await desk.reserve("k")
    let exported = try await desk.service.exportPerson(
      ExportPersonRequest(), context: desk.call(as: "ada"))
    let content = try JSONValue(parsing: exported.content)
    #expect(content["statements"]?.arrayValue?.count == 1 && content["plan"] == "plus")
    #expect(
      content["statements"]?.arrayValue?[0]["content"]?.stringValue?.split(separator: ".").count
        == 3)
    let answer = try await desk.service.erasePerson(
      ErasePersonRequest(), context: desk.call(as: "ada"))
    #expect(answer.statements == 1)
    #expect(try await desk.rows().isEmpty)
    #expect(try await desk.plan() == "free")
  }
}
