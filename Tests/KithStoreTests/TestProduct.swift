import Glibc
import KithSealing
import KithTesting

@testable import KithStore

/// The state of a product, as its host and workers lay it out.
struct TestProduct {
  let folder: TemporaryFolder
  let stores: ProductStores

  init() throws {
    folder = try TemporaryFolder()
    stores = ProductStores(stateDirectory: "\(folder.path)/state")
    try Folder.makePrivate(ProductStores.keyFolder(of: stores.stateDirectory))
    try stores.keyFile.makeIfMissing()
  }

  /// An empty state with the key of another product.
  init(keysOf other: TestProduct) throws {
    folder = try TemporaryFolder()
    stores = ProductStores(stateDirectory: "\(folder.path)/state")
    try Folder.makePrivate(ProductStores.keyFolder(of: stores.stateDirectory))
    try stores.keyFile.replace(with: try other.stores.keyFile.read())
  }

  /// Opens the store of a worker, as its process does.
  func open(
    _ worker: String, migrations: [Store.Migration] = [Person.migration, Note.migration]
  ) throws -> Store {
    try Folder.makePrivate(stores.folder(of: worker))
    return try Store(
      path: stores.path(of: worker),
      keys: try SealingKeys(file: stores.keyFile, worker: worker), migrations: migrations)
  }

  /// A process of a worker: its store, and the keys that its host has handed over.
  struct Process: Sendable {
    let product: TestProduct
    let worker: String
    let store: Store
    let keys: SealingKeys

    /// Takes the keys as the product's file has them.
    func takeKeys() throws {
      try keys.take(try product.stores.keyFile.read().keys(of: worker))
    }
  }

  /// Starts a process of a worker.
  func process(_ worker: String) throws -> Process {
    try Folder.makePrivate(stores.folder(of: worker))
    let keys = try SealingKeys(file: stores.keyFile, worker: worker)
    let store = try Store(
      path: stores.path(of: worker), keys: keys, migrations: [Person.migration, Note.migration])
    return Process(product: self, worker: worker, store: store, keys: keys)
  }

  /// Opens it for a moment.
  func with<Value>(
    _ worker: String, _ body: (Store) async throws -> Value
  ) async throws -> Value {
    let store = try open(worker)
    let value = try await body(store)
    try store.close()
    return value
  }

  /// The texts of a worker's notes, by their keys.
  func notes(of worker: String) async throws -> [String: String] {
    try await with(worker) { store in
      let notes = try await store.read { try $0.records(Note.self) }
      return Dictionary(uniqueKeysWithValues: try notes.map { ($0.id, try $0.text.value) })
    }
  }

  /// Writes notes of a worker: each says its own number.
  func write(_ numbers: Range<Int>, of worker: String) async throws {
    try await with(worker) { store in
      try await store.write { transaction in
        for number in numbers { try transaction.save(Note(id: "\(number)", text: "\(number)")) }
      }
    }
  }
}
