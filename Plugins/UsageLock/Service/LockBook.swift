import KithAccess
import KithRPC
import KithTime

/// What the worker knows besides its store: zones, settings and what the clocks show.
struct LockBook: Sendable {
  let zones: Zones
  let settings: LockSettings
  let reading: ClockReading

  /// The worker's own right to all records.
  static let ownGrant = Access(of: .product).grantAll(.own)

  /// The zone of a name; nil where the machine has none of it.
  func zone(_ name: String) -> Zone? { try? zones.zone(named: name) }
}
