import KithTesting
import KithTransfer
import ProviderServers
import Testing

/// Transfers against real servers on this machine, TLS and all.
@Suite(.enabled(if: ProviderServers.areThere), .timeLimit(.minutes(2)))
struct TransfersTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func transfers(
    _ authorities: String?, allows: @escaping @Sendable (String) -> Bool = { _ in true }
  ) -> Transfers {
    Transfers(TransferSettings(authorities: authorities, allows: allows))
  }

  private func error(_ body: () async throws -> some Sendable) async -> TransferError? {
    do {
      _ = try await body()
      return nil
    } catch {
      return error as? TransferError
    }
  }

  @Test func aRequestIsAnsweredWithWhateverTheServerSays() async throws {
    let server = try await ProviderServers(.https, in: folder)
    let transfers = transfers(server.authorities)
    defer { transfers.close() }
    let answer = try await transfers.run(HTTPTransfer(post: "\(server.url())/none", body: [1, 2]))
    #expect(answer.status == 404)
    #expect(answer.headers["content-type"] == "application/json")
    #expect(answer.text.contains("NOT_FOUND"))
    let forbidden = try await transfers.run(HTTPTransfer(post: "\(server.url())/hook/a", body: []))
    #expect(forbidden.status == 403)
  }

  @Test func certificatesAreAlwaysChecked() async throws {
    let server = try await ProviderServers(.https, in: folder)
    for authorities in [server.strangers, nil] {
      let transfers = transfers(authorities)
      defer { transfers.close() }
      let error = await error {
        try await transfers.run(HTTPTransfer(post: "\(server.url())/hook/a", body: []))
      }
      #expect(error?.code == .insecure)
      #expect(error?.mayBeTaken == false)
    }
    #expect(server.log.isEmpty)
  }

  @Test func aCertificateOfAnotherHostIsRefused() async throws {
    let server = try await ProviderServers(.https, in: folder, host: "elsewhere.example")
    let transfers = transfers(server.authorities)
    defer { transfers.close() }
    let error = await error {
      try await transfers.run(HTTPTransfer(post: server.url(), body: []))
    }
    #expect(error?.code == .insecure)
  }

  @Test(arguments: [
    "http://localhost/", "file:///etc/passwd", "ftp://localhost/", "gopher://localhost/",
    "https://user:password@localhost/", "smtp://localhost", "", "localhost",
  ])
  func onlyHTTPSIsSpoken(url: String) async throws {
    let transfers = transfers(nil)
    defer { transfers.close() }
    let error = await error { try await transfers.run(HTTPTransfer(post: url, body: [])) }
    #expect(error?.code == .invalid)
  }

  @Test func aHostThatIsNotGrantedIsNotCalled() async throws {
    let transfers = transfers(nil) { $0 == "api.example.com" }
    defer { transfers.close() }
    let error = await error {
      try await transfers.run(HTTPTransfer(post: "https://LOCALHOST/", body: []))
    }
    #expect(error?.code == .invalid)
  }

  @Test func noHeaderBecomesTwo() async throws {
    let transfers = transfers(nil)
    defer { transfers.close() }
    let error = await error {
      try await transfers.run(
        HTTPTransfer(post: "https://localhost/", body: [], headers: [("a", "b\r\nc: d")]))
    }
    #expect(error?.code == .invalid)
  }

  @Test func nothingIsTakenWhereNobodyListens() async throws {
    let transfers = transfers(nil)
    defer { transfers.close() }
    let error = await error {
      try await transfers.run(HTTPTransfer(post: "https://localhost:1/", body: []))
    }
    #expect(error?.code == .unreachable)
    #expect(error?.mayBeTaken == false)
  }

  @Test func aCancelledTaskEndsItsTransfer() async throws {
    let server = try await ProviderServers(.smtp, in: folder)
    let transfers = transfers(server.authorities)
    defer { transfers.close() }
    let url = server.url("smtp")
    let task = Task {
      try await transfers.run(
        MailTransfer(
          url: url, credentials: ("milo", "s3cret"), sender: "a@example.com",
          recipient: "stall@example.com", message: Array("Subject: x\r\n\r\nx\r\n".utf8),
          timeout: .seconds(60)))
    }
    try await waitUntil("the server has the mail") { !server.log.isEmpty }
    task.cancel()
    let error = await error { try await task.value }
    #expect(error?.code == .cancelled)
    #expect(error?.mayBeTaken == true)
    // One that is cancelled before it begins.
    let early = await Task { () -> TransferError? in
      withUnsafeCurrentTask { $0?.cancel() }
      return await self.error {
        try await transfers.run(HTTPTransfer(post: "https://localhost:1/", body: []))
      }
    }.value
    #expect(early?.code == .cancelled)
  }

  @Test func closingEndsWhatIsUnderWay() async throws {
    let server = try await ProviderServers(.smtp, in: folder)
    let transfers = transfers(server.authorities)
    let url = server.url("smtp")
    let mail = MailTransfer(
      url: url, credentials: ("milo", "s3cret"), sender: "a@example.com",
      recipient: "stall@example.com", message: Array("Subject: x\r\n\r\nx\r\n".utf8))
    let task = Task { try await transfers.run(mail) }
    try await waitUntil("the server has the mail") { !server.log.isEmpty }
    transfers.close()
    #expect(await error { try await task.value }?.code == .cancelled)
    #expect(await error { try await transfers.run(mail) }?.code == .cancelled)
  }

  @Test func manyTransfersRunAtOnce() async throws {
    let server = try await ProviderServers(.https, in: folder)
    let transfers = transfers(server.authorities)
    defer { transfers.close() }
    let url = server.url()
    try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<200 {
        group.addTask {
          try await transfers.run(HTTPTransfer(post: "\(url)/none/\(number)", body: [])).status
        }
      }
      for try await status in group { #expect(status == 404) }
    }
  }
}
