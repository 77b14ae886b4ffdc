import FeatureFlagsDomain
import KithStore

/// All flags as they were at one revision.
struct FlagSnapshot: Sendable {
  /// The last change of any flag.
  let revision: Int64
  let flags: FlagSet
  /// The keys of rows that this version of the worker cannot read.
  let unreadable: Set<String>

  /// The last change of any flag.
  static func revision(_ transaction: some Transaction) throws -> Int64 {
    let rows = try transaction.rows("SELECT max(revision) AS newest FROM change")
    let newest: Int64? = try rows[0]["newest"]
    return newest ?? 0
  }

  /// Reads all flags.
  init(_ transaction: some Transaction) throws {
    revision = try Self.revision(transaction)
    var flags: [Flag] = []
    var unreadable: Set<String> = []
    for row in try transaction.records(StoredFlag.self) {
      if let flag = try? row.flag() { flags.append(flag) } else { unreadable.insert(row.id) }
    }
    self.unreadable = unreadable
    self.flags = FlagSet(unchecked: flags, segments: try Self.segments(transaction))
  }

  /// The segments that can be read; a rule that names another one lets nobody in.
  static func segments(_ transaction: some Transaction) throws -> [String: Segment] {
    var segments: [String: Segment] = [:]
    for row in try transaction.records(StoredSegment.self) {
      segments[row.id] = try? row.segment()
    }
    return segments
  }
}
