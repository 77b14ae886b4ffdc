import FlagsContract
import KithAccess
import KithRPC
import KithStore
import KithTime
import KithWire

/// Writes changes of flags with their record and their event, in one transaction.
struct FlagLedger {
  let transaction: WriteTransaction
  let context: CallContext
  let now: Instant
  let patience: Duration

  /// Writes a flag, and what was done to it.
  /// - Returns: the flag with its new revision.
  func save(
    _ flag: StoredFlag, _ kind: StoredChange.Kind, before: String?, why: String
  ) throws -> StoredFlag {
    var flag = flag
    flag.revision = try record(kind, flag.id, before: before, after: flag.definition, why: why)
    try transaction.save(flag)
    try tell(FlagChanged(flag: flag.message(at: now, patience: patience)))
    return flag
  }

  /// Writes a segment.
  func save(segment: StoredSegment, before: String?, why: String) throws {
    var segment = segment
    segment.revision = try record(
      .segmentPut, segment.id, before: before, after: segment.definition, why: why)
    try transaction.save(segment)
    try tell(
      SegmentChanged(
        name: segment.id, definition: segment.definition, revision: UInt64(segment.revision)))
  }

  /// Removes a flag.
  func remove(_ flag: StoredFlag, why: String) throws {
    let revision = try record(.removed, flag.id, before: flag.definition, after: nil, why: why)
    try transaction.delete(StoredFlag.self, id: flag.id)
    try tell(FlagRemoved(key: flag.id, revision: UInt64(revision)))
  }

  /// Appends an event.
  func tell(_ event: some GeneratedMessage) throws {
    try transaction.append(
      event, about: nil, at: Int64(now.milliseconds), traceparent: context.traceparent)
  }

  private func record(
    _ kind: StoredChange.Kind, _ subject: String, before: String?, after: String?, why: String
  ) throws -> Int64 {
    let revision = try FlagSnapshot.revision(transaction) + 1
    try transaction.save(
      StoredChange(
        id: revision, subject: subject, kind: kind, by: who, at: Int64(now.milliseconds),
        why: Sealed(why), before: before, after: after))
    return revision
  }

  /// `operator`, `operator for ada`.
  private var who: String {
    guard case .user(let user) = context.caller else { return "\(context.principal)" }
    return "\(context.principal) for \(user)"
  }
}
