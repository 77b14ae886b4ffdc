import GRDB
import Synchronization

/// Lets writes that come at the same time share one transaction, and so the one wait for the disk that makes it durable.
///
/// While a transaction is made durable, the writes that come meanwhile gather for the next one. Each runs in a savepoint of
/// its own: one that throws takes nothing of the others. When a transaction as a whole is lost (the disk is full, a page
/// cannot be written), each of its writes is tried once more in a transaction of its own, so that one that is too large for
/// the disk does not take the small ones with it.
final class GroupCommit: Sendable {
  /// A write that waits. Its functions are called from the database's one writing thread.
  struct Write: Sendable {
    /// Carries it out; what comes back tells the caller that it is durable.
    var run: @Sendable (Database) throws -> @Sendable () -> Void
    /// Tells the caller that nothing of it remains.
    var fail: @Sendable (any Error) -> Void
  }

  /// How many writes at most share a transaction; those that wait longer have their turn in the next one.
  static let largestGroup = 256

  private struct State {
    var waiting: [Write] = []
    var isRunning = false
  }

  private let writer: any DatabaseWriter
  /// Looks at what all transactions depend on, at the begin of each.
  private let begin: @Sendable () throws -> Void
  private let state = Mutex(State())

  init(_ writer: any DatabaseWriter, begin: @escaping @Sendable () throws -> Void) {
    self.writer = writer
    self.begin = begin
  }

  /// Carries a write out with whichever others wait.
  func add(_ write: Write) {
    let isFirst = state.withLock { state in
      state.waiting.append(write)
      defer { state.isRunning = true }
      return !state.isRunning
    }
    if isFirst { runNext() }
  }

  private func runNext() {
    writer.asyncWriteWithoutTransaction { database in
      let group = self.state.withLock { state in
        let group = Array(state.waiting.prefix(Self.largestGroup))
        state.waiting.removeFirst(group.count)
        return group
      }
      self.run(group, in: database)
      let isMore = self.state.withLock { state in
        state.isRunning = !state.waiting.isEmpty
        return state.isRunning
      }
      // Behind whatever else waits for the writing thread.
      if isMore { self.runNext() }
    }
  }

  private func run(_ group: [Write], in database: Database) {
    var failures: [(Write, any Error)] = []
    var acknowledgements: [@Sendable () -> Void] = []
    do {
      try database.inTransaction(.immediate) {
        try begin()
        // One alone needs no savepoint: the transaction is its own.
        if group.count == 1 { acknowledgements.append(try group[0].run(database)) }
        for write in group where group.count > 1 {
          do {
            try database.inSavepoint {
              acknowledgements.append(try write.run(database))
              return .commit
            }
          } catch {
            // SQLite itself has taken the whole transaction back, as it does when the disk is full.
            guard database.isInsideTransaction else { throw error }
            failures.append((write, error))
          }
        }
        return .commit
      }
      for acknowledge in acknowledgements { acknowledge() }
      for (write, error) in failures { write.fail(error) }
    } catch {
      if group.count == 1 {
        group[0].fail(error)
      } else {
        for write in group { run([write], in: database) }
      }
    }
  }
}
