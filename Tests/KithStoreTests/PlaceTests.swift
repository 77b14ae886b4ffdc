import GRDB
import Glibc
import KithRPC
import KithTesting
import Synchronization
import Testing

@testable import KithStore

/// Files that go while the store is open: what would be written to them would be lost with the
/// process.
@Suite(.timeLimit(.minutes(2)))
struct PlaceTests {
  /// What may become of the files.
  enum Loss: CaseIterable, Sendable {
    case folderRemoved, folderReplaced, fileRemoved, fileReplaced, logRemoved, markRemoved

    func befall(_ folder: String) {
      let path = "\(folder)/\(Store.fileName)"
      switch self {
      case .folderRemoved:
        for name in TemporaryFolder.names(in: folder) { unlink("\(folder)/\(name)") }
        rmdir(folder)
      case .folderReplaced:
        rename(folder, "\(folder).away")
        mkdir(folder, 0o700)
        for name in TemporaryFolder.names(in: "\(folder).away") {
          let copy = open("\(folder)/\(name)", O_WRONLY | O_CREAT, 0o600)
          close(copy)
        }
      case .fileRemoved: unlink(path)
      case .fileReplaced:
        rename(path, "\(path).away")
        close(open(path, O_WRONLY | O_CREAT, 0o600))
      case .logRemoved: unlink("\(path)-wal")
      case .markRemoved: unlink("\(path).mark")
      }
    }
  }

  @Test(arguments: Loss.allCases)
  func theNextWriteIsRefusedAndTheTroubleTold(_ loss: Loss) async throws {
    let product = try TestProduct()
    let store = try product.open("reminders")
    let told = Mutex<[StoreError?]>([])
    store.onTrouble { error in told.withLock { $0.append(error) } }
    try await store.note(0..<3)
    #expect(told.withLock { $0.isEmpty } && store.standing?.commits == 3)
    loss.befall(product.stores.folder(of: "reminders"))
    for _ in 0..<2 {
      let error = await #expect(throws: StoreError.self) { try await store.note(3..<4) }
      #expect(error?.code == .removed, "\(error as Any)")
      #expect(error?.rpcError.code == .dataLoss)
      #expect(error?.message.contains("removed or replaced") == true)
    }
    // Told once; and one that writes nothing finds it too.
    store.checkPlace()
    #expect(told.withLock { $0.map { $0?.code } } == [.removed])
    #expect(store.standing == nil)
  }

  @Test func aWriteToAFileThatIsGoneIsNotBegun() async throws {
    let product = try TestProduct()
    let store = try product.open("reminders")
    try await store.note(0..<3)
    Loss.fileRemoved.befall(product.stores.folder(of: "reminders"))
    let begun = Atomic(false)
    let error = await #expect(throws: StoreError.self) {
      try await store.write { _ in begun.store(true, ordering: .relaxed) }
    }
    #expect(error?.code == .removed)
    let hasBegun = begun.load(ordering: .relaxed)
    #expect(!hasBegun)
  }

  @Test func oneThatNobodyWritesToIsFoundGoneAndBack() async throws {
    let product = try TestProduct()
    let store = try product.open("reminders")
    try await store.note(0..<1)
    let told = Mutex<[StoreError.Code?]>([])
    store.onTrouble { error in told.withLock { $0.append(error?.code) } }
    let folder = product.stores.folder(of: "reminders")
    rename(folder, "\(folder).away")
    store.checkPlace()
    rename("\(folder).away", folder)
    store.checkPlace()
    #expect(told.withLock { $0 } == [.removed, nil])
    try await store.note(1..<2)
    let notes = try await store.read { try $0.records(Note.self).count }
    #expect(notes == 2)
  }

  /// The files go while the write runs: it was begun when they were there.
  @Test func aWriteIsNotAcknowledgedWhoseFileGoesMeanwhile() async throws {
    let product = try TestProduct()
    let store = try product.open("reminders")
    let folder = product.stores.folder(of: "reminders")
    let error = await #expect(throws: StoreError.self) {
      try await store.write { transaction in
        try transaction.save(Note(id: "1", text: "x"))
        rename(folder, "\(folder).away")
      }
    }
    #expect(error?.code == .removed)
  }
}
