import FileCallLog
import Glibc
import KithSealing
import KithTesting
import Testing

@testable import KithStore

/// What is said to be durable has been waited for: each fsync of a file before the name that leads
/// to it, and of the folder after.
@Suite(.timeLimit(.minutes(2)))
struct DurabilityTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func isOrdered(_ wanted: [String], in calls: [String]) -> Bool {
    var rest = calls[...]
    return wanted.allSatisfy { call in
      guard let place = rest.firstIndex(of: call) else { return false }
      rest = rest[(place + 1)...]
      return true
    }
  }

  @Test func aCopyIsOnTheDiskWithItsName() throws {
    try folder.write("x", to: "a")
    let copy = { try DurableCopy.copy("\(folder.path)/a", to: "\(folder.path)/b") }
    let calls = try FileCallLog.of(folder.path, copy)
    #expect(calls == ["fsync b", "fsync ."])
    let failures = try FileCallLog.failingEach(folder.path, copy)
    #expect(failures == [FileCallLog.Failure("b"), FileCallLog.Failure(".")])
  }

  @Test func aWholeFileIsOnTheDiskBeforeItIsNamed() throws {
    let write = { try DurableCopy.write([1, 2, 3], to: "\(folder.path)/a") }
    #expect(try FileCallLog.of(folder.path, write) == ["fsync a"])
    #expect(
      try FileCallLog.failingEach(folder.path, write) == [FileCallLog.Failure("a")])
    let sync = { try DurableCopy.sync("\(folder.path)/a") }
    #expect(try FileCallLog.of(folder.path, sync) == ["fsync a"])
    #expect(try FileCallLog.failingEach(folder.path, sync) == [FileCallLog.Failure("a")])
  }

  @Test func aNewStoreHasItsMarkBeforeItTakesAnything() throws {
    var store: Store?
    let calls = try FileCallLog.of(folder.path) { store = try folder.store() }
    let mark = "\(Store.fileName).mark"
    #expect(
      isOrdered(
        [
          "fsync \(Store.fileName)-wal", "fsync \(mark).draft", "rename \(mark).draft \(mark)",
          "fsync .",
        ], in: calls), "\(calls)")
    // The first wait is SQLite's, or that for what GRDB has written without one.
    #expect(calls.contains("fsync \(Store.fileName)"), "\(calls)")
    withExtendedLifetime(store) {}
  }

  @Test func eachWriteIsWaitedForOnce() async throws {
    let store = try folder.store()
    try await store.note(0..<1)
    let log = FileCallLog(folder.path)
    try await store.note(1..<6)
    #expect(log.end() == Array(repeating: "fsync \(Store.fileName)-wal", count: 5))
  }

  @Test func whatGRDBWritesAtTheOpeningIsWaitedForBeforeAnythingFollows() throws {
    try folder.store().close()
    var store: Store?
    let calls = try FileCallLog.of(folder.path) { store = try folder.store() }
    #expect(calls.last == "fsync \(Store.fileName)-wal", "\(calls)")
    withExtendedLifetime(store) {}
  }

  @Test func aStoreThatIsSettledIsInItsFileAndSoIsItsMark() async throws {
    let store = try folder.store()
    try await store.note(0..<3)
    let log = FileCallLog(folder.path)
    await store.settle()
    let calls = log.end()
    #expect(
      isOrdered(
        ["fsync \(Store.fileName)-wal", "fsync \(Store.fileName)", "fsync \(Store.fileName).mark"],
        in: calls), "\(calls)")
    #expect(Files.bytes("\(folder.storePath)-wal")?.isEmpty == true)
    // It goes on from there, as one whose drain was cut short does.
    try await store.note(3..<4)
    let notes = try await store.read { try $0.records(Note.self).count }
    #expect(notes == 4)
  }

  @Test func theDigestOfASettledStoreComesAndGoesOnTheDisk() async throws {
    let digest = "\(Store.fileName).digest"
    let store = try folder.store()
    try await store.note(0..<3)
    let settling = FileCallLog(folder.path)
    try store.close()
    let settled = settling.end()
    #expect(
      isOrdered(
        ["fsync \(digest).draft", "rename \(digest).draft \(digest)", "fsync ."], in: settled),
      "\(settled)")
    var next: Store?
    // Before anything is written to the file: a digest that came back would tell of damage.
    let opening = try FileCallLog.of(folder.path) { next = try folder.store() }
    let gone = opening.firstIndex(of: "unlink \(digest)")
    #expect(gone.map { opening[($0 + 1)...].first } == "fsync .", "\(opening)")
    withExtendedLifetime(next) {}
  }

  @Test func theMarksOfTwoTransactionsStandInTwoSlots() async throws {
    let store = try folder.store()
    try await store.note(0..<1)
    for _ in 0..<3 {
      try await store.note(1..<2)
      let commits = try #require(store.standing?.commits)
      let marks = try #require(try StoreMark.read(of: folder.storePath))
      // One of them is whole, wherever the other was torn.
      #expect(Set(marks.map(\.commits)) == [commits - 1, commits])
    }
  }

  @Test func anEarlierMarkTakesTheSlotOfNoLaterOne() async throws {
    let store = try folder.store()
    try await store.note(0..<1)
    let log = try #require(store.standing?.log)
    let sealing = try await store.read { $0.sealing }
    let file = try StoreMarkFile(of: folder.storePath)
    func mark(_ commits: Int64) -> StoreMark {
      StoreMark(log: log, commits: commits, checkpointed: 0)
    }
    try file.write(mark(104), sealing)
    // As another process of the worker does that was held up.
    try file.write(mark(102), sealing)
    let commits = try #require(try StoreMark.read(of: folder.storePath)).map(\.commits)
    #expect(commits.contains(104) && !commits.contains(102))
  }

  // MARK: Another store in its place

  private static let draft = "\(Store.fileName).next"
  private static let mark = "\(Store.fileName).mark"

  /// A store with one note in place, and a draft with another.
  private func draftBeside() async throws -> (StoreHistory.Found, StoreSealing) {
    for name in TemporaryFolder.names(in: folder.path) where name.hasPrefix(Store.fileName) {
      unlink("\(folder.path)/\(name)")
    }
    var store = try folder.store()
    try await store.note(0..<1)
    try store.close()
    let other = try TemporaryFolder()
    try other.write(
      try #require(Files.bytes("\(folder.path)/sealing.keys")), to: "sealing.keys", mode: 0o600)
    store = try other.store()
    try await store.note(7..<9)
    let identity = try await store.read { transaction in
      (try StoreHistory.Found(transaction.database), transaction.sealing)
    }
    try store.close()
    // As closing leaves it.
    let found = StoreHistory.Found(
      log: try #require(identity.0?.log), commits: try #require(identity.0?.commits) + 1)
    try folder.write(
      try #require(Files.bytes(other.storePath)), to: Self.draft, mode: 0o600)
    // Left by a process that was killed.
    try folder.write([], to: "\(Store.fileName)-wal", mode: 0o600)
    return (found, identity.1)
  }

  private static let decided = [
    "fsync \(draft)", "fsync \(mark).next.draft", "rename \(mark).next.draft \(mark).next",
    "fsync .",
    "unlink \(Store.fileName)-wal", "unlink \(Store.fileName)-shm",
    "unlink \(Store.fileName)-journal", "unlink \(Store.fileName).digest",
    "fsync .", "rename \(draft) \(Store.fileName)", "fsync .", "rename \(mark).next \(mark)",
    "fsync .",
  ]

  @Test func anotherStoreComesInItsPlaceInStepsThatAreWaitedFor() async throws {
    let (found, sealing) = try await draftBeside()
    let calls = try FileCallLog.of(folder.path) {
      try StoreReplacement.decide(folder.storePath, found, sealing)
    }
    #expect(calls == Self.decided)
  }

  /// Wherever it ends, what is opened next is the old store or the new one, as a whole, and never
  /// taken for damage.
  @Test func aReplacementThatFailsAtAnyWaitLeavesTheOneOrTheOther() async throws {
    var outcomes: [Int] = []
    for number in 1...5 {
      let (found, sealing) = try await draftBeside()
      let log = FileCallLog(folder.path, failing: number)
      #expect(throws: StoreError.self) {
        try StoreReplacement.decide(folder.storePath, found, sealing)
      }
      #expect(log.end().contains { $0.hasPrefix("failed ") })
      let store = try folder.store()
      outcomes.append(try await store.read { try $0.records(Note.self).count })
      try store.close()
      #expect(!StoreReplacement.isPending(folder.storePath))
    }
    #expect(outcomes == [1, 1, 2, 2, 2])
  }

  // MARK: From outside

  @Test func aBackupIsOnTheDiskBeforeItIsNamed() async throws {
    let product = try TestProduct()
    try await product.write(0..<3, of: "reminders")
    let path = "\(product.folder.path)/product.backup"
    let make = {
      _ = try Backup.make(
        at: path, of: product.stores, product: "milo", workers: ["reminders"], now: 1)
    }
    let calls = try FileCallLog.of(product.folder.path, make)
    let renamed = try #require(calls.firstIndex(of: "link product.backup.partial product.backup"))
    #expect(calls[..<renamed].last { $0.hasSuffix("partial") } == "fsync product.backup.partial")
    #expect(calls[renamed...].contains("fsync ."))
    let failures = try FileCallLog.failingEach(product.folder.path, prepare: { unlink(path) }, make)
    // SQLite itself does not look at how the wait for the folder of its journal ends.
    #expect(failures.last == FileCallLog.Failure("."), "\(failures)")
    let written = failures.filter { $0.path.hasSuffix("partial") }
    #expect(!written.isEmpty && written.allSatisfy(\.isThrown), "\(failures)")
  }

  @Test func aRestoreKeepsWhatWasThereAndIsOnTheDisk() async throws {
    let product = try TestProduct()
    try await product.write(0..<3, of: "reminders")
    let path = "\(product.folder.path)/product.backup"
    let backup = try Backup.make(
      at: path, of: product.stores, product: "milo", workers: ["reminders"], now: 1)
    let calls = try FileCallLog.of(product.stores.folder(of: "reminders")) {
      _ = try product.stores.restore(backup, product: "milo")
    }
    let kept = "\(Store.fileName).before-restore-1"
    #expect(isOrdered(["fsync \(kept)", "fsync ."] + Self.decided, in: calls), "\(calls)")
  }

  @Test func whatIsSavedIsOnTheDiskBesideTheDamagedFile() async throws {
    let store = try folder.store()
    try await store.note(0..<3)
    try store.close()
    try folder.write([], to: Store.fileName)
    var saved: Store?
    let calls = try FileCallLog.of(folder.path) {
      saved = try folder.store(whenDamaged: .salvage)
    }
    let kept = "\(Store.fileName).damaged-1"
    #expect(isOrdered(["fsync \(kept)", "fsync ."] + Self.decided, in: calls), "\(calls)")
    withExtendedLifetime(saved) {}
  }

  @Test func whatIsErasedIsOverwrittenOnTheDiskBeforeItsNameGoesTheKeyFirst() async throws {
    let product = try TestProduct()
    try await product.write(0..<3, of: "reminders")
    let calls = try FileCallLog.of(product.stores.stateDirectory) { _ = try product.stores.erase() }
    let erased = calls.filter { $0.hasPrefix("unlink ") }.map { $0.dropFirst("unlink ".count) }
    #expect(erased.first == "keys/sealing.keys" && erased.contains { $0.hasSuffix(".mark") })
    #expect(
      calls
        == erased.flatMap { path in
          ["fsync \(path)", "unlink \(path)", "fsync \(path[..<path.lastIndex(of: "/")!])"]
        })
  }
}
