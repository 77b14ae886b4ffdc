import AccessContract
import KithAccess
import KithAccessStore
import KithSealing
import KithStore
import KithTesting
import KithWire
import Testing

/// What a store knows of the links between people, and whom it lets in by it.
@Suite struct KnownFamilyLinksTests {
  private let ada = UserID("ada")!
  private let bob = UserID("bob")!

  private func added(
    _ role: Role, type: String = LinkAdded.fullName
  ) throws -> LoggedEvent {
    let link = Link(seniorId: ada.text, familyId: bob.text, role: role)
    return LoggedEvent(
      sequence: 1, type: type, atMilliseconds: 1, payload: try LinkAdded(link: link).encoded())
  }

  private func removed(type: String = LinkRemoved.fullName) throws -> LoggedEvent {
    LoggedEvent(
      sequence: 2, type: type, atMilliseconds: 2,
      payload: try LinkRemoved(seniorId: ada.text, familyId: bob.text).encoded())
  }

  private func allows(
    _ action: Access.Action, _ caller: Caller, on user: UserID, _ store: Store
  ) async throws -> Bool {
    let access = try await store.read { try $0.access(of: caller) }
    return (try? access.grant(action, on: user)) != nil
  }

  @Test func familyIsLetInByTheLinksThatAreKnown() async throws {
    let store = try Store(
      inMemoryWith: SealingKeys(worker: "test"), migrations: KnownFamilyLinks.migrations)
    let links = KnownFamilyLinks()
    func take(_ event: LoggedEvent) async throws {
      try await store.write { try links.apply(event, in: $0) }
    }
    #expect(try await !allows(.read, .user(bob), on: ada, store))
    try await take(try added(.viewer))
    #expect(try await allows(.read, .user(bob), on: ada, store))
    #expect(try await !allows(.change, .user(bob), on: ada, store))
    // One way only.
    #expect(try await !allows(.read, .user(ada), on: bob, store))
    try await take(try added(.caregiver))
    #expect(try await allows(.change, .user(bob), on: ada, store))
    #expect(try await !allows(.own, .user(bob), on: ada, store))
    #expect(try await !allows(.read, .stranger, on: ada, store))
    #expect(try await allows(.own, .product, on: ada, store))
    try await take(try removed())
    #expect(try await !allows(.read, .user(bob), on: ada, store))
    try await take(try added(.viewer))
    let lost = LostEvents(reason: .retention, from: 1, to: 2)
    try await store.write { try links.restart(after: lost, in: $0) }
    #expect(try await !allows(.read, .user(bob), on: ada, store))
  }

  /// A log may hold events from before the contract had its present name. A link that such an event
  /// ended must end.
  @Test func eventsOfTheFirstNameAreTakenToo() async throws {
    let store = try Store(
      inMemoryWith: SealingKeys(worker: "test"), migrations: KnownFamilyLinks.migrations)
    let first = try added(.viewer, type: "kith.family.v1.LinkAdded")
    let last = try removed(type: "kith.family.v1.LinkRemoved")
    #expect(Set(KnownFamilyLinks.types).isSuperset(of: [first.type, last.type]))
    try await store.write { try KnownFamilyLinks().apply(first, in: $0) }
    #expect(try await allows(.read, .user(bob), on: ada, store))
    try await store.write { try KnownFamilyLinks().apply(last, in: $0) }
    #expect(try await !allows(.read, .user(bob), on: ada, store))
  }

  /// Earlier versions made the table in every store, also in those of workers that follow no links.
  @Test func aStoreThatHasTheTableFromBeforeOpensWithAndWithoutIt() async throws {
    let folder = try TemporaryFolder()
    let keys = SealingKeys(worker: "test")
    let path = "\(folder.path)/\(Store.fileName)"
    let before = try Store(path: path, keys: keys, migrations: KnownFamilyLinks.migrations)
    let event = try added(.viewer)
    try await before.write { try KnownFamilyLinks().apply(event, in: $0) }
    try before.close()
    try Store(path: path, keys: keys).close()
    let after = try Store(path: path, keys: keys, migrations: KnownFamilyLinks.migrations)
    #expect(try await allows(.read, .user(bob), on: ada, after))
  }
}
