import KithAccess
import KithRPC
import Testing

/// In whose name a call is made.
@Suite struct CallerTests {
  private static let ada = Caller.user(UserID("ada")!)
  private static let worker = Principal.worker("gateway", generation: 1)
  private static let forAda = Principal.worker("gateway", generation: 1, people: .only(["ada"]))
  private static let granted = Principal.worker("gateway", generation: 1, people: .everybody)
  private static let certificate = Principal.certificate(people: .only(["ada"]))

  @Test(
    arguments: [
      (.operator, nil, .product), (.operator, "ada", ada), (.operator, "", .stranger),
      (.operator, "a b", .stranger), (.host, nil, .product),
      (worker, nil, .worker("gateway")), (worker, "ada", .stranger),
      (forAda, nil, .worker("gateway")), (forAda, "ada", ada), (forAda, "bob", .stranger),
      (granted, nil, .product), (granted, "ada", ada),
      (certificate, nil, .stranger), (certificate, "ada", ada), (certificate, "bob", .stranger),
      (certificate, "a\u{0}", .stranger),
      (.stranger, nil, .stranger), (.stranger, "ada", .stranger),
    ] as [(Principal, String?, Caller)])
  func aCallerIsWhoItHasProvedToBe(
    _ principal: Principal, _ named: String?, _ expected: Caller
  ) {
    let metadata: Metadata = named.map { [CallContext.userKey: $0] } ?? [:]
    #expect(Self.context(metadata, principal).caller == expected)
  }

  @Test func whoNamesSeveralIsAStranger() {
    var metadata: Metadata = [CallContext.userKey: "ada"]
    metadata.append("bob", forKey: CallContext.userKey)
    #expect(Self.context(metadata, .operator).caller == .stranger)
  }

  @Test func thePeersUserIdProvesNothing() {
    let context = CallContext(
      method: MethodDescriptor(service: "test.Test", method: "Test"),
      metadata: [CallContext.userKey: "ada"], peer: PeerIdentity(uid: 0, hasCertificate: true))
    #expect(context.caller == .stranger)
  }

  @Test func aWorkerInItsOwnNameReadsNobodysRecords() throws {
    let access = Access(of: .worker("gateway"))
    #expect(throws: Access.Denial.self) { try access.grant(.read, on: UserID("ada")!) }
    #expect(access.grantAll(.read).users == [])
  }

  private static func context(_ metadata: Metadata, _ principal: Principal) -> CallContext {
    CallContext(
      method: MethodDescriptor(service: "test.Test", method: "Test"), metadata: metadata,
      principal: principal)
  }
}
