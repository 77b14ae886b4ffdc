import Glibc
import HostContract
import KithIdentity
import KithManifest
import KithRPC
import KithTransportNng
import Synchronization
import Testing

@testable import KithClient

/// What a process shows of itself, and whom it talks to.
@Suite(.timeLimit(.minutes(1))) struct ProofTests {
  private static let echo = MethodDescriptor(service: "test.Echo", method: "Echo")

  /// What a host and a worker, which stand in for a product, have seen.
  private final class Seen: Sendable {
    let resolved = Atomic(0)
    let passes = Atomic(0)
    let tokens = Mutex<[String?]>([])
    let calls = Mutex<[Metadata]>([])
  }

  /// Serves a host and a worker in a folder, both in this process, and runs `body`.
  private func product(
    pid: Int32 = getpid(), ticketValidMs: Int64 = 60_000, passValidMs: Int64 = 60_000,
    _ body: (ProductPlaces, Seen) async throws -> Void
  ) async throws {
    var template = Array("/tmp/kith-proof-XXXXXX".utf8CString)
    let root = try #require(mkdtemp(&template).map { String(cString: $0) })
    let places = try ProductPlaces(product: "milo", root: root, environment: [:])
    let folders = [
      places.runtimeDirectory, places.hostDirectory,
      places.socketFolder(worker: "echo", generation: 1),
    ]
    for folder in folders { mkdir(folder, 0o700) }
    defer {
      unlink(places.operatorTokenFile)
      for folder in folders.reversed() { rmdir(folder) }
      rmdir(root)
    }
    let seen = Seen()
    let address = try places.address(worker: "echo", generation: 1)
    let host = RPCServer(services: [
      ServiceDefinition(
        name: HostMethods.resolve.service,
        methods: [
          .unary(HostMethods.resolve) { (_: ResolveRequest, context) in
            seen.tokens.withLock { $0.append(context.metadata[ProofKeys.operator]) }
            let count = seen.resolved.add(1, ordering: .relaxed).newValue
            return ResolveResponse(
              worker: "echo", generation: 1, address: address, pid: pid,
              ticket: [UInt8(truncatingIfNeeded: count)], ticketValidMs: ticketValidMs)
          },
          .unary(HostMethods.issuePass) { (request: IssuePassRequest, _) in
            seen.passes.add(1, ordering: .relaxed)
            return IssuePassResponse(pass: Array(request.userId.utf8), validMs: passValidMs)
          },
        ])
    ])
    let worker = RPCServer(services: [
      ServiceDefinition(
        name: Self.echo.service,
        methods: [
          .encodedUnary(Self.echo) { request, context in
            seen.calls.withLock { $0.append(context.metadata) }
            return request
          }
        ])
    ])
    try host.start(on: NngListener(address: places.controlAddress))
    try worker.start(on: NngListener(address: address))
    defer {
      host.close()
      worker.close()
    }
    try await body(places, seen)
  }

  private func call(_ client: RPCClient, as user: String? = nil) async throws(RPCError) {
    let metadata: Metadata = user.map { [CallContext.userKey: $0] } ?? [:]
    _ = try await client.unary(
      Self.echo, encodedRequest: [1],
      options: CallOptions(timeout: .seconds(30), metadata: metadata))
  }

  @Test func aProcessThatTheHostDoesNotNameIsNotCalled() async throws {
    try await product(pid: getppid()) { places, seen in
      let connection = HostConnection(product: "milo", address: places.controlAddress)
      defer { connection.close() }
      let error = await #expect(throws: RPCError.self) {
        try await call(connection.worker(named: "echo"))
      }
      #expect(error?.code == .permissionDenied)
      #expect(error?.message.contains("\(getpid())") == true)
      #expect(seen.calls.withLock { $0.isEmpty })
    }
  }

  @Test func eachCallCarriesTheTicketOfItsCallee() async throws {
    try await product { places, seen in
      let connection = HostConnection(product: "milo", address: places.controlAddress)
      defer { connection.close() }
      for _ in 0..<3 { try await call(connection.worker(named: "echo")) }
      #expect(seen.calls.withLock { $0.map { $0[binary: ProofKeys.ticket] } } == [[1], [1], [1]])
    }
  }

  @Test func aTicketIsRenewedAfterHalfOfItsTime() async throws {
    try await product(ticketValidMs: 0) { places, seen in
      let connection = HostConnection(product: "milo", address: places.controlAddress)
      defer { connection.close() }
      // Calls go on meanwhile, with the ticket at hand.
      while seen.calls.withLock({ $0.last?[binary: ProofKeys.ticket] }) ?? [1] == [1] {
        try await call(connection.worker(named: "echo"))
      }
      #expect(seen.resolved.load(ordering: .relaxed) > 1)
    }
  }

  @Test func thePassOfAPersonGoesAlongAndIsAskedForOnce() async throws {
    try await product { places, seen in
      let connection = HostConnection(product: "milo", address: places.controlAddress)
      defer { connection.close() }
      let client = connection.worker(named: "echo")
      for user in ["ada", "ada", "bob", nil] { try await call(client, as: user) }
      #expect(
        seen.calls.withLock { $0.map { $0[binary: ProofKeys.pass] } }
          == [Array("ada".utf8), Array("ada".utf8), Array("bob".utf8), nil])
      #expect(seen.passes.load(ordering: .relaxed) == 2)
    }
  }

  @Test func aPassIsAskedForAnewAfterHalfOfItsTime() async throws {
    try await product(passValidMs: 0) { places, seen in
      let connection = HostConnection(product: "milo", address: places.controlAddress)
      defer { connection.close() }
      for _ in 0..<3 { try await call(connection.worker(named: "echo"), as: "ada") }
      #expect(seen.passes.load(ordering: .relaxed) == 3)
    }
  }

  @Test func aPassThatTheCallHasAlreadyIsTheOnlyOne() async throws {
    try await product { places, seen in
      let connection = HostConnection(product: "milo", address: places.controlAddress)
      defer { connection.close() }
      var metadata: Metadata = [CallContext.userKey: "ada"]
      metadata.append(binary: [9], forKey: ProofKeys.pass)
      _ = try await connection.worker(named: "echo").unary(
        Self.echo, encodedRequest: [1],
        options: CallOptions(timeout: .seconds(30), metadata: metadata))
      let shown = seen.calls.withLock { $0.first?.values(forKey: ProofKeys.pass) }
      #expect(shown == [.binary([9])])
      #expect(seen.passes.load(ordering: .relaxed) == 0)
    }
  }

  @Test func aWorkerWithoutTheGrantAsksForNoPass() async throws {
    try await product { places, seen in
      let connection = HostConnection(
        product: "milo", address: places.controlAddress,
        identity: .worker(proof: [1], actsForUsers: false))
      defer { connection.close() }
      try await call(connection.worker(named: "echo"), as: "ada")
      #expect(seen.passes.load(ordering: .relaxed) == 0)
      #expect(seen.calls.withLock { $0.last?[binary: ProofKeys.pass] } == nil)
    }
  }

  @Test func theTokenIsReadForEachCallToTheHost() async throws {
    try await product { places, seen in
      let connection = HostConnection(product: "milo", address: places.controlAddress)
      defer { connection.close() }
      var shown: [String?] = []
      for token in [nil, OperatorToken(), OperatorToken()] {
        if let token { try write(token.fileText, to: places.operatorTokenFile) }
        shown.append(token?.text)
        _ = try await connection.host.resolve(ResolveRequest(target: .worker("echo")))
      }
      // A host whose folder was removed has its token still.
      unlink(places.operatorTokenFile)
      shown.append(shown.last ?? nil)
      _ = try await connection.host.resolve(ResolveRequest(target: .worker("echo")))
      #expect(seen.tokens.withLock { $0 } == shown)
    }
  }

  private func write(_ text: String, to path: String) throws {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    let bytes = Array(text.utf8)
    try #require(file >= 0 && Glibc.write(file, bytes, bytes.count) == bytes.count)
    close(file)
  }
}
