import GRDB
import Glibc
public import KithSealing

/// The stores of all workers of a product, from outside: for backups, and for the change or the destruction of their key.
///
/// It works on the files. To read them is safe beside running workers; what replaces or destroys them takes the files for
/// itself first, and fails when a worker has them.
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

  /// The workers that have a store, in the order of their names.
  public var workers: [String] {
    Folder.names(in: workersDirectory).filter { access(path(of: $0), F_OK) == 0 }
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

  // MARK: The change of the key

  /// What a change of the key did.
  public struct Rotation: Sendable, Hashable {
    /// Whether it went on with one that was begun earlier and did not come to its end.
    public var isResumed: Bool
    /// For each worker how many values were sealed anew.
    public var resealed: [String: Int]
    /// For each worker how many values no key opens, and did not before.
    public var unreadable: [String: Int]
  }

  /// Has a new key seal from now on, seals anew what the older ones have sealed, and destroys them. Workers may run.
  ///
  /// When it is cut short, both keys stay and everything opens; called again, it goes on where it was.
  /// - Throws: ``StoreError`` when a file cannot be written; the older keys then stay.
  public func rotateKey() throws -> Rotation {
    do {
      var ring = try keyFile.read()
      var rotation = Rotation(isResumed: ring.hasOlder, resealed: [:], unreadable: [:])
      if !ring.hasOlder {
        ring.rotate()
        try keyFile.replace(with: ring)
      }
      for worker in workers {
        let outcome = try reseal(worker)
        rotation.resealed[worker] = outcome.resealed
        if outcome.unreadable > 0 { rotation.unreadable[worker] = outcome.unreadable }
      }
      ring.dropOlder()
      try keyFile.replace(with: ring)
      return rotation
    } catch {
      throw StoreError.mapped(error, path: keyFile.path)
    }
  }

  func reseal(_ worker: String) throws -> Resealing.Outcome {
    let path = path(of: worker)
    do {
      var configuration = Configuration()
      configuration.busyMode = .timeout(30)
      let queue = try DatabaseQueue(path: path, configuration: configuration)
      try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
      let outcome = try Resealing(queue: queue, keys: try keys(of: worker)).run()
      try queue.close()
      return outcome
    } catch {
      throw StoreError.mapped(error, path: path)
    }
  }
}
