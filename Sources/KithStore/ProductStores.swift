import GRDB
import Glibc
public import KithSealing

/// The stores of all workers of a product, from outside: for backups, and for the change or the
/// destruction of their key.
///
/// It works on the files. To read them is safe beside running workers; what replaces or destroys
/// them takes the files for itself first, and fails when a worker has them.
public struct ProductStores: Sendable {
  /// The folder of the product's state.
  public let stateDirectory: String

  /// The stores of the product with that state.
  public init(stateDirectory: String) { self.stateDirectory = stateDirectory }

  /// The folder of the product's key, and the file.
  public static func keyFolder(of stateDirectory: String) -> String { "\(stateDirectory)/keys" }

  /// The product's key.
  public var keyFile: KeyRingFile {
    KeyRingFile(path: "\(Self.keyFolder(of: stateDirectory))/\(KeyRingFile.name)")
  }

  /// The folder in which each worker has one of its own.
  public var workersDirectory: String { "\(stateDirectory)/workers" }

  /// The folder of a worker's files.
  public func folder(of worker: String) -> String { "\(workersDirectory)/\(worker)" }

  /// A worker's file.
  public func path(of worker: String) -> String { "\(folder(of: worker))/\(Store.fileName)" }

  /// The folder in which the host keeps how far each store has come. No worker can write there.
  public static func recordsFolder(of stateDirectory: String) -> String {
    "\(stateDirectory)/stores"
  }

  /// How far a worker's store has come, as the host has noted; nil when it has not.
  func record(of worker: String) -> StoreStanding? {
    let path = "\(Self.recordsFolder(of: stateDirectory))/\(worker)"
    guard let size = RegularFile.size(path), size < 4096,
      let bytes = RegularFile.bytes(of: path, at: 0, count: size)
    else { return nil }
    return StoreStanding(text: String(decoding: bytes, as: UTF8.self))
  }

  /// The workers that have a store, or had one that is missing, in the order of their names.
  public var workers: [String] {
    Folder.names(in: workersDirectory).filter { worker in
      access(path(of: worker), F_OK) == 0
        || access(StoreMark.path(of: path(of: worker)), F_OK) == 0
    }
  }

  /// The workers whose folders hold files of any kind, in the order of their names: those that have
  /// a store, and those in other languages, which keep files of their own.
  public var keepers: [String] {
    Folder.names(in: workersDirectory).filter { !Folder.files(below: folder(of: $0)).isEmpty }
  }

  /// Checks that a worker's store is the one that was last used, with all that was written to it.
  /// - Throws: ``StoreError`` `damaged`.
  func check(_ worker: String) throws {
    let path = path(of: worker)
    let history = try StoreHistory.read(path, known: record(of: worker))
    try history.checkFiles(path)
    var reading = Configuration()
    reading.readonly = true
    reading.busyMode = .timeout(5)
    let queue = try RegularFile.openDatabase(path, reading)
    defer { try? queue.close() }
    let keys = try? keys(of: worker)
    try queue.read { database in
      let sealing = keys.flatMap { try? StoreSealing(of: database, $0) }
      _ = try history.check(StoreHistory.Found(database), path, sealing, database)
    }
  }

  /// The keys of a worker.
  /// - Throws: ``StoreError`` when they cannot be read.
  func keys(of worker: String) throws(StoreError) -> SealingKeys {
    do {
      return try SealingKeys(file: keyFile, worker: worker)
    } catch {
      throw StoreError(error)
    }
  }

  /// Notes in the mark beside a store how far it has come, for a store whose worker does not run.
  func mark(_ path: String, _ queue: DatabaseQueue, _ keys: SealingKeys) throws {
    guard access(StoreMark.path(of: path), F_OK) == 0 else { return }
    let (found, sealing) = try queue.read { database in
      (try StoreHistory.Found(database), try StoreSealing(of: database, keys))
    }
    guard let found, let sealing else { return }
    let checkpointed = try StoreMark.read(of: path)?.map(\.checkpointed).max() ?? 0
    let file = try StoreMarkFile(of: path)
    try file.write(
      StoreMark(log: found.log, commits: found.commits, checkpointed: checkpointed), sealing)
    try file.sync()
  }
}
