import Glibc
import KithSealing
import KithTesting
import Testing

/// What seals the personal data of a worker.
@Suite struct SealingTests {
  private let place = SealedPlace(table: "person", column: "name", row: "1")
  private let text = Array("Ada".utf8)
  private static let secret = String(repeating: "0f", count: 32)

  /// A ring as text, of these lines.
  private static func ring(_ lines: String..., format: Int = 1) -> String {
    (["kith sealing keys, format \(format)"] + lines).map { "\($0)\n" }.joined()
  }

  private func file(_ folder: TemporaryFolder) throws -> KeyRingFile {
    let file = KeyRingFile(path: "\(folder.path)/\(KeyRingFile.name)")
    try file.makeIfMissing()
    return file
  }

  @Test func whatIsSealedOpensInItsPlaceAloneAndForItsWorkerAlone() throws {
    let folder = try TemporaryFolder()
    let file = try file(folder)
    let keys = try SealingKeys(file: file, worker: "reminders")
    let sealed = try keys.seal(text, at: place)
    let opened = try SealingKeys(file: file, worker: "reminders").open(sealed, at: place)
    #expect(opened == text)
    for other in [
      SealedPlace(table: "place", column: "name", row: "1"),
      SealedPlace(table: "person", column: "note", row: "1"),
      SealedPlace(table: "person", column: "name", row: "2"),
      SealedPlace(table: "person", column: "nam", row: "e\u{0}1"),
    ] {
      #expect(throws: SealingError.self) { try keys.open(sealed, at: other) }
    }
    let neighbour = try SealingKeys(file: file, worker: "falls")
    let error = #expect(throws: SealingError.self) { try neighbour.open(sealed, at: place) }
    // A row's key may be personal: it is not in what is said.
    let secretive = SealedPlace(table: "person", column: "name", row: "ada@example.org")
    let other = #expect(throws: SealingError.self) { try keys.open(sealed, at: secretive) }
    #expect(error?.message.contains("person.name") == true && error?.message == other?.message)
    let again = try keys.seal(text, at: place)
    #expect(again != sealed)
  }

  @Test func aChangeOfAnyByteIsNoticed() throws {
    let keys = SealingKeys(worker: "test")
    let sealed = try keys.seal(text, at: place)
    for index in sealed.indices {
      var changed = sealed
      changed[index] ^= 1
      #expect(throws: SealingError.self) { try keys.open(changed, at: place) }
    }
    for count in 0..<sealed.count {
      #expect(throws: SealingError.self) { try keys.open(Array(sealed.prefix(count)), at: place) }
    }
  }

  @Test func theFileIsItsOwnersAlone() throws {
    let folder = try TemporaryFolder()
    let file = try file(folder)
    var status = stat()
    #expect(stat(file.path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
    #expect(TemporaryFolder.names(in: folder.path) == [KeyRingFile.name])
    for mode in [0o640, 0o620, 0o610, 0o604, 0o602, 0o601] as [mode_t] {
      chmod(file.path, mode)
      let error = #expect(throws: SealingError.self) { try file.read() }
      #expect(error?.message.contains("chmod 600") == true)
    }
  }

  @Test(arguments: [
    "", "\n", "kith sealing keys, format 1\n", Self.ring("1 " + Self.secret, format: 2),
    Self.ring("1 00"), Self.ring("1 \(Self.secret)00"), Self.ring("1 \(Self.secret.dropLast(2))"),
    Self.ring("0 " + Self.secret), Self.ring("4294967296 " + Self.secret),
    Self.ring("01 " + Self.secret), Self.ring("1 \(Self.secret) 1"),
    Self.ring("1 " + Self.secret, "1 " + Self.secret),
    String(Self.ring("1 " + Self.secret, "2 " + Self.secret).dropLast()),
    Self.ring("1 " + Self.secret, "+1 " + Self.secret), Self.ring("+1 " + Self.secret),
    Self.ring("+2 " + Self.secret, "1 " + Self.secret),
    Self.ring("1 " + Self.secret, "+2 " + Self.secret, "+3 " + Self.secret),
  ])
  func aFileThatIsNoRingIsNamed(_ text: String) throws {
    let folder = try TemporaryFolder()
    try folder.write(text, to: KeyRingFile.name, mode: 0o600)
    let file = KeyRingFile(path: "\(folder.path)/\(KeyRingFile.name)")
    let error = #expect(throws: SealingError.self) { try file.read() }
    #expect(error?.message.contains(file.path) == true)
    #expect(error?.message.contains("kith erase") == true)
    // It is what opens the data, perhaps: never replaced by itself.
    try file.makeIfMissing()
    #expect(TemporaryFolder.text(of: file.path) == text)
  }

  @Test(arguments: [false, true])
  func aRingReadsWhatItWroteAndNothingThatWasCutShort(_ hasNext: Bool) {
    var ring = KeyRing()
    ring.rotate()
    if hasNext { ring.introduce() }
    let text = ring.text
    #expect(KeyRing(text: text) == ring)
    for count in 0..<text.utf8.count {
      #expect(KeyRing(text: String(text.prefix(count))) != ring)
    }
  }

