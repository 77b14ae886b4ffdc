import Glibc
import IdentityContract
import KithIdentity
import KithRPC
import Synchronization
import Testing

/// What a worker believes of its callers.
@Suite struct CallerVerifierTests {
  private static let secret = [UInt8](repeating: 7, count: 32)
  private static let identity = WorkerIdentity(product: "milo", worker: "reminders", generation: 3)
  private static let service = "kith.reminders.v1.Reminders"
  private static let passKey = PassKey()

  /// A clock that a test moves.
  private final class Clock: Sendable {
    private let value = Atomic<Int64>(1_000)
    var now: Int64 {
      get { value.load(ordering: .relaxed) }
      set { value.store(newValue, ordering: .relaxed) }
    }
  }

  private let clock = Clock()

  private var verifier: CallerVerifier {
    CallerVerifier(
      of: Self.identity, secret: Self.secret, passKey: Self.passKey.publicBytes,
      now: { [clock] in clock.now })
  }

  private static func method(_ callers: Callers, of service: String = service) -> MethodDescriptor {
    MethodDescriptor(service: service, method: "M", callers: callers)
  }

  private static func ticket(
    _ caller: TicketStatement.Caller?, key: [UInt8] = secret,
    _ change: (inout TicketStatement) -> Void = { _ in }
  ) throws -> [UInt8] {
    var statement = TicketStatement(
      product: "milo", callee: "reminders", calleeGeneration: 3, caller: caller,
      expiresAtBootMs: 2_000)
    change(&statement)
    return try TicketKey(secret: key).issue(statement)
  }

  private static func worker(
    services: [String] = [service], actsForUsers: Bool = false
  ) -> TicketStatement.Caller {
    .worker(
      WorkerCaller(
        name: "gateway", generation: 9, services: services, actsForUsers: actsForUsers))
  }

  private static func metadata(
    _ ticket: [UInt8], user: String? = nil, pass: [UInt8]? = nil
  ) -> Metadata {
    var metadata = Metadata()
    metadata.append(binary: ticket, forKey: ProofKeys.ticket)
    if let user { metadata.append(user, forKey: CallContext.userKey) }
    if let pass { metadata.append(binary: pass, forKey: ProofKeys.pass) }
    return metadata
  }

  private static func pass(
    _ user: String, by key: PassKey = passKey, product: String = "milo", until: Int64 = 2_000
  ) throws -> [UInt8] {
    try key.issue(PassStatement(product: product, userId: user, expiresAtBootMs: until))
  }

  @Test(arguments: [
    (Callers.anyone, true, true, true, true), (.identified, false, true, true, true),
    (.operators, false, false, true, true), (.host, false, false, false, true),
  ])
  func aMethodIsForItsCallersAlone(
    _ callers: Callers, _ stranger: Bool, _ worker: Bool, _ operator: Bool, _ host: Bool
  ) throws {
    func isLetIn(_ metadata: Metadata) -> Bool {
      (try? verifier.identify(Self.method(callers), metadata)) != nil
    }
    #expect(isLetIn([:]) == stranger)
    #expect(isLetIn(Self.metadata(try Self.ticket(Self.worker()))) == worker)
    #expect(isLetIn(Self.metadata(try Self.ticket(.operator(OperatorCaller())))) == `operator`)
    #expect(isLetIn(Self.metadata(try Self.ticket(.host(HostCaller())))) == host)
  }

