import GRDB
import Synchronization

/// Lets writes that come at the same time share one transaction, and so the one wait for the disk
/// that makes it durable.
///
/// While a transaction is made durable, the writes that come meanwhile gather for the next one.
/// Each runs in a savepoint of its own: one that throws takes nothing of the others. When a
/// transaction as a whole is lost (the disk is full, a page cannot be written), each of its writes
/// is tried once more in a transaction of its own, so that one that is too large for the disk does
/// not take the small ones with it.
///
/// No write is acknowledged before the ``StoreWitness`` has noted its transaction.
final class GroupCommit: Sendable {
  /// A write that waits. Its functions are called from the database's one writing thread.
  struct Write: Sendable {
    /// Carries it out; what comes back tells the caller that it is durable.
    var run: @Sendable (Database) throws -> @Sendable () -> Void
    /// Tells the caller that nothing of it remains.
    var fail: @Sendable (any Error) -> Void
  }

  /// How many writes at most share a transaction; those that wait longer have their turn in the
  /// next one.
  static let largestGroup = 256

  private struct State {
    var waiting: [Write] = []
    var isRunning = false
  }

  private let writer: any DatabaseWriter
  /// Sees to it that what is acknowledged can be found again; nil in memory.
  private let witness: StoreWitness?
  private let state = Mutex(State())

  init(_ writer: any DatabaseWriter, _ witness: StoreWitness?) {
    self.writer = writer
    self.witness = witness
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
    var acknowledgements: [(Write, @Sendable () -> Void)] = []
    var number: Int64?
    do {
      try witness?.checkPlace()
      try database.inTransaction(.immediate) {
        // One alone needs no savepoint: the transaction is its own.
        if group.count == 1 { acknowledgements.append((group[0], try group[0].run(database))) }
        for write in group where group.count > 1 {
          do {
            try database.inSavepoint {
              acknowledgements.append((write, try write.run(database)))
              return .commit
            }
          } catch {
            // SQLite itself has taken the whole transaction back, as it does when the disk is full.
            guard database.isInsideTransaction else { throw error }
            failures.append((write, error))
          }
        }
        if !acknowledgements.isEmpty { number = try witness?.count(database) }
        return .commit
      }
    } catch {
      if group.count == 1 {
        group[0].fail(error)
      } else {
        for write in group { run([write], in: database) }
      }
      return
    }
    do {
      if let number { try witness?.committed(number) }
      for (_, acknowledge) in acknowledgements { acknowledge() }
    } catch {
      // Committed, but nobody may rely on it.
      for (write, _) in acknowledgements { write.fail(error) }
    }
    for (write, error) in failures { write.fail(error) }
    if let number { witness?.checkpointIfDue(after: number, database) }
  }
}
