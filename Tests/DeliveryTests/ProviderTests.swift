import CryptoExtras
import DeliveryDomain
import DeliveryService
import Glibc
import KithJSON
import KithTesting
import KithTime
import KithTransfer
import ProviderServers
import Testing

/// Each provider against a server that checks what the real one checks.
@Suite(.enabled(if: ProviderServers.areThere), .timeLimit(.minutes(2)))
struct ProviderTests {
  private let folder: TemporaryFolder
  private static let machine = MachineClock()

  init() throws { folder = try TemporaryFolder() }

  private func message(
    _ channel: MessageChannel, to address: String,
    content: MessageContent = MessageContent(title: "Fall", body: "Please call Ada."),
    collapseID: String = ""
  ) -> OutboundMessage {
    OutboundMessage(
      id:
        "8f7d7f6e-0000-8000-8000-\(String(UInt64.random(in: 0..<(1 << 48)), radix: 16).padded(12))",
      channel: channel, address: address, content: content, collapseID: collapseID,
      acceptedAt: Self.machine.now, expiresAt: Self.machine.now + .seconds(3600))
  }

  private func failure(_ outcome: AttemptOutcome) -> String {
    switch outcome {
    case .accepted: "accepted"
    case .refused(let failure, _): "refused \(failure.kind)"
    case .later(let failure, _): "later \(failure.kind)"
    case .unknown: "unknown"
    }
  }

  // MARK: Mail

  private func mail(
    _ server: ProviderServers, _ transfers: Transfers, password: String = "s3cret",
    timeout: Duration = .seconds(20)
  ) throws -> MailSubmission {
    MailSubmission(
      transfers: transfers, url: server.url("smtp"),
      sender: try #require(MailAddress("Milo <milo@example.com>")),
      credentials: ("milo", password), timeout: timeout)
  }

  @Test func mailIsSubmittedOverTLSWithALogin() async throws {
    let server = try await ProviderServers(.smtp, in: folder)
    let transfers = Transfers(TransferSettings(authorities: server.authorities))
    defer { transfers.close() }
    let provider = try mail(server, transfers)
    let mail = message(
      .email, to: "ada@example.org",
      content: MessageContent(title: "Größe", body: ".\n..\n.leading dots\n", html: "<p>.</p>"))
    #expect(await provider.deliver(mail).isAccepted)
    let taken = try #require(server.log.first)
    #expect(taken["sender"]?.stringValue == "milo@example.com")
    #expect(taken["recipients"] == ["ada@example.org"])
    #expect(taken["user"]?.stringValue == "milo" && taken["tls"]?.boolValue == true)
    let text = try #require(taken["message"]?.stringValue)
    let written = MailMessage(
      from: try #require(MailAddress("Milo <milo@example.com>")),
      to: try #require(MailAddress("ada@example.org")), content: mail.content,
      date: mail.acceptedAt, id: mail.id)
    #expect(text == String(decoding: written.bytes, as: UTF8.self))
    // The connection is used again.
    for _ in 0..<3 {
      #expect(await provider.deliver(message(.email, to: "bob@example.org")).isAccepted)
    }
    #expect(server.log.count == 4)
  }

  @Test(arguments: [
    ("gone@example.org", "refused addressGone"), ("spam@example.org", "refused filtered"),
    ("greylisted@example.org", "later rateLimited"), ("cut@example.org", "unknown"),
    ("stall@example.org", "unknown"), ("late@example.org", "accepted"),
    ("twice@example.org", "accepted"),
  ])
  func whatMailServersDo(address: String, meaning: String) async throws {
    let server = try await ProviderServers(.smtp, in: folder)
    let transfers = Transfers(TransferSettings(authorities: server.authorities))
    defer { transfers.close() }
    let provider = try mail(server, transfers, timeout: .seconds(3))
    #expect(failure(await provider.deliver(message(.email, to: address))) == meaning)
    // Whatever became of it, the next one goes; behind an answer too many only on the connection
    // after that, and never as accepted where it was not.
    let next = message(.email, to: "ada@example.org")
    if address.hasPrefix("twice") { _ = await provider.deliver(next) }
    #expect(await provider.deliver(next).isAccepted)
    #expect(server.log.last?["recipients"] == ["ada@example.org"])
  }

