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
}
