import Glibc
import HostContract
import KithRPC
import KithTesting
import KithTransportNng
import RiskContract
import TestCertificates
import TestingContract
import Testing

/// Two products on what could be two machines: a worker of one calls a worker of the other.
@Suite(.timeLimit(.minutes(2)))
struct NetworkTests {
  private static let streams = "kith.testing.v1.Streams"

  /// A product whose `counter` serves the streams to others too.
  private func serving(_ listen: String) -> ProductSetup {
    var setup = Setups.odd()
    setup.product = """
      product: serving
      title: Serving
      posture: ephemeral
      workers:
        counter:
          config: { at_start: streams }
          listen: \(listen)

      """
    setup.plugins = [
      Setups.plugin(name: "counter", executable: "misbehaving-worker", provides: Self.streams)
    ]
    return setup
  }

  /// A product whose `odd` asks whoever serves the streams elsewhere.
  private func asking(_ remote: String) -> ProductSetup {
    var setup = Setups.odd()
    setup.product = """
      product: asking
      title: Asking
      posture: ephemeral
      workers:
        odd:
          config: { at_start: risk }
      remote:
        \(Self.streams): \(remote)

      """
    setup.plugins = [
      Setups.plugin(
        name: "odd", executable: "misbehaving-worker", provides: "kith.risk.v1.RiskEngine",
        requires: Self.streams)
    ]
    return setup
  }

  /// A port that was free a moment ago.
  private func freePort() throws -> UInt16 {
    let listener = NngListener(address: "tcp://127.0.0.1:0", security: .insecure)
    try listener.start { $0.close() }
    defer { listener.close() }
    return try #require(listener.port)
  }

  private func endpoint(_ port: UInt16, _ files: TLSCredentials) -> String {
    "{ address: tls+tcp://localhost:\(port), authorities: \(files.authorities), "
      + "certificate: \(files.certificate), private_key: \(files.privateKey) }"
  }

  private func relay(
    _ product: RunningProduct, _ metadata: Metadata = [:]
  ) async throws -> [String] {
    let response = try await RiskEngineClient(product.client(of: "odd")).analyze(
      AnalyzeRequest(text: "relay 3"),
      options: CallOptions(
        timeout: RunningProduct.patience, metadata: metadata, waitForReady: true))
    return response.engineVersion.split(separator: " ").map(String.init)
  }

