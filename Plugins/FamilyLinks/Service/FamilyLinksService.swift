public import AccessContract
import FamilyLinksDomain
import KithAccess
public import KithRPC
public import KithStore
import Synchronization

/// The links between people behind their contract. Each change is one transaction with the event
/// that tells of it.
public final class FamilyLinksService: FamilyLinksHandler {
  private static let mostListed = 200
  private static let tellsAgainAfter: Int64 = 86_400_000
  /// The worker's own right to all links.
  private static let all = Access(of: .product).grantAll(.own)

  private let store: Store
  private let now: @Sendable () -> Int64
  private let changed: @Sendable () -> Void
  private let mostLinks: Mutex<Int>

  /// A service over a store with the table of ``LinkSchema``.
  /// - Parameters:
  ///   - now: wall time in milliseconds since 1970.
  ///   - changed: is called when ``nextDue()`` may be another.
  public init(
    store: Store, mostLinks: Int, now: @escaping @Sendable () -> Int64,
    changed: @escaping @Sendable () -> Void = {}
  ) {
    self.changed = changed
    self.store = store
    self.mostLinks = Mutex(mostLinks)
    self.now = now
  }

  /// What the worker serves.
  public var definition: ServiceDefinition { .familyLinks(self) }

  /// Allows so many links of a person from now on.
  public func allow(mostLinks: Int) { self.mostLinks.withLock { $0 = mostLinks } }

  /// Lets somebody in.
  public func addLink(_ request: AddLinkRequest, context: CallContext) async throws -> Link {
    let senior = try person(request.seniorId, "senior_id", context)
    guard let family = UserID(request.familyId) else { throw RPCError.noUserID(field: "family_id") }
    guard [.unspecified, .viewer, .caregiver].contains(request.role) else {
      throw RPCError.invalidArgument(field: "role", "expected VIEWER or CAREGIVER")
    }
    // To let others in takes the right of the person itself, whatever links there are.
    let grant = try allow(.own, on: senior, context)
    let (now, most) = (now(), mostLinks.withLock(\.self))
    let role: FamilyLink.Role = request.role == .caregiver ? .caregiver : .viewer
    let answer = try await store.write { transaction in
      let id = StoredLink.id(senior, family)
      let known = try transaction.record(StoredLink.self, id: id, under: grant)
      if let known, known.role == role { return known.message }
      if known == nil {
        let opened = try transaction.count(
          of: StoredLink.self, where: "user_id = \(senior)", under: Self.all)
        let entered = try transaction.count(
          of: StoredLink.self, where: "family_id = \(family)", under: Self.all)
        do throws(LinkRules.Refusal) {
          try LinkRules.check(
            senior: senior.text, family: family.text, opened: opened, entered: entered, most: most)
        } catch {
          throw RPCError(error)
        }
      }
      let link = StoredLink(
        user: senior, family: family, role: role, createdAt: known?.createdAt ?? now,
        toldAt: now)
      try transaction.save(link, under: grant)
      try transaction.append(
        LinkAdded(link: link.message), about: senior, at: now, traceparent: context.traceparent)
      return link.message
    }
    changed()
    return answer
  }

  /// Ends a link.
  public func removeLink(
    _ request: RemoveLinkRequest, context: CallContext
  ) async throws -> RemoveLinkResponse {
    let senior = try person(request.seniorId, "senior_id", context)
    let family = try person(request.familyId, "family_id", context)
    if context.caller != .user(family) { _ = try allow(.own, on: senior, context) }
    let own = try Self.own(senior)
    let now = now()
    try await store.write { transaction in
      guard
        try transaction.delete(
          StoredLink.self, id: StoredLink.id(senior, family), under: own)
      else { return }
      try transaction.append(
        LinkRemoved(seniorId: senior.text, familyId: family.text), about: senior, at: now,
        traceparent: context.traceparent)
    }
    return RemoveLinkResponse()
  }

  /// The links of a person.
  public func listLinks(
    _ request: ListLinksRequest, context: CallContext
  ) async throws -> ListLinksResponse {
    let user = try person(request.userId, "user_id", context)
    _ = try allow(.own, on: user, context)
    return try await store.read { transaction in
      let links = try transaction.records(
        StoredLink.self, where: "user_id = \(user) OR family_id = \(user)",
        orderedBy: "created_at_ms, id", limit: Self.mostListed, under: Self.all)
      return ListLinksResponse(links: links.map(\.message))
    }
  }

  // MARK: Telling again

  /// When a link is to be told again; nil where there is none. Events are kept for a time only, and
  /// whoever follows them from a later day on is to know of the links all the same.
  public func nextDue() async throws -> Int64? {
    try await store.read { transaction in
      let told: Int64? = try transaction.minimum(
        of: "told_at_ms", in: StoredLink.self, under: Self.all)
      return told.map { $0 + Self.tellsAgainAfter }
    }
  }

  /// Tells of the links again that were not told of for a day, some at a time.
  public func tellAgain() async throws {
    let now = now()
    try await store.write { transaction in
      let links = try transaction.records(
        StoredLink.self, where: "told_at_ms <= \(now - Self.tellsAgainAfter)",
        orderedBy: "told_at_ms", limit: Self.mostListed, under: Self.all)
      for var link in links {
        link.toldAt = now
        try transaction.save(link, under: Self.all)
        try transaction.append(LinkAdded(link: link.message), about: link.user, at: now)
      }
    }
  }

  // MARK: Whose

  private func person(
    _ name: String, _ field: String, _ context: CallContext
  ) throws(RPCError) -> UserID {
    if name.isEmpty, case .user(let user) = context.caller { return user }
    guard let user = UserID(name) else { throw .noUserID(field: field) }
    return user
  }

  private func allow(
    _ action: Access.Action, on user: UserID, _ context: CallContext
  ) throws(RPCError) -> Access.Grant {
    do throws(Access.Denial) {
      return try Access(of: context.caller).grant(action, on: user)
    } catch {
      throw RPCError(error)
    }
  }

  private static func own(_ user: UserID) throws -> Access.Grant {
    try Access(of: .product).grant(.own, on: user)
  }
}

extension RPCError {
  fileprivate init(_ refusal: LinkRules.Refusal) {
    switch refusal {
    case .toOneself: self = .invalidArgument(field: "family_id", refusal.description)
    case .tooMany: self.init(.resourceExhausted, refusal.description)
    }
  }
}
