import KithRPC
import KithTesting
import KithTransportNng
import Logging
import TestCertificates
import Testing
import WorkerContract

@testable import KithWorker

@Suite(.timeLimit(.minutes(1)))
struct RemoteListenerTests {
  private static let say = MethodDescriptor(
    service: "test.Echo", method: "Say", idempotency: .noSideEffects)

  @Test func certificatesThatWereRenewedAreTakenOverWithoutARestart() async throws {
    let folder = try TemporaryFolder()
    let before = try TestAuthority("before", folder: folder.path)
    let own = try before.credentials("own")
    let probe = NngListener(address: "tcp://127.0.0.1:0", security: .insecure)
    try probe.start { $0.close() }
    let port = try #require(probe.port)
    probe.close()
    let address = "tls+tcp://127.0.0.1:\(port)"
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let listener = RemoteListener(
      NetworkListener(
        address: address, authorities: own.authorities, certificate: own.certificate,
        privateKey: own.privateKey),
      services: [
        ServiceDefinition(
          name: "test.Echo", methods: [.encodedUnary(Self.say) { request, _ in request }])
      ], interceptors: [], logger: logger, log: ConnectionLog(logger))
    try listener.open()
    defer { listener.close() }
    func isAnswered(_ credentials: TLSCredentials) async -> Bool {
      let client = RPCClient(
        connector: NngConnector(address: address, security: .mutualTLS(credentials)))
      defer { client.close() }
      let answer = try? await client.unary(
        Self.say, encodedRequest: [1], options: CallOptions(timeout: .seconds(10)))
      return answer?.message == [1]
    }
    #expect(await isAnswered(try before.credentials("caller")))

    let watch = Task { await listener.watchCertificates(every: .milliseconds(2)) }
    defer { watch.cancel() }
    // Another family altogether: only who read the files anew lets its member in.
    let after = try TestAuthority("after", folder: folder.path)
    let renewed = try after.credentials("own", trusting: after)
    try folder.write(
      try #require(TemporaryFolder.text(of: renewed.authorities)), to: "before.ca.pem")
    let caller = try after.credentials("caller after")
    try await waitUntil("a caller of the new family is answered") { await isAnswered(caller) }
    watch.cancel()
    await watch.value
  }

  /// Whether a caller of the family may speak for Ada, and for Bob.
  private func people(_ change: (inout NetworkListener) -> Void) async throws -> [Bool] {
    let folder = try TemporaryFolder()
    let family = try TestAuthority("family", folder: folder.path)
    let own = try family.credentials("own")
    let probe = NngListener(address: "tcp://127.0.0.1:0", security: .insecure)
    try probe.start { $0.close() }
    let port = try #require(probe.port)
    probe.close()
    let address = "tls+tcp://127.0.0.1:\(port)"
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    var record = NetworkListener(
      address: address, authorities: own.authorities, certificate: own.certificate,
      privateKey: own.privateKey)
    change(&record)
    let listener = RemoteListener(
      record,
      services: [
        ServiceDefinition(
          name: "test.Echo",
          methods: [
            .encodedUnary(Self.say) { _, context in
              ["ada", "bob"].map { context.principal.people.contains($0) ? 1 : 0 }
            }
          ])
      ], interceptors: [], logger: logger, log: ConnectionLog(logger))
    try listener.open()
    defer { listener.close() }
    let client = RPCClient(
      connector: NngConnector(
        address: address, security: .mutualTLS(try family.credentials("caller"))))
    defer { client.close() }
    let answer = try await client.unary(
      Self.say, encodedRequest: [], options: CallOptions(timeout: .seconds(30)))
    return answer.message.map { $0 == 1 }
  }

  @Test func aCallerFromElsewhereSpeaksForThePeopleWhoAreNamedAlone() async throws {
    #expect(try await people { _ in } == [false, false])
    #expect(try await people { $0.actsFor = ["ada"] } == [true, false])
    #expect(try await people { $0.actsForUsers = true } == [true, true])
  }
}
