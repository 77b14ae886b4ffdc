import Glibc
import HostContract
import KithManifest
import KithRPC
import KithTransportInProcess
import KithTransportNng
import Synchronization
import Testing

@testable import KithClient

/// A host that only answers `Resolve`, as a table says.
private final class ScriptedHost: Sendable {
  let asked = Mutex<[ResolveRequest]>([])
  private let answer: @Sendable (ResolveRequest) throws(RPCError) -> ResolveResponse

  init(_ answer: @escaping @Sendable (ResolveRequest) throws(RPCError) -> ResolveResponse) {
    self.answer = answer
  }

  var service: ServiceDefinition {
    let resolve: MethodImplementation = .unary(HostMethods.resolve) {
      [self] (request: ResolveRequest, _: CallContext) async throws -> ResolveResponse in
      asked.withLock { $0.append(request) }
      return try answer(request)
    }
    return ServiceDefinition(name: HostMethods.resolve.service, methods: [resolve])
  }
}

@Suite struct HostConnectionTests {
  private func places() throws -> (ProductPlaces, String) {
    var template = Array("/tmp/kith-client-XXXXXX".utf8CString)
    let root = try #require(mkdtemp(&template).map { String(cString: $0) })
    mkdir("\(root)/run", 0o700)
    return (try ProductPlaces(product: "milo", root: root, environment: [:]), root)
  }

  private func remove(_ root: String) {
    unlink("\(root)/run/host.sock")
    for generation in [1, 2] {
      unlink("\(root)/run/echo.\(generation)/sock")
      rmdir("\(root)/run/echo.\(generation)")
    }
    rmdir("\(root)/run")
    rmdir(root)
  }

  @Test func saysThatNoHostRuns() async throws {
    let (places, root) = try places()
    defer { remove(root) }
    let error = await #expect(throws: RPCError.self) {
      try await HostConnection.open(product: places.product, address: places.controlAddress)
    }
    #expect(error?.code == .unavailable)
    #expect(
      error?.message == "no host is running for product milo (no socket at "
        + "\(places.controlSocket)); start it with `kith up milo`, or with the path of its manifest"
    )
  }

  @Test func recognisesTheSocketOfADeadHost() async throws {
    let (places, root) = try places()
    defer { remove(root) }
    // A socket that was bound and closed: the file stays, and nobody listens.
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { path in
      path.copyBytes(from: Array(places.controlSocket.utf8))
    }
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(bound == 0)
    close(descriptor)
    let error = await #expect(throws: RPCError.self) {
      try await HostConnection.open(product: places.product, address: places.controlAddress)
    }
    #expect(error?.code == .unavailable)
    #expect(error?.message.contains("which a host left that did not end by itself") == true)
  }

  @Test func whatIsNoAbsenceOfAHostIsToldAsItIs() async throws {
    struct Refusing: Connector {
      func connect(_ request: ConnectRequest) async throws(RPCError) -> EstablishedConnection {
        throw RPCError(.permissionDenied, "belongs to another user")
      }
    }
    let connector = HostConnector(
      product: "milo", address: "ipc:///nowhere/host.sock", connector: Refusing())
    let error = await #expect(throws: RPCError.self) {
      _ = try await connector.connect(ConnectRequest())
    }
    #expect(error?.code == .permissionDenied && error?.message == "belongs to another user")
  }

  @Test func aTicketIsToBeRenewedWhenHalfOfItsTimeIsOver() async throws {
    let transport = InProcessTransport()
    let host = ScriptedHost { _ throws(RPCError) in
      ResolveResponse(
        worker: "echo", generation: 7, address: "ipc:///x", ticket: [1], ticketValidMs: 60_000)
    }
    let server = RPCServer(services: [host.service], authorize: { _ in true })
    try server.start(on: transport.listener)
    defer { server.close() }
    let connection = HostConnection(connector: transport.connector)
    defer { connection.close() }
    let begin = ContinuousClock.now
    let found = try await HostResolver(host: connection.host, target: .worker("echo")).resolve(
      newerThan: nil, options: CallOptions(timeout: .seconds(30)))
    let renewal = try #require(found.renewal)
    #expect(renewal >= begin + .seconds(30) && renewal <= .now + .seconds(30))
  }

  @Test func asksTheHostForTheTarget() async throws {
    let transport = InProcessTransport()
    let host = ScriptedHost { request throws(RPCError) in
      guard request.newerThanGeneration < 7 else { throw RPCError(.unavailable, "not yet") }
      return ResolveResponse(worker: "echo", generation: 7, address: "ipc:///x")
    }
    let server = RPCServer(services: [host.service], authorize: { _ in true })
    try server.start(on: transport.listener)
    defer { server.close() }
    let connection = HostConnection(connector: transport.connector)
    defer { connection.close() }

    let byName = HostResolver(host: connection.host, target: .worker("echo"))
    let found = try await byName.resolve(
      newerThan: nil, options: CallOptions(timeout: .seconds(30), waitForReady: true))
    #expect(found == ResolvedTarget(address: "ipc:///x", generation: 7))
    let byService = HostResolver(host: connection.host, target: .service("test.Echo"))
    let error = await #expect(throws: RPCError.self) {
      try await byService.resolve(newerThan: 7, options: .defaults)
    }
    #expect(error?.code == .unavailable)
    #expect(
      host.asked.withLock { $0 } == [
        ResolveRequest(target: .worker("echo"), waitForReady: true),
        ResolveRequest(target: .service("test.Echo"), newerThanGeneration: 7),
      ])
  }

  @Test func aClientFollowsItsWorkerToTheNextGeneration() async throws {
    let (places, root) = try places()
    defer { remove(root) }
    let generation = Mutex<UInt64>(1)
    let host = ScriptedHost { request throws(RPCError) in
      let current = generation.withLock { $0 }
      guard current > request.newerThanGeneration else {
        throw RPCError(.unavailable, "no newer generation yet")
      }
      return ResolveResponse(
        worker: "echo", generation: current,
        address: "ipc://\(places.runtimeDirectory)/echo.\(current)/sock")
    }
    let hostServer = RPCServer(services: [host.service])
    try hostServer.start(on: NngListener(address: places.controlAddress))
    defer { hostServer.close() }
    let method = MethodDescriptor(service: "test.Echo", method: "Echo")
    func worker(_ generation: UInt64) throws -> RPCServer {
      let server = RPCServer(services: [
        ServiceDefinition(
          name: method.service,
          methods: [.encodedUnary(method) { request, _ in request + [UInt8(generation)] }])
      ])
      mkdir(places.socketFolder(worker: "echo", generation: generation), 0o700)
      try server.start(
        on: NngListener(address: try places.address(worker: "echo", generation: generation)))
      return server
    }

    let first = try worker(1)
    let connection = try await HostConnection.open(
      product: places.product, address: places.controlAddress)
    defer { connection.close() }
    let client = connection.worker(named: "echo")
    #expect(client === connection.worker(named: "echo"))
    let patient = CallOptions(timeout: .seconds(30), waitForReady: true)
    #expect(
      try await client.unary(method, encodedRequest: [0], options: patient).message == [0, 1])
    first.close()
    let second = try worker(2)
    defer { second.close() }
    generation.withLock { $0 = 2 }
    // A call that is on its way when the pipe ends fails, since nobody knows what became of it; the
    // next one waits.
    var answer: [UInt8]?
    for _ in 0..<10 where answer == nil {
      do throws(RPCError) {
        answer = try await client.unary(method, encodedRequest: [0], options: patient).message
      } catch {
        #expect(error.code == .unavailable)
      }
    }
    #expect(answer == [0, 2])
  }
}