  @Test func aWorkerCallsAWorkerOfAnotherMachineWithCertificatesOnBothSides() async throws {
    let folder = try TemporaryFolder()
    let authority = try TestAuthority("family", folder: folder.path)
    let port = try freePort()
    let server = endpoint(port, try authority.credentials("server", host: "localhost"))
    let client = endpoint(port, try authority.credentials("client"))
    try await RunningProduct.run(serving(server)) { serving in
      let worker = try #require(try await serving.settle().workers.first)
      try #require(worker.state == .ready, "\(worker.reason)")
      try await RunningProduct.run(asking(client)) { asking in
        try await asking.settle()
        let known = try await relay(asking)
        #expect(known.first.flatMap(Int64.init) ?? 0 > 0)

        // Whoever types commands at the one machine reaches it too.
        let root = "\(asking.folder.path)/r"
        let status = try await Program.built("kith", ["status", "--root", root]).run()
        #expect(
          status.output.contains("elsewhere: \(Self.streams)  tls+tcp://localhost:\(port)"),
          "\(status)")
        let call = try await Program.built(
          "kith", ["call", "Streams/Count", "{\"count\": 2}", "--root", root]
        ).run()
        #expect(call.output.split(separator: "\n").count == 2, "\(call)")
        let described = try await Program.built(
          "kith", ["describe", Self.streams, "--root", root]
        ).run()
        #expect(described.output.contains("service Streams {"), "\(described)")

        // What the host leads its workers by is not to be had from elsewhere.
        let stranger = RPCClient(
          connector: NngConnector(
            address: "tls+tcp://localhost:\(port)",
            security: .mutualTLS(try authority.credentials("stranger"))))
        defer { stranger.close() }
        let drain = MethodDescriptor(service: "kith.worker.v1.Lifecycle", method: "Drain")
        let error = await #expect(throws: RPCError.self) {
          try await stranger.unary(drain, encodedRequest: [])
        }
        #expect(error?.code == .unimplemented)

        // The next incarnation listens at the same port, and is found there.
        try await serving.kill("counter")
        try await serving.waitUntil("counter") {
          $0.state == .ready && $0.generation > worker.generation
        }
        #expect(try await relay(asking).first.flatMap(Int64.init) ?? 0 > 0)
      }
    }
  }

  @Test func aCertificateSpeaksForThePeopleOfTheManifestAlone() async throws {
    let folder = try TemporaryFolder()
    let authority = try TestAuthority("family", folder: folder.path)
    let port = try freePort()
    let files = try authority.credentials("server", host: "localhost")
    let server =
      "{ address: tls+tcp://localhost:\(port), authorities: \(files.authorities), "
      + "certificate: \(files.certificate), private_key: \(files.privateKey), acts_for: [ada] }"
    let client = endpoint(port, try authority.credentials("client"))
    try await RunningProduct.run(serving(server)) { serving in
      try await serving.settle()
      try await RunningProduct.run(asking(client)) { asking in
        try await asking.settle()
        for (named, caller) in [("ada", "user(ada)"), ("bob", "stranger"), (nil, "stranger")] {
          let metadata: Metadata = named.map { [CallContext.userKey: $0] } ?? [:]
          #expect(try await relay(asking, metadata)[1] == caller, "\(named ?? "nobody")")
        }
      }
    }
  }

  @Test func aCertificateOfAStrangerIsRefusedAndSaidSoOnBothSides() async throws {
    let folder = try TemporaryFolder()
    let family = try TestAuthority("family", folder: folder.path)
    let stranger = try TestAuthority("stranger", folder: folder.path)
    let port = try freePort()
    let server = endpoint(port, try family.credentials("server", host: "localhost"))
    let client = endpoint(port, try stranger.credentials("client", trusting: family))
    try await RunningProduct.run(serving(server)) { serving in
      try await serving.settle()
      try await RunningProduct.run(asking(client)) { asking in
        try await asking.settle()
        let error = await #expect(throws: RPCError.self) {
          try await RiskEngineClient(asking.client(of: "odd")).analyze(
            AnalyzeRequest(text: "relay 3"), options: CallOptions(timeout: .seconds(20)))
        }
        #expect(error?.code == .unauthenticated, "\(String(describing: error))")
        #expect(error?.message.contains("certificate") == true)
        let reasons = try await serving.log(of: "counter").compactMap { $0.fields["reason"] }
        #expect(reasons.contains { $0.contains("certificate") }, "\(reasons)")
      }
    }
  }

  @Test func aWorkerWhoseCertificateIsMissingSaysWhichFile() async throws {
    let port = try freePort()
    let missing = TLSCredentials(
      authorities: "/nowhere/ca.pem", certificate: "/nowhere/a.pem", privateKey: "/nowhere/a.key")
    var setup = serving(endpoint(port, missing))
    setup.plugins[0] = Setups.plugin(
      name: "counter", executable: "misbehaving-worker", provides: Self.streams,
      restart: "{ intensity: 0, period: 30s }")
    try await RunningProduct.run(setup) { serving in
      let worker = try #require(try await serving.settle(allowsFailures: true).workers.first)
      #expect(worker.state == .quarantined)
      #expect(worker.reason.contains("/nowhere/ca.pem"), "\(worker.reason)")
    }
  }

  @Test func filesThatCannotBeUsedAreFoundBeforeAnythingIsStarted() async throws {
    let home = try Home()
    let authority = try TestAuthority("family", folder: home.folder.path)
    let good = try authority.credentials("good")
    let other = try authority.credentials("other")
    var cases = [(good, nil as String?)]
    cases.append((try authority.credentials("late", validFor: -60), "late.pem expired on "))
    var mismatched = good
    mismatched.privateKey = other.privateKey
    cases.append((mismatched, "other.key is not the key of the certificate"))
    var missing = good
    missing.certificate = "/nowhere/a.pem"
    cases.append((missing, "/nowhere/a.pem: No such file"))
    for (files, problem) in cases {
      try home.folder.write(
        """
        product: listening
        title: Listening
        posture: ephemeral
        workers:
          risk-engine:
            listen: \(endpoint(7443, files))

        """, to: "listening.yaml")
      for command in problem == nil ? ["plan"] : ["plan", "up"] {
        let outcome = try await home.kith(command, "\(home.folder.path)/listening.yaml")
        #expect(outcome.exitCode == (problem == nil ? 0 : 65), "\(outcome)")
        if let problem {
          #expect(outcome.errors.contains(problem), "\(outcome)")
          #expect(outcome.errors.contains("listening.yaml:6:"), "\(outcome)")
        }
      }
    }
  }

  @Test func plainTCPWorksWhereTheManifestSaysSo() async throws {
    let open = "{ address: \"tcp://127.0.0.1:\(try freePort())\", insecure: true }"
    try await RunningProduct.run(serving(open)) { serving in
      try await serving.settle()
      try await RunningProduct.run(asking(open)) { asking in
        try await asking.settle()
        #expect(try await relay(asking).first.flatMap(Int64.init) ?? 0 > 0)
      }
    }
  }
}
