import FamilyContract
import KithAccess
public import KithRPC
public import KithStore
import KithWire
public import KithWorker

extension WorkerContext {
  /// Follows who looks after whom, so that `Transaction.access(of:)` lets family in. In a product that keeps no links (none
  /// of its workers provides kith.family.v1.FamilyLinks) there are none, which is no trouble.
  ///
  /// Whoever keeps the links tells each of them again every day, so that one who comes later, or has lost events, knows all
  /// within a day; until then family stays outside.
  /// - Throws: FAILED_PRECONDITION for a worker without a host.
  public func followFamilyLinks(into store: Store) throws(RPCError) {
    try consumeEvents(
      of: FamilyLinksMethods.addLink.service, into: store,
      types: [LinkAdded.fullName, LinkRemoved.fullName], needsProvider: false,
      lost: { _, transaction in try transaction.forgetFamilyLinks() }
    ) { event, transaction in
      switch event.type {
      case LinkAdded.fullName:
        guard let link = try LinkAdded(decoding: event.payload).link,
          let known = FamilyLink(link)
        else { return }
        try transaction.note(known)
      case LinkRemoved.fullName:
        let removed = try LinkRemoved(decoding: event.payload)
        guard let senior = UserID(removed.seniorId), let family = UserID(removed.familyId) else {
          return
        }
        try transaction.forgetFamilyLink(senior: senior, family: family)
      default: break
      }
    }
  }
}

extension FamilyLink {
  fileprivate init?(_ link: Link) {
    guard let senior = UserID(link.seniorId), let family = UserID(link.familyId) else {
      return nil
    }
    self.init(senior: senior, family: family, role: link.role == .caregiver ? .caregiver : .viewer)
  }
}
