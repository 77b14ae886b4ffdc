import FileCallLog
import Glibc
import KithSealing
import KithTesting
import Synchronization
import Testing

@testable import KithStore

/// A process that is killed before any one of its writes, waits for the disk, renames and removals:
/// what it leaves opens with all that was acknowledged, and is never taken for damage.
@Suite(.timeLimit(.minutes(10)))
struct CrashTests {
  /// What a process would have left at each of its steps.
  private final class Images: Sendable {
    private let images = Mutex<[StoreImage]>([])
    private let acknowledged = Atomic(0)
    private let log = Mutex<FileCallLog?>(nil)

    /// Takes an image of a folder before each step; one like the last is not kept.
    init(of path: String, notes: Int = 0) {
      acknowledged.store(notes, ordering: .relaxed)
      let log = FileCallLog(path) { [weak self] in
        guard let self else { return }
        let image = StoreImage(of: path, notes: acknowledged.load(ordering: .acquiring))
        self.images.withLock { if $0.last?.files != image.files { $0.append(image) } }
      }
      self.log.withLock { $0 = log }
    }

    func acknowledge(_ notes: Int) { acknowledged.store(notes, ordering: .releasing) }

    func end() -> [StoreImage] {
      _ = log.withLock { log in
        defer { log = nil }
        return log?.end()
      }
      return images.withLock(\.self)
    }
  }

  private func expectAllThere(_ images: [StoreImage], atLeast: Int) async throws {
    #expect(images.count >= atLeast, "only \(images.count) steps were seen")
    for (number, image) in images.enumerated() {
      switch try await image.find() {
      case .noticed(let error):
        Issue.record(
          "step \(number) of \(images.count), \(image.notes) acknowledged: \(error as Any)")
      case .opened(let notes):
        #expect(notes >= image.notes, "step \(number): \(notes) of \(image.notes)")
      }
    }
  }

  @Test func fromTheFirstOpeningToTheEnd() async throws {
    let folder = try TemporaryFolder()
    _ = try folder.keys()
    let images = Images(of: folder.path)
    for life in 0..<2 {
      let store = try folder.store()
      for number in life * 4..<life * 4 + 4 {
        try await store.note(number..<number + 1)
        images.acknowledge(number + 1)
      }
      if life == 0 { await store.settle() }
      try store.close()
    }
    try await expectAllThere(images.end(), atLeast: 60)
  }

  /// A restore leaves what was there, or what was in the backup.
  @Test func withinARestore() async throws {
    let product = try TestProduct()
    try await product.write(0..<3, of: "reminders")
    let backup = try Backup.make(
      at: "\(product.folder.path)/product.backup", of: product.stores, product: "milo",
      workers: ["reminders"], now: 1)
    try await product.write(3..<5, of: "reminders")
    let images = Images(of: product.stores.folder(of: "reminders"))
    _ = try product.stores.restore(backup, product: "milo")
    var counts: [Int] = []
    for image in images.end() {
      let copy = try TestProduct(keysOf: product)
      try Folder.makePrivate(copy.stores.folder(of: "reminders"))
      for (name, bytes) in image.files {
        try copy.folder.write(bytes, to: "state/workers/reminders/\(name)", mode: 0o600)
      }
      counts.append(try await copy.notes(of: "reminders").count)
    }
    // First the five that were there, from some step on the three of the backup.
    #expect(Set(counts) == [3, 5] && counts == counts.sorted(by: >), "\(counts)")
  }

  /// A salvage that is cut short is made again, or completed.
  @Test func withinASalvage() async throws {
    let folder = try TemporaryFolder()
    let store = try folder.store()
    try await store.note(0..<5)
    var damaged = StoreImage(of: folder, notes: 5)
    withExtendedLifetime(store) {}
    damaged.files[StoreImage.database] = []
    let copy = try damaged.laidOut()
    let images = Images(of: copy.path, notes: 5)
    try copy.store(whenDamaged: .salvage).close()
    let all = images.end()
    #expect(all.count >= 20)
    // Most steps are those of the new file, which is not in its place yet.
    for (number, image) in all.enumerated()
    where number.isMultiple(of: 8) || number > all.count - 16 {
      let folder = try image.laidOut()
      let store = try folder.store(whenDamaged: .salvage)
      let notes = try await store.read { try $0.records(Note.self).count }
      #expect(notes == 5, "step \(number)")
      try store.close()
    }
  }

  /// The mark says so before the caller learns it.
  @Test func noWriteIsAcknowledgedBeforeItsMark() async throws {
    let folder = try TemporaryFolder()
    let store = try folder.store()
    for number in 0..<20 {
      try await store.note(number..<number + 1)
      let marks = try #require(try StoreMark.read(of: folder.storePath))
      #expect(marks.map(\.commits).max() == Int64(number + 1))
    }
  }
}
