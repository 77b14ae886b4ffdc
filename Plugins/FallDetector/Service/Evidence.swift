import FallsContract
import KithStore
import KithWire

/// What is known of a fall beside that it may be one.
struct Evidence: Sendable {
  /// When the device says that it happened, in milliseconds since 1970.
  var deviceAt: Int64?
  /// What the detector found.
  var finding: FallsContract.Finding?
  /// The largest acceleration, in g.
  var accelG: Double?
  /// What is left in the battery, 0 to 1.
  var battery: Double?
  /// Where the wearer is; nil where that is not to be kept.
  var location: Location?

  /// Adds it to a case: the first finding, the largest acceleration, the last of the others.
  func add(to row: inout StoredCase) throws {
    if let deviceAt { row.deviceAt = max(deviceAt, row.deviceAt ?? deviceAt) }
    if row.finding == nil, let finding { row.finding = Sealed(try finding.encoded()) }
    if let accelG { row.accelG = Sealed(max(accelG, row.accelG?.intact ?? accelG)) }
    if let battery { row.battery = Sealed(battery) }
    if let location { row.location = Sealed(try location.encoded()) }
  }
}
