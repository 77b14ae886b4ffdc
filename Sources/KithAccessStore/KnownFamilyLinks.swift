import AccessContract
import KithAccess
import KithRPC
public import KithStore
import KithWire

/// What a worker knows of the links between people, as the worker that keeps them has told.
///
/// List ``migrations`` with the worker's own and follow the links; `Transaction.access(of:)` then
/// lets family in:
///
///     static let migrations = KnownFamilyLinks.migrations + [Store.Migration("reminders 1", creating: [reminder])]
///
///     try context.followFamilyLinks(into: store)
///
/// The keeper tells of each link again every day, so that a worker that comes later, or has lost
/// events, knows all within a day; until then family stays outside.
public struct KnownFamilyLinks: Projection {
  /// The full name of the service whose worker keeps the links.
  public static let service = FamilyLinksMethods.addLink.service
  /// As the store has named it since its first version.
  public static let name = "kith.family.v1.FamilyLinks"
  /// The messages of today, and those that a log may hold from before the contract was a part of
  /// `kith.access.v1`.
  public static let types = [
    LinkAdded.fullName, LinkRemoved.fullName, firstAdded, firstRemoved,
  ]
  /// The migrations that make its table.
  public static let migrations = [
    Store.Migration(
      "kith family links 1",
      creating: [
        Store.Table(
          "kith_family_link",
          [
            .text("senior"), .text("family"),
            // FamilyLink.Role
            .text("role"),
          ], key: ["senior", "family"],
          indexes: [Store.Index("kith_family_link_family", on: "family")], clustered: true)
      ])
  ]

  private static let firstAdded = "kith.family.v1.LinkAdded"
  private static let firstRemoved = "kith.family.v1.LinkRemoved"

  /// The links of one store.
  public init() {}

  /// Knows of a link from now on, or no more.
  public func apply(_ event: LoggedEvent, in transaction: WriteTransaction) throws {
    switch event.type {
    case LinkAdded.fullName, Self.firstAdded:
      guard let message = try LinkAdded(decoding: event.payload).link,
        let link = FamilyLink(message)
      else { return }
      try transaction.execute(
        """
        INSERT INTO kith_family_link (senior, family, role)
        VALUES (\(link.senior), \(link.family), \(link.role))
        ON CONFLICT (senior, family) DO UPDATE SET role = excluded.role
        """)
    case LinkRemoved.fullName, Self.firstRemoved:
      let removed = try LinkRemoved(decoding: event.payload)
      try transaction.execute(
        """
        DELETE FROM kith_family_link
        WHERE senior = \(removed.seniorId) AND family = \(removed.familyId)
        """)
    default: break
    }
  }

  /// Knows of no links any more: one of those that were lost may have ended one.
  public func restart(after lost: LostEvents, in transaction: WriteTransaction) throws {
    try transaction.execute("DELETE FROM kith_family_link")
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
