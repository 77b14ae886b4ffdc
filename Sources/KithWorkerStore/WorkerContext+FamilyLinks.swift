import KithAccessStore
public import KithRPC
public import KithStore
public import KithWorker

extension WorkerContext {
  /// Follows who looks after whom, so that `Transaction.access(of:)` lets family in: see
  /// ``KnownFamilyLinks``, whose migrations the store has to have. In a product that keeps no links
  /// (none of its workers provides kith.access.v1.FamilyLinks) there are none, which is no trouble.
  /// - Throws: FAILED_PRECONDITION for a worker without a host.
  public func followFamilyLinks(into store: Store) throws(RPCError) {
    try follow(
      EventSource(of: KnownFamilyLinks.service, isOptional: true), into: KnownFamilyLinks(),
      in: store)
  }
}
