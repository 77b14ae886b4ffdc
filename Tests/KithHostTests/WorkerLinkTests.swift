import Crypto
import Glibc
import HealthContract
import KithManifest
import KithPlanning
import KithRPC
import KithSupervision
import KithTransportNng
import Testing
import WorkerContract

@testable import KithHost

/// What a host asks of a process before it leads it, also of one that an earlier host started.
@Suite struct WorkerLinkTests {
  private static let incarnation = Incarnation(worker: "odd", generation: 7)
  private static let identity = KithHost.ProcessIdentity(pid: 4711, startTicks: 99, bootID: "boot")

  private let folder: TemporaryFolder
  private let secret = IncarnationSecret()
  private let worker: PlannedWorker

  init() throws {
    folder = try TemporaryFolder()
    try DurableFile.createPrivateFolder(folder.path + "/plugins/odd/bin")
    try DurableFile.createPrivateFolder(folder.path + "/plugins/products")
    let program = folder.path + "/plugins/odd/bin/odd-worker"
    try DurableFile.replace(program, with: Array("#!/bin/sh\n".utf8))
    chmod(program, 0o700)
    try DurableFile.replace(
      folder.path + "/plugins/odd/plugin.yaml",
      with: Array(
        """
        plugin: odd
        version: 1.0.0
        executable: odd-worker
        provides: [kith.risk.v1.RiskEngine]
        postures: [ephemeral]

        """.utf8))
    let product = folder.path + "/plugins/products/test.yaml"
    try DurableFile.replace(
      product,
      with: Array("product: test\ntitle: Test\nposture: ephemeral\nworkers:\n  odd: {}\n".utf8))
    let settings = try HostSettings(
      product: product, pluginFolders: [folder.path + "/plugins"], root: folder.path + "/r",
      isForeground: false)
    worker = try #require(settings.plan.worker(named: "odd"))
  }

  /// What stands in for the process: it answers the handshake as `answer` says, and is as well as
  /// `health` says.
  private func failure(
    health: ServingStatus = .serving,
    answer: @escaping @Sendable (HandshakeRequest) -> HandshakeResponse
  ) async throws -> StartFailure? {
    // Each at a place of its own: closing one may still remove its socket while the next listens.
    let address = "ipc://\(folder.path)/\(UInt64.random(in: .min ... .max)).sock"
    let server = RPCServer(services: [
      ServiceDefinition(
        name: "kith.worker.v1.Lifecycle",
        methods: [.unary(LifecycleMethods.handshake) { request, _ in answer(request) }]),
      ServiceDefinition(
        name: "kith.health.v1.Health",
        methods: [
          .unary(HealthMethods.check) { (_: CheckRequest, _) in CheckResponse(status: health) }
        ]),
    ])
    try server.start(on: NngListener(address: address))
    defer { server.close() }
    let link = WorkerLink(
      incarnation: Self.incarnation, product: "test", worker: worker, address: address,
      secret: secret, identity: Self.identity, relayPID: getpid())
    defer { link.close() }
    return await link.perform(.adopt, hostAddress: "ipc:///nowhere")
  }

