import Glibc
import KithRPC
import Synchronization
import TestCertificates
import Testing

@testable import KithTransportNng

/// Calls between machines: tls+tcp with certificates on both sides, made by the test.
@Suite(.timeLimit(.minutes(2)))
struct TLSTests {
  private static let echo = MethodDescriptor(
    service: "test.Echo", method: "Echo", idempotency: .noSideEffects)

  /// A folder for certificates, removed at the end.
  private func withFolder(_ body: (String) async throws -> Void) async throws {
    var template = Array("/tmp/kith-tls-XXXXXX".utf8CString)
    let folder = template.withUnsafeMutableBufferPointer {
      String(cString: mkdtemp($0.baseAddress!))
    }
    defer {
      if let directory = opendir(folder) {
        while let entry = readdir(directory) {
          let name = withUnsafePointer(to: &entry.pointee.d_name) {
            $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
          }
          unlink("\(folder)/\(name)")
        }
        closedir(directory)
      }
      rmdir(folder)
    }
    try await body(folder)
  }

  /// The first error of a connection that a server was told of.
  private final class Broken: Sendable {
    private let errors = Mutex<[RPCError]>([])

    func note(_ error: RPCError) { errors.withLock { $0.append(error) } }

    /// The first error of the connections that an attempt makes. One that its caller ends before
    /// the server has accepted it is told to nobody; the attempt is then made again.
    func first(of attempt: () async -> Void) async -> RPCError? {
      for _ in 0..<5 {
        let end = ContinuousClock.now + .seconds(5)
        while .now < end, !Task.isCancelled {
          if let error = errors.withLock(\.first) { return error }
          try? await Task.sleep(for: .milliseconds(10))
        }
        await attempt()
      }
      return errors.withLock(\.first)
    }
  }

  /// Runs `body` with a server that has `credentials`, and its address.
  private func withServer(
    _ credentials: TLSCredentials, checksCertificate: Bool = true,
    _ body: (_ address: String, NngListener, Broken) async throws -> Void
  ) async throws {
    let broken = Broken()
    let server = RPCServer(
      services: [
        ServiceDefinition(
          name: "test.Echo",
          methods: [
            .encodedUnary(Self.echo) { request, context in
              #expect(context.peer.hasCertificate)
              return request
            }
          ])
      ], brokenConnection: { _, error in broken.note(error) })
    let listener = NngListener(
      address: "tls+tcp://127.0.0.1:0", security: .mutualTLS(credentials),
      checksCertificate: checksCertificate)
    try server.start(on: listener)
    defer { server.close() }
    let port = try #require(listener.port)
    try await body("tls+tcp://127.0.0.1:\(port)", listener, broken)
  }

  /// Calls `address` once. Throws any error, since the expectation macros cannot see through a
  /// typed one.
  private func call(
    _ address: String, _ security: NetworkSecurity?, _ request: [UInt8] = [1, 2, 3],
    checksCertificate: Bool = true
  ) async throws -> [UInt8] {
    let client = RPCClient(
      connector: NngConnector(
        address: address, security: security, checksCertificate: checksCertificate))
    defer { client.close() }
    return try await client.unary(
      Self.echo, encodedRequest: request, options: CallOptions(timeout: .seconds(30))
    ).message
  }

  private func failure(
    _ address: String, _ security: NetworkSecurity?, checksCertificate: Bool = true
  ) async -> RPCError {
    do {
      _ = try await call(address, security, checksCertificate: checksCertificate)
      return RPCError(.ok, "the call succeeded")
    } catch {
      return error as? RPCError ?? RPCError(.unknown, "\(error)")
    }
  }

  private func reload(_ listener: NngListener) throws { try listener.reloadCredentials() }

  @Test func callsTravelBetweenThoseWhoTrustEachOther() async throws {
    try await withFolder { folder in
      let authority = try TestAuthority("family", folder: folder)
      let client = try authority.credentials("client", host: "client")
      try await withServer(try authority.credentials("server")) { address, _, _ in
        try #require(try await call(address, .mutualTLS(client)) == [1, 2, 3])
        let large = (0..<3 << 20).map { UInt8(truncatingIfNeeded: $0 &* 13) }
        try #require(try await call(address, .mutualTLS(client), large) == large)
      }
    }
  }

