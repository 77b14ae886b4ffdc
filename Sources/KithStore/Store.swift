public import GRDB
import Glibc

/// A worker's database: one SQLite file of its own, which nobody shares.
///
/// What a write has returned from survives a crash of the process and a loss of power: write-ahead log, with
/// `synchronous = FULL`. Safe to use from any task; writes come one after another.
public final class Store: Sendable {
  /// One step from a schema to the next. Never changed once it has shipped.
  public struct Migration: Sendable {
    /// Names the step, uniquely and for ever: `1 people`.
    public var name: String
    /// Takes the step, in a transaction of its own.
    public var migrate: @Sendable (Database) throws -> Void

    /// A step.
    public init(_ name: String, migrate: @escaping @Sendable (Database) throws -> Void) {
      self.name = name
      self.migrate = migrate
    }
  }

  /// Where the file is.
  public let path: String
  private let queue: DatabaseQueue

  /// Opens the file, or makes it, checks that it is whole, and brings its schema up to date.
  /// - Throws: ``StoreError`` when it cannot be opened, is damaged, or has been written by a later version.
  public init(path: String, migrations: [Migration]) throws(StoreError) {
    self.path = path
    var configuration = Configuration()
    configuration.journalMode = .wal
    // Another generation of the worker may hold the lock for a moment.
    configuration.busyMode = .timeout(5)
    do {
      queue = try DatabaseQueue(path: path, configuration: configuration)
      chmod(path, 0o600)
      // GRDB sets NORMAL with the write-ahead log, under which a loss of power takes the last writes.
      try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
      let findings = try queue.read { try String.fetchAll($0, sql: "PRAGMA quick_check(3)") }
      guard findings == ["ok"] else {
        throw StoreError(
          "\(path) is damaged (\(findings.first ?? "unknown")): move it away and start anew, or restore a backup"
        )
      }
      var migrator = DatabaseMigrator()
      for step in migrations { migrator.registerMigration(step.name, migrate: step.migrate) }
      if try queue.read(migrator.hasBeenSuperseded) {
        throw StoreError(
          "\(path) was written by a later version of this worker: start that version, or restore a backup"
        )
      }
      try migrator.migrate(queue)
    } catch let error as StoreError {
      throw error
    } catch {
      throw StoreError("\(path) cannot be used: \(Self.reason(error))")
    }
  }

  /// Reads, in one consistent view.
  public func read<Value: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    try await queue.read(body)
  }

  /// Writes, in one transaction: all of it or, when `body` throws, nothing.
  public func write<Value: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    try await queue.write(body)
  }

  /// What SQLite says, without statements and their arguments, which may be personal.
  private static func reason(_ error: any Error) -> String {
    guard let error = error as? DatabaseError else { return "\(type(of: error))" }
    return "\(error.message ?? "unknown") (SQLite \(error.extendedResultCode.rawValue))"
  }
}
