import Glibc
import KithAccess
import KithRPC
import Testing

/// In whose name a call is made.
@Suite struct CallerTests {
  private static let own = PeerIdentity(uid: geteuid())
  private static let other = PeerIdentity(uid: geteuid() &+ 1)
  private static let certified = PeerIdentity(hasCertificate: true, address: "10.0.0.7:1")
  private static let unknown = PeerIdentity(address: "10.0.0.7:1")

  @Test(
    arguments: [
      (own, nil, Caller.product), (own, "ada", .user(UserID("ada")!)), (own, "", .stranger),
      (own, "a b", .stranger), (other, nil, .stranger), (other, "ada", .stranger),
      (certified, nil, .stranger), (certified, "ada", .user(UserID("ada")!)),
      (certified, "a\u{0}", .stranger), (unknown, nil, .stranger), (unknown, "ada", .stranger),
      (PeerIdentity(), "ada", .stranger),
    ] as [(PeerIdentity, String?, Caller)])
  func aCallerIsWhoItHasShownToBe(_ peer: PeerIdentity, _ named: String?, _ expected: Caller) {
    let metadata: Metadata = named.map { [CallContext.userKey: $0] } ?? [:]
    let context = CallContext(
      method: MethodDescriptor(service: "test.Test", method: "Test"), metadata: metadata, peer: peer
    )
    #expect(context.caller == expected)
  }

  @Test func whoNamesSeveralIsAStranger() {
    var metadata: Metadata = [CallContext.userKey: "ada"]
    metadata.append("bob", forKey: CallContext.userKey)
    let context = CallContext(
      method: MethodDescriptor(service: "test.Test", method: "Test"), metadata: metadata,
      peer: Self.own)
    #expect(context.caller == .stranger)
  }
}
