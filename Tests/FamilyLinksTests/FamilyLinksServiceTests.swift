import AccessContract
import Glibc
import KithAccess
import KithRPC
import KithSealing
import KithStore
import KithWire
import Synchronization
import Testing

@testable import FamilyLinksService

/// The links between people, over a store in memory.
@Suite struct FamilyLinksServiceTests {
  private final class Clock: Sendable {
    let now = Atomic<Int64>(1_000)
  }

  private let store: Store
  private let service: FamilyLinksService
  private let clock = Clock()

  init() throws {
    store = try Store(inMemoryWith: .init(worker: "test"), migrations: LinkSchema.migrations)
    service = FamilyLinksService(store: store, mostLinks: 3) { [clock] in
      clock.now.load(ordering: .relaxed)
    }
  }

  private func call(as user: String? = nil) -> CallContext {
    CallContext(
      method: FamilyLinksMethods.addLink, metadata: user.map { [CallContext.userKey: $0] } ?? [:],
      principal: .operator)
  }

  private func add(
    _ senior: String, _ family: String, _ role: Role = .unspecified, as user: String? = nil
  ) async throws -> Link {
    try await service.addLink(
      AddLinkRequest(seniorId: senior, familyId: family, role: role), context: call(as: user))
  }

  private func code(_ body: () async throws -> some Sendable) async -> StatusCode? {
    do {
      _ = try await body()
      return nil
    } catch {
      return (error as? RPCError)?.code ?? .unknown
    }
  }

  private func events() async throws -> [String] {
    try await store.read { try $0.events(after: EventPosition()) }.events.map {
      "\($0.type.split(separator: ".").last ?? "") \($0.user?.text ?? "")"
    }
  }

  @Test func aSeniorLetsSomebodyIn() async throws {
    let link = try await add("", "bob", as: "ada")
    #expect(link == Link(seniorId: "ada", familyId: "bob", role: .viewer, createdAtMs: 1_000))
    // To say the same twice changes nothing; another role is a change.
    #expect(try await add("ada", "bob", as: "ada") == link)
    #expect(try await add("ada", "bob", .caregiver).role == .caregiver)
    #expect(try await events() == ["LinkAdded ada", "LinkAdded ada"])
    for user in ["ada", "bob"] {
      let list = try await service.listLinks(ListLinksRequest(userId: user), context: call())
      #expect(list.links.map(\.role) == [.caregiver])
    }
  }

  @Test func nobodyLetsThemselvesIn() async throws {
    #expect(await code { try await add("ada", "bob", as: "bob") } == .permissionDenied)
    #expect(await code { try await add("ada", "ada", as: "ada") } == .invalidArgument)
    #expect(await code { try await add("ada", "a b", as: "ada") } == .invalidArgument)
    #expect(await code { try await add("ada", "bob", Role(rawValue: 9)) } == .invalidArgument)
    // A caregiver lets nobody else in.
    _ = try await add("ada", "bob", .caregiver)
    #expect(await code { try await add("ada", "eve", as: "bob") } == .permissionDenied)
    #expect(
      await code {
        try await service.listLinks(ListLinksRequest(userId: "ada"), context: call(as: "bob"))
      } == .permissionDenied)
  }

  @Test func bothEndALinkAndNobodyElse() async throws {
    func remove(as user: String?) async throws {
      _ = try await service.removeLink(
        RemoveLinkRequest(seniorId: "ada", familyId: "bob"), context: call(as: user))
    }
    for user in ["ada", "bob", nil] {
      _ = try await add("ada", "bob")
      #expect(await code { try await remove(as: "eve") } == .permissionDenied)
      for _ in 0..<2 { try await remove(as: user) }
      let list = try await service.listLinks(ListLinksRequest(userId: "ada"), context: call())
      #expect(list.links.isEmpty)
    }
    #expect(try await events().count { $0 == "LinkRemoved ada" } == 3)
  }

  @Test func thereAreNoMoreThanThereMayBe() async throws {
    for family in ["b", "c", "d"] { _ = try await add("a", family) }
    #expect(await code { try await add("a", "e") } == .resourceExhausted)
    #expect(await code { try await add("a", "b", .caregiver) } == nil)
    for senior in ["x", "y"] { _ = try await add(senior, "b") }
    #expect(await code { try await add("z", "b") } == .resourceExhausted)
  }

  @Test func eachLinkIsToldOfAgainEveryDay() async throws {
    #expect(try await service.nextDue() == nil)
    _ = try await add("ada", "bob")
    _ = try await add("ada", "eve")
    let due = try #require(try await service.nextDue())
    #expect(due == 86_401_000)
    clock.now.store(due, ordering: .relaxed)
    try await service.tellAgain()
    #expect(try await events().count == 4)
    #expect(try await service.nextDue() == due + 86_400_000)
  }
}
