import KithAccess
import KithSealing
import KithStore
import Testing

/// What a store knows of the links between people, and whom it lets in by it.
@Suite struct FamilyLinkTableTests {
  @Test func familyIsLetInByTheLinksThatAreKnown() async throws {
    let (ada, bob) = (try #require(UserID("ada")), try #require(UserID("bob")))
    let store = try Store(inMemoryWith: .init(worker: "test"), migrations: [])
    func allows(_ action: Access.Action, _ caller: Caller, on user: UserID) async throws -> Bool {
      let access = try await store.read { try $0.access(of: caller) }
      return (try? access.grant(action, on: user)) != nil
    }
    #expect(try await !allows(.read, .user(bob), on: ada))
    try await store.write { try $0.note(FamilyLink(senior: ada, family: bob, role: .viewer)) }
    #expect(try await allows(.read, .user(bob), on: ada))
    #expect(try await !allows(.change, .user(bob), on: ada))
    // One way only.
    #expect(try await !allows(.read, .user(ada), on: bob))
    try await store.write { try $0.note(FamilyLink(senior: ada, family: bob, role: .caregiver)) }
    #expect(try await allows(.change, .user(bob), on: ada))
    #expect(try await !allows(.own, .user(bob), on: ada))
    #expect(try await !allows(.read, .stranger, on: ada))
    #expect(try await allows(.own, .product, on: ada))
    try await store.write { try $0.forgetFamilyLink(senior: ada, family: bob) }
    #expect(try await !allows(.read, .user(bob), on: ada))
    try await store.write { try $0.note(FamilyLink(senior: ada, family: bob, role: .viewer)) }
    try await store.write { try $0.forgetFamilyLinks() }
    #expect(try await !allows(.read, .user(bob), on: ada))
  }
}
