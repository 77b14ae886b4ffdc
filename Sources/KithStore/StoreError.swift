import GRDB
import Glibc
public import KithAccess
public import KithRPC
import KithSealing

/// Why a worker's data cannot be used.
///
/// A handler that throws it answers with the status that fits: see ``rpcError``.
public struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What kind of trouble it is.
  public enum Code: Sendable, Hashable, CaseIterable {
    /// The disk is full. Nothing of the write remains; it may be tried again when there is room.
    case full
    /// The disk failed to read or to write. Nothing of the write remains.
    case inputOutput
    /// Another process holds the file for too long.
    case busy
    /// The file is not what was written to it.
    case damaged
    /// The files were removed or replaced while the store was open: what is written to them is
    /// lost.
    case removed
    /// The file was written by a later version of the worker.
    case laterVersion
    /// The sealing key is missing or another one, or what was sealed was changed.
    case sealing
    /// The caller may not see or change what it asked for.
    case denied
    /// A row would break a rule of its table: a second row with a unique value, a required value
    /// that is missing. Nothing of the write remains.
    case constraint
    /// Anything else: the file cannot be opened, a migration failed.
    case unusable
  }

  /// What kind of trouble it is.
  public let code: Code
  /// What was wrong, with the path, what was expected and what to do. Never personal.
  public let message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  init(damaged column: String) {
    self.init(
      .sealing,
      "a value of \(column) is damaged: its bytes were changed, or its key is gone; write it anew, or "
        + "restore a backup with `kith restore`")
  }

  /// An error of the system at a file, by `errno`.
  init(system path: String) {
    let code = errno
    self.init(
      code == ENOSPC || code == EDQUOT ? .full : .inputOutput,
      "\(path): \(String(cString: strerror(code)))")
  }

  /// A column that holds a value of another type than is read. The value may be personal and stays
  /// out.
  init(unreadable column: String, _ value: StoreValue, as type: Any.Type) {
    self.init(.damaged, "\(column) holds \(value.kind), and \(type) cannot be read from it")
  }

  init(_ error: SealingError) { self.init(.sealing, error.message) }

  /// What an error means for whoever uses the store: an error of the database as a `StoreError`,
  /// all else as it is.
  static func mapped(_ error: any Error, path: String) -> any Error {
    switch error {
    case let error as SealingError: StoreError(error)
    case let error as DatabaseError: StoreError(Self.code(error) ?? .unusable, error, path)
    default: error
    }
  }

  /// An error of SQLite at a file, without statements and their arguments, which may be personal.
  init(_ code: Code, _ error: any Error, _ path: String) {
    let said =
      (error as? DatabaseError).map {
        "\($0.message ?? "unknown") (SQLite \($0.extendedResultCode.rawValue))"
      } ?? "\(type(of: error))"
    switch code {
    case .full: self.init(code, "\(path): there is no room to write; free some: \(said)")
    case .inputOutput: self.init(code, "\(path): the disk failed: \(said)")
    case .busy: self.init(code, "\(path): another process holds it for too long: \(said)")
    case .damaged: self.init(code, "\(path) is damaged: \(said)")
    case .constraint: self.init(code, "\(path): a row would break a rule of its table: \(said)")
    default: self.init(code, "\(path) cannot be used: \(said)")
    }
  }

  static func code(_ error: DatabaseError) -> Code? {
    switch error.resultCode {
    case .SQLITE_FULL: .full
    case .SQLITE_IOERR, .SQLITE_READONLY, .SQLITE_NOMEM: .inputOutput
    case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_PROTOCOL: .busy
    case .SQLITE_CORRUPT, .SQLITE_NOTADB: .damaged
    case .SQLITE_CONSTRAINT: .constraint
    case .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_AUTH: .unusable
    default: nil
    }
  }

  /// The message.
  public var description: String { message }
}

extension StoreError: RPCErrorConvertible {
  /// RESOURCE_EXHAUSTED when the disk is full, UNAVAILABLE when it failed or the file is held,
  /// DATA_LOSS when it is damaged or was removed, PERMISSION_DENIED for what the caller may not
  /// see, INTERNAL for a rule of a table, else FAILED_PRECONDITION. The path stays in the process.
  public var rpcError: RPCError {
    switch code {
    case .full:
      RPCError(.resourceExhausted, "there is no room left to keep it; nothing was changed")
    case .inputOutput, .busy:
      RPCError(.unavailable, "what is kept cannot be reached at the moment; nothing was changed")
    case .damaged, .sealing:
      RPCError(.dataLoss, "what is kept cannot be read; the worker's log says why")
    case .removed:
      RPCError(
        .dataLoss, "what is kept was removed under the running worker; the worker's log says why")
    case .denied: RPCError(.permissionDenied, message)
    case .constraint:
      RPCError(.internal, "what was to be kept breaks a rule of its table; nothing was changed")
    case .laterVersion, .unusable:
      RPCError(.failedPrecondition, "what is kept cannot be used; the worker's log says why")
    }
  }
}

extension Access.Denial: RPCErrorConvertible {
  /// PERMISSION_DENIED.
  public var rpcError: RPCError { RPCError(.permissionDenied, description) }
}