  @Test func aStrangerIsToldToProveItself() {
    #expect {
      try verifier.identify(Self.method(.identified), [:])
    } throws: { error in
      (error as? RPCError)?.code == .unauthenticated
    }
  }

  @Test func theVerifiedNameOfAWorkerIsKnown() throws {
    let principal = try verifier.identify(
      Self.method(.identified), Self.metadata(try Self.ticket(Self.worker())))
    #expect(principal == .worker("gateway", generation: 9))
  }

  @Test func aTicketOfAnotherSecretIsWorthNothing() throws {
    let forged = try Self.ticket(.host(HostCaller()), key: [UInt8](repeating: 8, count: 32))
    #expect(throws: RPCError.self) {
      try verifier.identify(Self.method(.anyone), Self.metadata(forged))
    }
  }

  @Test func noByteOfATicketCanBeChanged() throws {
    let ticket = try Self.ticket(Self.worker())
    for index in ticket.indices {
      var changed = ticket
      changed[index] ^= 1
      // What still decodes is signed over other bytes; no change may make a caller more than a
      // stranger.
      let principal = try? verifier.identify(Self.method(.identified), Self.metadata(changed))
      #expect(principal == nil, "byte \(index)")
    }
  }

  @Test(
    arguments: [
      { (statement: inout TicketStatement) in statement.product = "lockr" },
      { $0.callee = "family-links" },
      { $0.calleeGeneration = 2 },
      { $0.caller = nil },
      { $0.expiresAtBootMs = 1_000 },
    ] as [@Sendable (inout TicketStatement) -> Void])
  func aTicketIsForOneCalleeAndATime(_ change: @Sendable (inout TicketStatement) -> Void) throws {
    let ticket = try Self.ticket(Self.worker(), change)
    #expect {
      try verifier.identify(Self.method(.identified), Self.metadata(ticket))
    } throws: {
      ($0 as? RPCError)?.code == .unauthenticated
    }
  }

  @Test func aTicketThatWasGoodExpires() throws {
    let verifier = verifier
    let shown = Self.metadata(try Self.ticket(Self.worker()))
    clock.now = 1_999
    _ = try verifier.identify(Self.method(.identified), shown)
    clock.now = 2_000
    #expect(throws: RPCError.self) { try verifier.identify(Self.method(.identified), shown) }
  }

  @Test func aWorkerReachesWhatItsManifestRequires() throws {
    let other = Self.metadata(try Self.ticket(Self.worker(services: ["kith.risk.v1.RiskEngine"])))
    #expect {
      try verifier.identify(Self.method(.identified), other)
    } throws: {
      ($0 as? RPCError)?.code == .permissionDenied
    }
    // What every worker has, and what is for strangers too.
    _ = try verifier.identify(Self.method(.identified, of: "kith.events.v1.Events"), other)
    _ = try verifier.identify(Self.method(.anyone), other)
  }

  @Test func aWorkerSpeaksForNobodyByItself() throws {
    let ticket = try Self.ticket(Self.worker())
    #expect {
      try verifier.identify(Self.method(.identified), Self.metadata(ticket, user: "ada"))
    } throws: {
      ($0 as? RPCError)?.code == .permissionDenied
    }
    let silent = try verifier.identify(Self.method(.identified), Self.metadata(ticket))
    #expect(silent.people == .nobody)
  }

  @Test func aWorkerSpeaksForThePersonWhoseCallItHandles() throws {
    let ticket = try Self.ticket(Self.worker())
    let principal = try verifier.identify(
      Self.method(.identified),
      Self.metadata(ticket, user: "ada", pass: try Self.pass("ada")))
    #expect(principal.people == .only(["ada"]))
    #expect(principal.worker == "gateway")
  }

  @Test func aGrantInTheManifestLetsAWorkerSpeakForEverybody() throws {
    let ticket = try Self.ticket(Self.worker(actsForUsers: true))
    let principal = try verifier.identify(
      Self.method(.identified), Self.metadata(ticket, user: "ada"))
    #expect(principal.people == .everybody)
  }

  @Test func aPassIsForOnePersonOneProductAndATime() throws {
    let ticket = try Self.ticket(Self.worker())
    let verifier = verifier
    func isLetIn(_ pass: [UInt8]) -> Bool {
      (try? verifier.identify(
        Self.method(.identified), Self.metadata(ticket, user: "ada", pass: pass))) != nil
    }
    #expect(isLetIn(try Self.pass("ada")))
    #expect(!isLetIn(try Self.pass("bob")))
    #expect(!isLetIn(try Self.pass("ada", product: "lockr")))
    #expect(!isLetIn(try Self.pass("ada", by: PassKey())))
    #expect(!isLetIn(try Self.pass("ada", until: 1_000)))
    #expect(!isLetIn([]))
    var changed = try Self.pass("ada")
    changed[changed.count - 1] ^= 1
    #expect(!isLetIn(changed))
    clock.now = 1_999
    #expect(isLetIn(try Self.pass("ada")))
  }

  @Test func onlyTheHolderOfASecretProvesItselfToTheHost() throws {
    let proof = try Self.identity.proof(secret: Self.secret)
    func proven(_ proof: [UInt8], product: String = "milo", secret: [UInt8]?) -> WorkerIdentity? {
      WorkerIdentity(provenBy: proof, product: product) { worker, generation in
        worker == "reminders" && generation == 3 ? secret : nil
      }
    }
    #expect(proven(proof, secret: Self.secret) == Self.identity)
    #expect(proven(proof, product: "lockr", secret: Self.secret) == nil)
    #expect(proven(proof, secret: [UInt8](repeating: 8, count: 32)) == nil)
    #expect(proven(proof, secret: nil) == nil)
    #expect(proven([], secret: Self.secret) == nil)
    let other = WorkerIdentity(product: "milo", worker: "reminders", generation: 4)
    #expect(proven(try other.proof(secret: Self.secret), secret: Self.secret) == nil)
  }

  @Test func onlyTheTokenItselfIsTheToken() {
    let token = OperatorToken()
    #expect(token.accepts(token.text))
    #expect(!token.accepts(""))
    #expect(!token.accepts(String(token.text.dropLast())))
    #expect(!token.accepts(OperatorToken().text))
    #expect(OperatorToken(fileText: token.fileText)?.text == token.text)
    #expect(OperatorToken(fileText: "") == nil)
    for count in [63, 65, 66, 128] {
      #expect(OperatorToken(fileText: String(repeating: "0", count: count)) == nil)
    }
    #expect(OperatorToken(fileText: String(repeating: "g", count: 64)) == nil)
  }

  @Test func aTokenIsReadFromAFileAndNotThroughALink() throws {
    var template = Array("/tmp/kith-token-XXXXXX".utf8CString)
    let folder = try #require(mkdtemp(&template).map { String(cString: $0) })
    let (path, link) = ("\(folder)/token", "\(folder)/link")
    defer {
      unlink(link)
      unlink(path)
      rmdir(folder)
    }
    let token = OperatorToken()
    let file = open(path, O_WRONLY | O_CREAT, 0o600)
    let text = Array(token.fileText.utf8)
    #expect(write(file, text, text.count) == text.count)
    close(file)
    symlink(path, link)
    #expect(OperatorToken(path: path)?.text == token.text)
    #expect(OperatorToken(path: link) == nil)
  }
}
