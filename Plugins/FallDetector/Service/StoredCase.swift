public import FallDetectorDomain
import FallsContract
import KithAccess
public import KithStore
import KithTime
import KithWire

/// A case as a row: how far it has come, and what was measured.
struct StoredCase {
  let id: String
  let user: UserID
  var progress: CaseProgress
  /// When the device says that the last report of it happened.
  var deviceAt: Int64?
  /// What was found first, as the contract has it.
  var finding: Sealed<[UInt8]>?
  var accelG: Sealed<Double>?
  var battery: Sealed<Double>?
  /// As the contract has it.
  var location: Sealed<[UInt8]>?

  /// The columns that change while it lives.
  static let changing: Set<String> = [
    "state", "wait_boot", "wait_end_ms", "wait_length_ms", "wait_wall_ms", "answer_by_ms",
    "candidate_count", "device_at_ms", "alerted_at_ms", "cause", "ack_at_ms", "ack_by",
    "resolved_at_ms", "resolution", "resolved_by", "reason", "finding", "accel_g", "battery",
    "location",
  ]

  /// The place; nil where none is kept, or it is damaged.
  var place: Location? {
    location?.intact.flatMap { try? Location(decoding: $0) }
  }

  /// As the contract has it, with the deadline by the wall clock as it is now. What is damaged is
  /// left out.
  func message(at reading: ClockReading) -> FallCase {
    FallCase(
      id: id, userId: user.text, state: progress.state.message,
      openedAtMs: progress.openedAt.contract,
      deadlineMs: progress.state == .awaitingConfirmation
        ? progress.deadline.instant(at: reading).contract : progress.answerBy.contract,
      alertedAtMs: progress.alertedAt?.contract, ackAtMs: progress.acknowledgedAt?.contract,
      ackBy: progress.acknowledgedBy, resolvedAtMs: progress.resolvedAt?.contract,
      resolution: progress.resolution.map { $0.message } ?? .unspecified,
      resolvedBy: progress.resolvedBy, candidateCount: UInt32(clamping: progress.candidateCount),
      finding: finding?.intact.flatMap { try? FallsContract.Finding(decoding: $0) },
      accelG: accelG?.intact, battery: battery?.intact, location: place,
      resolutionReason: progress.resolutionReason)
  }
}

extension StoredCase: UserRecord {
  static let table = "fall_case"

  init(_ row: RecordReader) throws {
    let deadline = TrustedDeadline(
      length: .milliseconds(try row["wait_length_ms"] as Int), boot: try row["wait_boot"],
      end: .milliseconds(try row["wait_end_ms"] as Int),
      wallEnd: Instant(milliseconds: try row["wait_wall_ms"]))
    var progress = CaseProgress(
      state: try row["state"], openedAt: Instant(milliseconds: try row["opened_at_ms"]),
      deadline: deadline, answerBy: Instant(milliseconds: try row["answer_by_ms"]))
    progress.candidateCount = try row["candidate_count"]
    progress.alertedAt = try row.instant("alerted_at_ms")
    progress.cause = try row["cause"]
    progress.acknowledgedAt = try row.instant("ack_at_ms")
    progress.acknowledgedBy = try row["ack_by"]
    progress.resolvedAt = try row.instant("resolved_at_ms")
    progress.resolution = try row["resolution"]
    progress.resolvedBy = try row["resolved_by"]
    let reason: Sealed<String>? = try row["reason"]
    progress.resolutionReason = reason?.intact ?? ""
    self.init(
      id: try row["id"], user: try row.user(), progress: progress,
      deviceAt: try row["device_at_ms"], finding: try row["finding"],
      accelG: try row["accel_g"], battery: try row["battery"], location: try row["location"])
  }

  func write(to row: inout RecordWriter) throws {
    row.set("state", progress.state)
    row.set("opened_at_ms", progress.openedAt.milliseconds)
    row.set("wait_boot", progress.deadline.boot)
    row.set("wait_end_ms", progress.deadline.end.inMilliseconds)
    row.set("wait_length_ms", progress.deadline.length.inMilliseconds)
    row.set("wait_wall_ms", progress.deadline.wallEnd.milliseconds)
    row.set("answer_by_ms", progress.answerBy.milliseconds)
    row.set("candidate_count", progress.candidateCount)
    row.set("device_at_ms", deviceAt)
    row.set("alerted_at_ms", progress.alertedAt?.milliseconds)
    row.set("cause", progress.cause)
    row.set("ack_at_ms", progress.acknowledgedAt?.milliseconds)
    row.set("ack_by", progress.acknowledgedBy)
    row.set("resolved_at_ms", progress.resolvedAt?.milliseconds)
    row.set("resolution", progress.resolution)
    row.set("resolved_by", progress.resolvedBy)
    try row.set(
      "reason", progress.resolutionReason.isEmpty ? nil : Sealed(progress.resolutionReason))
    try row.set("finding", finding)
    try row.set("accel_g", accelG)
    try row.set("battery", battery)
    try row.set("location", location)
  }
}

extension CaseProgress.State: StoreConvertible {}
extension AlertCause: StoreConvertible {}
extension CaseResolution: StoreConvertible {}

extension RecordReader {
  fileprivate func instant(_ column: String) throws -> Instant? {
    (try self[column] as Int?).map { Instant(milliseconds: $0) }
  }
}

extension Instant {
  /// As the contracts count: milliseconds since 1970-01-01T00:00:00Z.
  var contract: Int64 { Int64(milliseconds) }
}

extension Duration {
  /// Whole milliseconds.
  var inMilliseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds * 1000 + attoseconds / 1_000_000_000_000_000
  }
}
