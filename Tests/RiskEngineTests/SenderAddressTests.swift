import RiskEngineDomain
import Testing

struct SenderAddressTests {
  @Test(arguments: [
    ("+12065550123", SenderAddress.phone("12065550123")), ("(206) 555-0123", .phone("12065550123")),
    ("206.555.0123", .phone("12065550123")), ("+44 7911 123456", .phone("447911123456")),
    ("72663", .shortCode("72663")), ("911", .shortCode("911")),
    ("Help@PayPa1.com", .email(domain: "paypa1.com")), ("a <b@c.org>", .email(domain: "c.org")),
  ])
  func readsAddresses(text: String, expected: SenderAddress) {
    #expect(SenderAddress(text) == expected)
  }

  @Test(arguments: [
    "", "MYBANK", "+12", "@example.com", "a@b", "a@.com", "+1206555012345678", "12 34 56 78 x",
    String(repeating: "1", count: 400),
  ])
  func leavesTheRest(text: String) {
    #expect(SenderAddress(text) == nil)
  }

  /// Whether the engine takes a mail from `address`, which names Chase, for one of Chase itself.
  private func isFromChase(_ address: String) throws -> Bool {
    let calculation = try Fixtures.engine().explain(
      NormalizedText("Chase alert: please look at your account."),
      Circumstances(sender: SenderAddress(address)), bands: .standard)
    #expect(calculation.senders == ["chase"])
    return calculation.signals.contains { $0.id == "own_domain_sender" }
  }

  @Test(arguments: ["help@chase.com", "help@mail.chase.com", "help@alerts.mail.chase.com"])
  func aMailOfASendersOwnDomainIsTheSenders(_ address: String) throws {
    #expect(try isFromChase(address))
  }

  @Test(arguments: [
    "help@notchase.com", "help@chase.com.example.org", "help@chase.co", "help@chase.community",
    "chase.com@example.org", "help@mail-chase.com", "help@com",
  ])
  func aMailOfADomainThatOnlyEndsOrBeginsLikeASendersIsNotTheSenders(_ address: String) throws {
    #expect(try !isFromChase(address))
  }

  @Test(arguments: [
    ("help@gmail.com", true), ("help@chase.com", false), ("help@example.org", false),
    ("help@notgmail.com", false),
  ])
  func aFreeMailAccountIsOneOfTheListAlone(_ address: String, _ isFree: Bool) throws {
    let calculation = try Fixtures.engine().explain(
      NormalizedText("Chase alert: your account is suspended. Verify now."),
      Circumstances(sender: SenderAddress(address)), bands: .standard)
    #expect(calculation.senders == ["chase"])
    #expect(calculation.signals.contains { $0.id == "free_mail_sender" } == isFree)
  }
}
