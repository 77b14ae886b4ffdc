import FeatureFlagsDomain
import FlagsContract
import KithJSON
import KithRPC
import KithStore
import KithTime

/// A flag as a row.
struct StoredFlag: StoredRecord {
  static let table = "flag"

  /// The flag's key.
  let id: String
  var revision: Int64
  /// JSON, in the form of `FlagReader`.
  var definition: String
  var isKilled = false
  var frozenBecause: String?
  let createdAt: Instant
  var changedAt: Instant

  /// The flag ready to be evaluated.
  /// - Throws: `FlagProblem` if a version of the worker that reads less wrote the row.
  func flag() throws(FlagProblem) -> FeatureFlagsDomain.Flag {
    var flag = try FlagReader.flag(id, try value())
    flag.isKilled = isKilled
    return flag
  }

  /// The definition as a value.
  func value() throws(FlagProblem) -> JSONValue {
    do throws(JSONError) {
      return try JSONValue(parsing: definition)
    } catch {
      throw FlagProblem("", "\(error)")
    }
  }

  /// The flag as the contract has it.
  func message(at now: Instant, patience: Duration) -> FlagsContract.Flag {
    let stale = (try? flag())?.staleness(at: now, changed: changedAt, patience: patience)
    return FlagsContract.Flag(
      key: id, definition: definition, revision: UInt64(revision), isKilled: isKilled,
      frozenBecause: frozenBecause ?? "", createdAtMs: Int64(createdAt.milliseconds),
      changedAtMs: Int64(changedAt.milliseconds), staleBecause: stale ?? "")
  }
}

extension StoredFlag {
  init(_ row: RecordReader) throws {
    self.init(
      id: try row["id"], revision: try row["revision"], definition: try row["definition"],
      isKilled: try row["is_killed"], frozenBecause: try row["frozen_because"],
      createdAt: Instant(milliseconds: try row["created_at_ms"]),
      changedAt: Instant(milliseconds: try row["changed_at_ms"]))
  }

  func write(to row: inout RecordWriter) throws {
    row.set("revision", revision)
    row.set("definition", definition)
    row.set("is_killed", isKilled)
    row.set("frozen_because", frozenBecause)
    row.set("created_at_ms", createdAt.milliseconds)
    row.set("changed_at_ms", changedAt.milliseconds)
  }
}