  @Test func aForeignAnExpiredAndAWrongCertificateAreRefusedOnBothSides() async throws {
    try await withFolder { folder in
      let family = try TestAuthority("family", folder: folder)
      let stranger = try TestAuthority("stranger", folder: folder)
      let good = try family.credentials("client", host: "client")

      // Clients that the server does not believe.
      for bad in [
        try stranger.credentials("foreign-client", trusting: family),
        try family.credentials("expired-client", validFor: -60),
      ] {
        try await withServer(try family.credentials("server")) { address, _, broken in
          let error = await failure(address, .mutualTLS(bad), checksCertificate: false)
          #expect([.unauthenticated, .unavailable].contains(error.code), "\(error)")
          #expect(error.execution != .mayHaveRun)
          let seen = await broken.first {
            _ = await failure(address, .mutualTLS(bad), checksCertificate: false)
          }
          #expect(seen?.code == .unauthenticated)
          #expect(seen?.message.hasPrefix("TLS with 127.0.0.1:") == true)
        }
      }
      // Servers that the client does not believe.
      for bad in [
        try stranger.credentials("foreign-server", trusting: family),
        try family.credentials("expired-server", validFor: -60),
        try family.credentials("wrong-server", host: "elsewhere.example"),
      ] {
        try await withServer(bad, checksCertificate: false) { address, _, broken in
          let error = await failure(address, .mutualTLS(good))
          #expect(error.code == .unauthenticated, "\(error)")
          #expect(error.message.hasPrefix("TLS with 127.0.0.1:"))
          let seen = await broken.first { _ = await failure(address, .mutualTLS(good)) }
          #expect(seen?.code == .unauthenticated)
        }
      }
    }
  }

  @Test func aCertificateIsRenewedWithoutARestart() async throws {
    try await withFolder { folder in
      let authority = try TestAuthority("family", folder: folder)
      let client = try authority.credentials("client", host: "client")
      let server = try authority.credentials("server", host: "elsewhere.example")
      try await withServer(server) { address, listener, _ in
        #expect(await failure(address, .mutualTLS(client)).code == .unauthenticated)
        _ = try authority.credentials("server")
        try listener.reloadCredentials()
        try #require(try await call(address, .mutualTLS(client)) == [1, 2, 3])
        // What cannot be used is not taken over.
        _ = try authority.credentials("server", validFor: -60)
        let expired = #expect(throws: RPCError.self) { try reload(listener) }
        #expect(expired?.message.contains("server.pem expired on ") == true)
        unlink(server.certificate)
        #expect(throws: RPCError.self) { try reload(listener) }
        try #require(try await call(address, .mutualTLS(client)) == [1, 2, 3])
      }
    }
  }

  @Test func anAddressThatIsANumberIsCheckedAgainstTheNameThatIsGiven() async throws {
    try await withFolder { folder in
      let authority = try TestAuthority("family", folder: folder)
      var client = try authority.credentials("client", host: "client")
      try await withServer(try authority.credentials("server", host: "pi.local")) { address, _, _ in
        #expect(await failure(address, .mutualTLS(client)).code == .unauthenticated)
        client.serverName = "pi.local"
        try #require(try await call(address, .mutualTLS(client)) == [1, 2, 3])
      }
    }
  }

  @Test func whatIsMissingOrUnsafeIsNamed() async throws {
    try await withFolder { folder in
      let authority = try TestAuthority("family", folder: folder)
      let good = try authority.credentials("client")
      func error(_ change: (inout TLSCredentials) -> Void) async -> RPCError {
        var credentials = good
        change(&credentials)
        return await failure("tls+tcp://127.0.0.1:1", .mutualTLS(credentials))
      }
      let missing = await error { $0.certificate = "\(folder)/none.pem" }
      #expect(missing.code == .failedPrecondition && missing.message.contains("none.pem"))
      let swapped = await error { $0.privateKey = $0.certificate }
      #expect(swapped.message.contains("chmod 600"))
      let other = try authority.credentials("other")
      let mismatched = await error { $0.privateKey = other.privateKey }
      #expect(mismatched.message.contains("other.key is not the key of the certificate"))
      let late = try authority.credentials("late", validFor: -60)
      let expired = await error { $0 = late }
      #expect(expired.code == .failedPrecondition && expired.message.contains("late.pem expired"))
      let noPEM = await error { $0.authorities = "/dev/null" }
      #expect(noPEM.message.contains("not in PEM"))
      chmod(good.privateKey, 0o640)
      let open = await error { _ in }
      #expect(open.message.contains("can be read by others (mode 640)"))
    }
  }

  @Test func plainTCPIsOnlyForThoseWhoSaySo() async throws {
    let server = RPCServer(
      services: [
        ServiceDefinition(
          name: "test.Echo", methods: [.encodedUnary(Self.echo) { request, _ in request }])
      ], authorize: { _ in true })
    defer { server.close() }
    func start(_ listener: NngListener) throws { try server.start(on: listener) }
    let refused = #expect(throws: RPCError.self) {
      try start(NngListener(address: "tcp://127.0.0.1:0"))
    }
    #expect(refused?.code == .invalidArgument && refused?.message.contains("refused") == true)
    let listener = NngListener(address: "tcp://127.0.0.1:0", security: .insecure)
    try server.start(on: listener)
    let port = try #require(listener.port)
    let address = "tcp://127.0.0.1:\(port)"
    #expect(await failure(address, nil).code == .invalidArgument)
    #expect(await failure("tls" + "+" + address, nil).code == .invalidArgument)
    #expect(await failure("tls" + "+" + address, .insecure).code == .invalidArgument)
    try #require(try await call(address, .insecure) == [1, 2, 3])
  }
}
