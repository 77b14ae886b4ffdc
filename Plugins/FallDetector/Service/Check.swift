import FallsContract
import KithRPC

/// Checks what devices say.
enum Check {
  private static let longestID = 64
  /// 9999-12-31T23:59:59.999Z
  private static let lastInstant: Int64 = 253_402_300_799_999

  /// - Throws: INVALID_ARGUMENT that names the field and what was expected.
  static func report(_ request: ReportRequest) throws(RPCError) {
    guard !request.eventId.isEmpty, request.eventId.utf8.count <= longestID else {
      throw .invalidArgument(
        field: "event_id", "expected 1 to \(longestID) bytes that name the event for ever")
    }
    switch request.type {
    case .fallCandidate, .fallConfirmed, .resolved: break
    default:
      throw .invalidArgument(
        field: "type", "expected FALL_CANDIDATE, FALL_CONFIRMED or RESOLVED")
    }
    if let at = request.atMs, !(0...lastInstant).contains(at) {
      throw .invalidArgument(
        field: "at_ms", "expected milliseconds since 1970-01-01T00:00:00Z, from 0")
    }
    if let accelG = request.accelG {
      try range(accelG, 0...32, "accel_g", "expected an acceleration in g, 0 to 32")
    }
    if let seconds = request.inactiveSecs {
      try range(seconds, 0...3600, "inactive_secs", "expected a time in seconds, 0 to 3600")
    }
    if let battery = request.battery { try self.battery(battery) }
    if let place = request.location {
      try range(place.latitude, -90...90, "location.latitude", "expected degrees, -90 to 90")
      try range(place.longitude, -180...180, "location.longitude", "expected degrees, -180 to 180")
      if let accuracy = place.accuracyM {
        try range(
          accuracy, 0...100_000_000, "location.accuracy_m", "expected a radius in metres, from 0")
      }
    }
  }

  /// - Throws: INVALID_ARGUMENT.
  static func battery(_ battery: Double) throws(RPCError) {
    try range(battery, 0...1, "battery", "expected the charge that is left, 0 to 1")
  }

  /// Also a value that is no number is outside.
  private static func range(
    _ value: Double, _ range: ClosedRange<Double>, _ field: String, _ expected: String
  ) throws(RPCError) {
    guard range.contains(value) else { throw .invalidArgument(field: field, expected) }
  }
}
