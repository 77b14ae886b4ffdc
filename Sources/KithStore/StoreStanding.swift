import GRDB

/// How far a store has come: which store it is, and how many transactions it has committed.
///
/// A worker reports it to its host, which keeps it where no worker can write and hands it over at
/// the next start: a store that has come less far was damaged, or replaced by an older copy.
public struct StoreStanding: Sendable, Hashable {
  /// The store's identity, which is also the name of its event log. A store that was restored or
  /// salvaged has another one.
  public var log: String
  /// How many transactions were committed and made durable.
  public var commits: Int64

  /// A standing.
  public init(log: String, commits: Int64) {
    self.log = log
    self.commits = commits
  }

  /// The one line by which the host keeps it: the log, a space and the number of commits.
  public var text: String { "\(log) \(commits)\n" }

  /// Reads ``text``; nil when it is something else.
  public init?(text: String) {
    let words = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard words.count == 2, words[1].isEmpty else { return nil }
    let parts = words[0].split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, let commits = Int64(parts[1]), commits >= 0 else {
      return nil
    }
    self.init(log: String(parts[0]), commits: commits)
  }
}

extension StoreStanding {
  /// Whether a store counts its transactions: one that no worker of this version has opened does
  /// not yet.
  static func isCounted(_ database: Database) throws -> Bool {
    try database.tableExists("kith_store")
      && database.columns(in: "kith_store").contains { $0.name == "commits" }
  }

  /// Notes in a transaction that it is one more; answers the number that it has once it is
  /// committed.
  static func count(_ database: Database) throws -> Int64 {
    let count = try Int64.fetchOne(
      database.cachedStatement(
        sql: "UPDATE kith_store SET commits = commits + 1 WHERE id = 1 RETURNING commits"))
    guard let count else {
      throw StoreError(.damaged, "the row of kith_store that counts transactions is gone")
    }
    return count
  }
}
