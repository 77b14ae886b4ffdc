import Glibc
import KithSealing
import KithTesting
import Testing

/// When a product gets its first key, and when it never gets another.
@Suite struct ProductKeysTests {
  private let folder: TemporaryFolder
  private let keys: ProductKeys

  init() throws {
    folder = try TemporaryFolder()
    keys = ProductKeys(
      file: KeyRingFile(path: "\(folder.path)/\(KeyRingFile.name)"),
      workersDirectory: "\(folder.path)/workers")
  }

  private var names: [String] { TemporaryFolder.names(in: folder.path) }

  private func makeFolder(_ name: String) {
    #expect(mkdir("\(folder.path)/\(name)", 0o700) == 0)
  }

  @Test func aNewProductGetsOneKeyAndKeepsIt() throws {
    let ring = try keys.ring()
    #expect(ring.keys.count == 1 && names == [KeyRingFile.name])
    #expect(try keys.ring() == ring)
    // A key without data is what a crash before the first store leaves.
    makeFolder("workers")
    makeFolder("workers/reminders")
    try folder.write("data", to: "workers/reminders/store.sqlite")
    #expect(try keys.ring() == ring)
  }

  @Test func emptyFoldersOfWorkersAreNoData() throws {
    makeFolder("workers")
    makeFolder("workers/falls")
    makeFolder("workers/reminders")
    makeFolder("workers/reminders/lost+found")
    try folder.write("no worker's", to: "workers/note")
    _ = try keys.ring()
    #expect(names == [KeyRingFile.name, "workers"])
  }

  @Test(arguments: ["store.sqlite", "store.sqlite-wal", "store.sqlite.before-restore", ".hidden"])
  func aMissingKeyBesideDataIsNeverReplaced(_ name: String) throws {
    makeFolder("workers")
    makeFolder("workers/falls")
    makeFolder("workers/reminders")
    // However small: an empty file is one that was cut short.
    try folder.write("", to: "workers/reminders/\(name)")
    for _ in 0..<2 {
      let error = #expect(throws: SealingError.self) { try keys.ring() }
      let message = error?.message ?? ""
      #expect(message.contains(keys.file.path) && message.contains("workers/reminders/\(name)"))
      #expect(message.contains("is missing") && message.contains("kith erase"))
      #expect(message.contains("kith restore") && message.contains("bring the key's file back"))
      #expect(names == ["workers"])
    }
    try KeyRingFile(path: keys.file.path).replace(with: KeyRing())
    #expect(try keys.ring() == keys.file.read())
  }

  @Test func aDamagedKeyIsNeverReplaced() throws {
    for text in ["", "kith sealing keys, format 1\n1 00\n"] {
      try folder.write(text, to: KeyRingFile.name, mode: 0o600)
      #expect(throws: SealingError.self) { try keys.ring() }
      #expect(TemporaryFolder.text(of: keys.file.path) == text)
    }
  }

  @Test func aRingThatOneFileDoesNotHoldIsNotWritten() throws {
    var ring = try keys.ring()
    let before = TemporaryFolder.text(of: keys.file.path)
    while ring.text.utf8.count <= 4096 { ring.rotate() }
    #expect(throws: SealingError.self) { try keys.file.replace(with: ring) }
    #expect(TemporaryFolder.text(of: keys.file.path) == before && names == [KeyRingFile.name])
    // The largest that is written is read.
    var largest = try keys.ring()
    while true {
      var more = largest
      more.rotate()
      if more.text.utf8.count > 4096 { break }
      largest = more
    }
    try keys.file.replace(with: largest)
    #expect(try keys.file.read() == largest)
  }
}