  @Test func aSecondProcessFindsTheKeyOfTheFirst() async throws {
    let folder = try TemporaryFolder()
    for round in 0..<40 {
      let file = KeyRingFile(path: "\(folder.path)/\(round)")
      let rings = try await withThrowingTaskGroup(of: String.self) { group in
        for _ in 0..<8 {
          group.addTask {
            try file.makeIfMissing()
            return try file.read().text
          }
        }
        return try await group.reduce(into: Set()) { $0.insert($1) }
      }
      #expect(rings.count == 1)
    }
    #expect(TemporaryFolder.names(in: folder.path).count == 40)
  }

  @Test func theNextKeyOpensBeforeItSealsAndTheOlderUntilItIsDestroyed() throws {
    let folder = try TemporaryFolder()
    let file = try file(folder)
    func keys() throws -> SealingKeys { try SealingKeys(file: file, worker: "test") }
    let first = try file.read().newest
    let running = try keys()
    let old = try running.seal(text, at: place)
    #expect(old.starts(with: running.header))

    var ring = try file.read()
    ring.introduce()
    try file.replace(with: ring)
    // All open with the next key, and none seals with it.
    let knowing = try keys()
    #expect(knowing.header == running.header)
    let next = try #require(ring.next)
    ring.rotate()
    try file.replace(with: ring)
    #expect(ring.newest == next && ring.next == nil && ring.hasOlder)
    let new = try keys().seal(text, at: place)
    #expect(!new.starts(with: running.header))
    let opened = try (knowing.open(new, at: place), keys().open(old, at: place))
    #expect(opened == (text, text))
    // One that was never told of it does not.
    #expect(throws: SealingError.self) { try running.open(new, at: place) }

    let descriptor = open(file.path, O_RDONLY)
    defer { close(descriptor) }
    ring.dropOlder()
    try file.replace(with: ring)
    let left = try file.read()
    #expect(left.keys == [next] && left.newest != first)
    let later = try keys()
    #expect(throws: SealingError.self) { try later.open(old, at: place) }
    let still = try later.open(new, at: place)
    #expect(still == text)
    // Whoever held the old file open finds zeros in it.
    var bytes = [UInt8](repeating: 1, count: 64)
    #expect(pread(descriptor, &bytes, 64, 0) == 64)
    #expect(bytes.allSatisfy { $0 == 0 })
  }

  @Test func aFileOfAnotherUserOrBehindALinkIsNotRead() throws {
    let folder = try TemporaryFolder()
    let file = try file(folder)
    let link = KeyRingFile(path: "\(folder.path)/link")
    #expect(symlink(file.path, link.path) == 0)
    #expect(throws: SealingError.self) { try link.readIfThere() }
    // Only root can give a file away.
    guard geteuid() == 0 else { return }
    #expect(chown(file.path, 12345, gid_t.max) == 0)
    let error = #expect(throws: SealingError.self) { try file.read() }
    #expect(error?.message.contains("chmod 600") == true)
  }

  @Test func aRingThatCannotTakeItsPlaceLeavesNothingBehind() throws {
    let folder = try TemporaryFolder()
    try folder.makeFolder(KeyRingFile.name, mode: 0o700)
    let file = KeyRingFile(path: "\(folder.path)/\(KeyRingFile.name)")
    #expect(throws: SealingError.self) { try file.replace(with: KeyRing()) }
    #expect(TemporaryFolder.names(in: folder.path) == [KeyRingFile.name])
    #expect(throws: SealingError.self) { try file.destroy() }
    let nowhere = KeyRingFile(path: "\(folder.path)/none/\(KeyRingFile.name)")
    #expect(throws: SealingError.self) { try nowhere.makeIfMissing() }
    #expect(try nowhere.readIfThere() == nil)
    let missing = #expect(throws: SealingError.self) { try nowhere.read() }
    #expect(missing?.message.contains("kith erase") == true)
  }

  @Test func aDestroyedKeyIsGone() throws {
    let folder = try TemporaryFolder()
    let file = try file(folder)
    let sealed = try SealingKeys(file: file, worker: "test").seal(text, at: place)
    let descriptor = open(file.path, O_RDONLY)
    defer { close(descriptor) }
    try file.destroy()
    try file.destroy()
    // Whoever held it open finds zeros in it.
    var bytes = [UInt8](repeating: 1, count: 64)
    #expect(pread(descriptor, &bytes, 64, 0) == 64)
    #expect(bytes.allSatisfy { $0 == 0 })
    #expect(TemporaryFolder.names(in: folder.path).isEmpty)
    #expect(throws: SealingError.self) { try SealingKeys(file: file, worker: "test") }
    try file.makeIfMissing()
    let new = try SealingKeys(file: file, worker: "test")
    #expect(throws: SealingError.self) { try new.open(sealed, at: place) }
  }
}
