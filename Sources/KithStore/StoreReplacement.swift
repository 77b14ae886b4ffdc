import Glibc

/// Puts another database in place of a store, together with its mark: a crash or a loss of power at
/// any instruction leaves the one or the other, as a whole.
///
/// The new database is made as ``draft(of:)``. Once its mark stands beside it, durably, the
/// replacement is decided: whoever opens the store next carries it out, if this process does not
/// come to it.
enum StoreReplacement {
  /// Where the new database is made.
  static func draft(of path: String) -> String { "\(path).next" }

  private static func mark(of path: String) -> String { "\(StoreMark.path(of: path)).next" }

  /// Whether something is left to carry out, or to clear away.
  static func isPending(_ path: String) -> Bool {
    isDecided(path) || access(draft(of: path), F_OK) == 0
  }

  /// Whether the replacement will be carried out, whatever becomes of this process.
  static func isDecided(_ path: String) -> Bool { access(mark(of: path), F_OK) == 0 }

  /// Puts the draft, which is closed and complete, in place of the store. No other process may have
  /// the store open.
  /// - Throws: ``StoreError`` when it cannot be made durable; the old store then stands, or the new
  ///   one.
  static func decide(
    _ path: String, _ found: StoreHistory.Found, _ sealing: StoreSealing
  ) throws(StoreError) {
    try DurableCopy.sync(draft(of: path))
    try StoreMark.create(
      mark(of: path), StoreMark(log: found.log, commits: found.commits, checkpointed: 0), sealing)
    try finish(path)
  }

  /// Carries out what was decided, and clears away what was not. No other process may have the
  /// store open.
  /// - Throws: ``StoreError`` when it cannot be made durable.
  static func finish(_ path: String) throws(StoreError) {
    let (draft, mark) = (draft(of: path), mark(of: path))
    guard isDecided(path) else {
      DurableCopy.removeDatabase(draft)
      return
    }
    if access(draft, F_OK) == 0 {
      // The log of the old database must never be found beside the new one.
      for suffix in DurableCopy.besideSuffixes + [StoreDigest.suffix] { unlink(path + suffix) }
      try DurableCopy.syncFolder(of: path)
      guard rename(draft, path) == 0 else { throw StoreError(system: path) }
      try DurableCopy.syncFolder(of: path)
    }
    guard rename(mark, StoreMark.path(of: path)) == 0 else { throw StoreError(system: mark) }
    try DurableCopy.syncFolder(of: path)
  }
}
