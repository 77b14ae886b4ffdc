import GRDB
import Glibc
import KithSealing
import KithTesting
import Testing

@testable import KithStore

/// A worker puts what it likes into its folder; the commands of the operator, which run outside of
/// any sandbox, take it for no more than it is.
@Suite(.timeLimit(.minutes(5)))
struct HostileFolderTests {
  enum Trap: String, CaseIterable, Sendable {
    /// A symbolic link to a file of somebody else.
    case link
    /// A symbolic link to where no file is yet.
    case danglingLink
    /// A FIFO, at which a reader and a writer wait without end.
    case pipe
    /// A folder.
    case folder

    func set(at path: String, outside: String) throws {
      unlink(path)
      let result =
        switch self {
        case .link: symlink("\(outside)/secret", path)
        case .danglingLink: symlink("\(outside)/new", path)
        case .pipe: mkfifo(path, 0o600)
        case .folder: mkdir(path, 0o700)
        }
      try #require(result == 0)
    }
  }

  private static let names = [
    "", "-wal", "-shm", "-journal", ".mark", ".mark.draft", ".digest", ".digest.draft", ".next",
    ".mark.next", ".mark.next.draft", ".before-restore-1", ".before-restore-1-wal", ".damaged-1",
  ]

  @Test(arguments: Trap.allCases)
  func noCommandFollowsOrWaitsAtWhatAWorkerHasPutThere(_ trap: Trap) async throws {
    for name in Self.names {
      let product = try TestProduct()
      try await product.write(0..<3, of: "reminders")
      let backup = try Backup.make(
        at: "\(product.folder.path)/before.backup", of: product.stores, product: "milo",
        workers: ["reminders"], now: 1)
      let outside = try TemporaryFolder()
      try outside.write("a secret of another", to: "secret")
      try trap.set(at: product.stores.path(of: "reminders") + name, outside: outside.path)

      // Each does its work or says why it does not: what lies outside is not read, written, made or
      // removed.
      let copy = "\(product.folder.path)/after.backup"
      let made = try? Backup.make(
        at: copy, of: product.stores, product: "milo", workers: ["reminders"], now: 2)
      if name.isEmpty { #expect(made == nil, "\(trap)") }
      _ = try? await product.stores.rotateKey(handOver: nil)
      _ = try? product.stores.restore(backup, product: "milo")
      _ = try? product.open("reminders").close()
      _ = try? product.stores.erase()
      #expect(TemporaryFolder.names(in: outside.path) == ["secret"], "\(trap) at \(name)")
      #expect(
        TemporaryFolder.text(of: "\(outside.path)/secret") == "a secret of another",
        "\(trap) at \(name)")
    }
  }

  @Test func aStoreThatIsALinkToAnothersIsNeitherCopiedNorSealedAnew() async throws {
    let product = try TestProduct()
    try await product.write(0..<3, of: "reminders")
    try await product.write(0..<1, of: "falls")
    let (own, others) = (product.stores.path(of: "falls"), product.stores.path(of: "reminders"))
    DurableCopy.removeDatabase(own)
    try #require(symlink(others, own) == 0)
    let before = try #require(Files.bytes(others))
    let error = #expect(throws: StoreError.self) {
      try Backup.make(
        at: "\(product.folder.path)/a.backup", of: product.stores, product: "milo",
        workers: ["falls"], now: 1)
    }
    #expect(error?.message.contains("\(own) is not a regular file") == true, "\(error as Any)")
    await #expect(throws: StoreError.self) {
      try await product.stores.rotateKey(handOver: nil)
    }
    #expect(Files.bytes(others) == before)
  }

  /// The worker runs while the operator's command does, and swaps the file between the check and
  /// the opening.
  @Test func aDatabaseThatWasOpenedThroughALinkIsFound() throws {
    let folder = try TemporaryFolder()
    let (path, other) = ("\(folder.path)/store.sqlite", "\(folder.path)/other.sqlite")
    for file in [path, other] { try folder.write([], to: String(file.suffix(12))) }
    let whole = try RegularFile.openDatabase(path, Configuration())
    try RegularFile.checkIsOpen(path)
    try whole.close()
    unlink(path)
    try #require(symlink(other, path) == 0)
    let linked = try DatabaseQueue(path: path)
    #expect(throws: StoreError.self) { try RegularFile.checkIsOpen(path) }
    // Also when the file is back in its place afterwards.
    unlink(path)
    try folder.write([], to: "store.sqlite")
    #expect(throws: StoreError.self) { try RegularFile.checkIsOpen(path) }
    try linked.close()
  }
}