  @Test func aWrongPasswordAndAStrangersCertificate() async throws {
    let server = try await ProviderServers(.smtp, in: folder)
    let transfers = Transfers(TransferSettings(authorities: server.authorities))
    defer { transfers.close() }
    let wrong = try mail(server, transfers, password: "wrong")
    #expect(
      failure(await wrong.deliver(message(.email, to: "a@b"))) == "refused misconfigured")
    let strangers = Transfers(TransferSettings(authorities: server.strangers))
    defer { strangers.close() }
    let distrusting = try mail(server, strangers)
    #expect(
      failure(await distrusting.deliver(message(.email, to: "a@b"))) == "later misconfigured")
    await server.kill()
    let gone = try mail(server, transfers)
    #expect(failure(await gone.deliver(message(.email, to: "a@b"))) == "later unavailable")
    #expect(server.log.isEmpty)
  }

  // MARK: Apple

  private func apple(
    _ server: ProviderServers, _ transfers: Transfers, team: String = "TEAM000001",
    bundle: String = "com.example.milo",
    now: @escaping @Sendable () -> Instant = { Self.machine.now }
  ) throws -> ApplePush {
    ApplePush(
      transfers: transfers, url: server.url(),
      account: try ApplePush.Account(
        team: team, keyID: "KEY0000001", pem: TemporaryFolder.text(of: server.pushKey) ?? "",
        bundle: bundle), timeout: .seconds(3), now: now)
  }

  @Test func pushesAndCallsAreAsAppleWantsThem() async throws {
    let server = try await ProviderServers(.apns, in: folder)
    let transfers = Transfers(TransferSettings(authorities: server.authorities))
    defer { transfers.close() }
    let provider = try apple(server, transfers)
    let push = message(.push, to: "abcd", collapseID: "incident-1")
    #expect(await provider.deliver(push) == .accepted(providerID: push.id))
    #expect(await provider.deliver(message(.call, to: "abcd")).isAccepted)
    let silent = message(.push, to: "abcd", content: MessageContent(data: ["sync": 1]))
    #expect(await provider.deliver(silent).isAccepted)
    let taken = server.log.compactMap { $0["headers"] }
    try #require(taken.count == 3)
    func header(_ name: String) -> [String?] { taken.map { $0[name]?.stringValue } }
    #expect(header("apns-push-type") == ["alert", "voip", "background"])
    #expect(
      header("apns-topic") == ["com.example.milo", "com.example.milo.voip", "com.example.milo"])
    #expect(header("apns-priority") == ["10", "10", "5"])
    #expect(header("apns-collapse-id") == ["incident-1", nil, nil])
    #expect(header("apns-expiration")[1] == "0")
    // One token for all of them.
    #expect(Set(header("authorization")).count == 1)
    // One connection: the streams go on counting.
    #expect(server.log.compactMap { $0["stream"]?.integerValue } == [1, 3, 5])
  }

  @Test(arguments: [
    ("0410aa", "refused addressGone"), ("0400aa", "refused addressGone"),
    ("0429aa", "later rateLimited"), ("0503aa", "later unavailable"),
    ("0500aa", "later unavailable"), ("0001aa", "unknown"), ("0002aa", "unknown"),
    ("0003aa", "accepted"), ("xyz", "refused addressGone"),
  ])
  func whatAppleAnswers(token: String, meaning: String) async throws {
    let server = try await ProviderServers(.apns, in: folder)
    let transfers = Transfers(TransferSettings(authorities: server.authorities))
    defer { transfers.close() }
    let provider = try apple(server, transfers)
    let outcome = await provider.deliver(message(.push, to: token))
    #expect(failure(outcome) == meaning)
    if case .refused(_, let since) = outcome, token.hasPrefix("0410") {
      #expect(since == Instant(milliseconds: 1_700_000_000_000))
    }
    if case .later(_, let after) = outcome, token.hasPrefix("0429") {
      #expect(after == .seconds(7))
    }
  }

  @Test func tokensOfOthersAndOldOnesAreRefused() async throws {
    let server = try await ProviderServers(.apns, in: folder)
    let transfers = Transfers(TransferSettings(authorities: server.authorities))
    defer { transfers.close() }
    let stranger = try apple(server, transfers, team: "ANOTHER001")
    #expect(
      failure(await stranger.deliver(message(.push, to: "ab"))) == "refused misconfigured")
    let other = try apple(server, transfers, bundle: "com.example.other")
    #expect(failure(await other.deliver(message(.push, to: "ab"))) == "refused misconfigured")
    let old = try apple(server, transfers) { Self.machine.now - .seconds(7200) }
    #expect(failure(await old.deliver(message(.push, to: "ab"))) == "later misconfigured")
  }

  /// 9.6, 20: nothing too large reaches Apple.
  @Test func whatIsTooLargeIsNotSent() async throws {
    let server = try await ProviderServers(.apns, in: folder)
    let transfers = Transfers(TransferSettings(authorities: server.authorities))
    defer { transfers.close() }
    let provider = try apple(server, transfers)
    for (channel, most) in [(MessageChannel.push, 4096), (.call, 5120)] {
      var large = message(channel, to: "ab")
      large.content.data["x"] = ""
      let frame = PushNotification(large, bundle: "com.example.milo").body.count
      large.content.data["x"] = .string(String(repeating: "x", count: most + 1 - frame))
      #expect(provider.problem(of: large) != nil)
      #expect(failure(await provider.deliver(large)) == "refused malformed")
      large.content.data["x"] = .string(String(repeating: "x", count: most - frame))
      #expect(provider.problem(of: large) == nil)
      #expect(await provider.deliver(large).isAccepted)
    }
    #expect(server.log.count == 2)
  }

  // MARK: Google, Twilio, webhooks

  @Test func cloudPushes() async throws {
    let server = try await ProviderServers(.https, in: folder)
    let transfers = Transfers(TransferSettings(authorities: server.authorities))
    defer { transfers.close() }
    let provider = CloudPush(
      transfers: transfers, url: server.url(), account: try CloudPush.Account(json: server.account),
      timeout: .seconds(3)
    ) { Self.machine.now }
    let push = message(
      .push, to: "token", content: MessageContent(title: "t", body: "b", data: ["n": 1]),
      collapseID: "c")
    #expect(
      await provider.deliver(push) == .accepted(providerID: "projects/milo-test/messages/0:1"))
    for (token, meaning) in [
      ("unregistered", "refused addressGone"), ("malformed", "refused addressGone"),
      ("quota", "later rateLimited"), ("mismatch", "refused misconfigured"),
      ("down", "later unavailable"), ("cut", "unknown"), ("stall", "unknown"),
      ("late", "accepted"),
    ] {
      #expect(failure(await provider.deliver(message(.push, to: token))) == meaning, "\(token)")
    }
    // The access token was asked for once.
    #expect(server.log.count { $0["kind"]?.stringValue == "token" } == 1)
    let taken = server.log.first { $0["kind"]?.stringValue == "push" }
    #expect(taken?["message"]?["android"]?["collapse_key"]?.stringValue == "c")
    #expect(taken?["message"]?["data"]?["n"]?.stringValue == "1")
  }

  @Test func textMessages() async throws {
    let server = try await ProviderServers(.https, in: folder)
    let transfers = Transfers(TransferSettings(authorities: server.authorities))
    defer { transfers.close() }
    func provider(token: String = "t0ken") -> TextMessages {
      TextMessages(
        transfers: transfers, url: server.url(),
        account: .init(
          sid: "AC0001", token: token, sender: "+12065550100",
          callbackURL: "https://milo.example.com/cb"), timeout: .seconds(3))
    }
    for (number, meaning) in [
      ("+12065550101", "accepted"), ("+12065550610", "refused optedOut"),
      ("+12065550211", "refused addressGone"), ("+12065550614", "refused unsuitable"),
      ("+12065550429", "later rateLimited"), ("+12065550500", "later unavailable"),
      ("+12065550001", "unknown"), ("+12065550002", "unknown"), ("+12065550004", "accepted"),
      ("+12065550005", "accepted"),
    ] {
      #expect(
        failure(await provider().deliver(message(.sms, to: number))) == meaning, "\(number)")
    }
    #expect(
      failure(await provider(token: "x").deliver(message(.sms, to: "+12065550101")))
        == "refused misconfigured")
    let form = try #require(server.log.first?["form"])
    #expect(form["Body"]?.stringValue == "Fall\nPlease call Ada.")
    #expect(form["StatusCallback"]?.stringValue?.contains("/cb?message=8f7d7f6e") == true)
  }

  @Test func webhooksAreSignedAndNeverFollowed() async throws {
    let server = try await ProviderServers(.https, in: folder)
    let transfers = Transfers(TransferSettings(authorities: server.authorities))
    defer { transfers.close() }
    func provider(_ secret: String) -> Webhook {
      Webhook(transfers: transfers, secret: Array(secret.utf8), timeout: .seconds(3)) {
        Self.machine.now
      }
    }
    for (path, meaning) in [
      ("a", "accepted"), ("gone", "refused addressGone"), ("moved", "refused malformed"),
      ("cut", "unknown"), ("stall", "unknown"), ("late", "accepted"), ("twice", "accepted"),
    ] {
      let outcome = await provider("hook-secret").deliver(
        message(.webhook, to: "\(server.url())/hook/\(path)"))
      #expect(failure(outcome) == meaning, "\(path)")
    }
    #expect(
      failure(await provider("wrong").deliver(message(.webhook, to: "\(server.url())/hook/a")))
        == "refused misconfigured")
    #expect(!server.log.contains { $0["path"]?.stringValue == "/hook/elsewhere" })
  }

  // MARK: The folder

  @Test func theFolderHasOneFileAMessage() async throws {
    let path = "\(folder.path)/outbox"
    let provider = OutboxFolder(
      path: path, sender: try #require(MailAddress("Milo <milo@example.com>")))
    let mail = message(.email, to: "ada@example.org")
    let push = message(.push, to: "abcd")
    for message in [mail, push, mail, push] {
      #expect(await provider.deliver(message).isAccepted)
    }
    #expect(
      TemporaryFolder.names(in: path).sorted() == ["email-\(mail.id).eml", "push-\(push.id).json"])
    let object = try JSONValue(
      parsing: TemporaryFolder.text(of: "\(path)/push-\(push.id).json") ?? "")
    #expect(object["address"]?.stringValue == "abcd")
    // A folder that cannot be written is tried again later.
    try folder.write("", to: "file")
    let wrong = OutboxFolder(
      path: "\(folder.path)/file/x", sender: try #require(MailAddress("a@b")))
    #expect(failure(await wrong.deliver(push)) == "later unavailable")
  }
}

extension String {
  fileprivate func padded(_ count: Int) -> String {
    String(repeating: "0", count: max(0, count - self.count)) + self
  }
}

/// The machine's clock: servers compare tokens with theirs.
private struct MachineClock: Sendable {
  var now: Instant { Instant(seconds: Int(time(nil))) }
}