  /// The proof of the process of a generation, as `worker.proto` describes it.
  private static func proof(
    _ request: HandshakeRequest, secret: [UInt8], product: String = "test", worker: String = "odd",
    generation: UInt64 = incarnation.generation
  ) -> [UInt8] {
    var message = Array("kith-worker".utf8) + [0] + request.nonce
    message += Array(product.utf8) + [0] + Array(worker.utf8) + [0]
    for shift in stride(from: UInt64(56), through: 0, by: -8) {
      message.append(UInt8(truncatingIfNeeded: generation >> shift))
    }
    return Array(
      HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: secret)))
  }

  private static func response(_ proof: [UInt8]) -> HandshakeResponse {
    HandshakeResponse(
      workerProof: proof, protocolVersion: 1,
      services: [ServiceContract(name: "kith.risk.v1.RiskEngine")],
      process: WorkerContract.ProcessIdentity(
        pid: identity.pid, startTimeTicks: identity.startTicks, bootId: identity.bootID))
  }

  @Test func aProcessThatProvesWhoItIsIsLed() async throws {
    let secret = secret.bytes
    #expect(try await failure { Self.response(Self.proof($0, secret: secret)) } == nil)
  }

  @Test func anEmptyProofIsNone() async throws {
    let failure = try await failure { _ in Self.response([]) }
    #expect(
      failure?.reason == "what listens on its socket could not prove to be odd.7")
  }

  @Test func aProofOfAnotherGenerationWorkerProductOrSecretIsNone() async throws {
    let secret = secret.bytes
    let answers: [@Sendable (HandshakeRequest) -> HandshakeResponse] = [
      { Self.response(Self.proof($0, secret: secret, generation: 6)) },
      { Self.response(Self.proof($0, secret: secret, worker: "even")) },
      { Self.response(Self.proof($0, secret: secret, product: "best")) },
      { Self.response(Self.proof($0, secret: IncarnationSecret.randomBytes())) },
      // Cut short, and longer than it is.
      { Self.response(Array(Self.proof($0, secret: secret).dropLast())) },
      { Self.response(Self.proof($0, secret: secret) + [0]) },
    ]
    for answer in answers {
      #expect(try await failure(answer: answer)?.reason.contains("could not prove") == true)
    }
  }

  @Test func aProofThatWasHeardBeforeIsNone() async throws {
    let secret = secret.bytes
    let failure = try await failure { request in
      var earlier = request
      earlier.nonce = [UInt8](repeating: 1, count: request.nonce.count)
      return Self.response(Self.proof(earlier, secret: secret))
    }
    #expect(failure?.reason.contains("could not prove") == true)
  }

  @Test func anotherProcessIsNotTheOneThatWasStarted() async throws {
    let secret = secret.bytes
    for (pid, ticks, boot) in [
      (Int32(4712), UInt64(99), "boot"), (4711, 98, "boot"), (4711, 99, "other"),
    ] {
      let failure = try await failure { request in
        var response = Self.response(Self.proof(request, secret: secret))
        response.process = WorkerContract.ProcessIdentity(
          pid: pid, startTimeTicks: ticks, bootId: boot)
        return response
      }
      #expect(failure?.reason.contains("is not the one that was started") == true)
    }
    let nobody = try await failure { request in
      var response = Self.response(Self.proof(request, secret: secret))
      response.process = nil
      return response
    }
    #expect(nobody?.reason.contains("is not the one that was started") == true)
  }

  @Test func oneThatSpeaksAnotherVersionIsNotTriedAgain() async throws {
    let secret = secret.bytes
    for version in [UInt32(0), 2] {
      let failure = try await failure { request in
        var response = Self.response(Self.proof(request, secret: secret))
        response.protocolVersion = version
        return response
      }
      #expect(failure?.isRetryable == false)
      #expect(failure?.reason.contains("version \(version)") == true)
    }
  }

  @Test func oneThatDoesNotServeWhatItsPluginProvidesIsNotTriedAgain() async throws {
    let secret = secret.bytes
    let failure = try await failure { request in
      var response = Self.response(Self.proof(request, secret: secret))
      response.services = []
      return response
    }
    #expect(failure?.isRetryable == false)
    #expect(failure?.reason.contains("kith.risk.v1.RiskEngine") == true)
  }

  @Test func onlyOneThatServesIsAdopted() async throws {
    let secret = secret.bytes
    for (health, reason) in [
      (ServingStatus.degraded, nil), (.draining, "it was being ended"),
      (.starting, "it was being started"), (.unspecified, "it was being started"),
    ] {
      let failure = try await failure(health: health) {
        Self.response(Self.proof($0, secret: secret))
      }
      #expect(failure?.reason == reason, "\(health)")
    }
  }
}
