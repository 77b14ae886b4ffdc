import GRDB
import Glibc
import KithAccess
import KithSealing
import KithTesting
import Testing

@testable import KithStore

/// Nothing is lost in silence: a store with fewer records than were acknowledged is never opened as
/// if it were whole, and what a crash leaves always is.
@Suite(.timeLimit(.minutes(10)))
struct DamageTests {
  /// How a process has left its store.
  enum Ending: String, CaseIterable, Sendable {
    /// Ended as `kith down` does.
    case settled
    /// Killed, with a part in the file and a part in the write-ahead log.
    case killed
    /// Killed when nothing had been carried over into the file yet.
    case killedYoung
  }

  /// A store with forty notes, and one that it was before.
  private func image(_ ending: Ending) async throws -> (now: StoreImage, before: StoreImage) {
    let folder = try TemporaryFolder()
    var store = try folder.store()
    try await store.note(0..<20)
    var before = StoreImage(of: folder, notes: 20)
    if ending != .killedYoung {
      try store.close()
      before = StoreImage(of: folder, notes: 20)
      store = try folder.store()
    }
    try await store.note(20..<40)
    if ending == .settled { try store.close() }
    let now = StoreImage(of: folder, notes: 40)
    withExtendedLifetime(store) {}
    return (now, before)
  }

  private func expectNoticed(
    _ image: StoreImage, _ what: String, known: StoreStanding? = nil
  ) async throws {
    guard case .opened(let notes) = try await image.find(known: known) else { return }
    #expect(notes >= image.notes, "\(what): opened with \(notes) of \(image.notes) notes")
  }

  private func expectRefused(
    _ image: StoreImage, _ what: String, known: StoreStanding? = nil
  ) async throws {
    guard case .noticed(let error) = try await image.find(known: known) else {
      Issue.record("\(what): opened")
      return
    }
    #expect(error?.code == .damaged, "\(what): \(error as Any)")
    #expect(error?.message.contains("kith restore") == true, "\(what): \(error as Any)")
  }

  private func expectWhole(_ image: StoreImage, _ what: String) async throws {
    guard case .opened(let notes) = try await image.find() else {
      let finding = try await image.find()
      Issue.record("\(what): \(finding)")
      return
    }
    #expect(notes == image.notes, "\(what)")
  }

  @Test(arguments: Ending.allCases)
  func whatAnyEndingLeavesOpens(_ ending: Ending) async throws {
    let (now, before) = try await image(ending)
    try await expectWhole(now, "now")
    try await expectWhole(before, "before")
    #expect((now.files[StoreImage.log]?.isEmpty ?? true) == (ending == .settled))
    // The index of the log is made anew.
    var image = now
    image.files[StoreImage.index] = nil
    try await expectWhole(image, "without index")
  }

  @Test(arguments: Ending.allCases)
  func aFileThatIsCutEmptiedOrRemovedIsRefused(_ ending: Ending) async throws {
    let (now, _) = try await image(ending)
    for (name, header, step) in [(StoreImage.database, 0, 4096), (StoreImage.log, 32, 4096 + 24)] {
      guard let bytes = now.files[name], !bytes.isEmpty else { continue }
      var ends = [0, 1, header, 100]
      for end in stride(from: header, to: bytes.count, by: step) {
        ends.append(end)
        if (end / step).isMultiple(of: 4) { ends.append(end + 1_000) }
      }
      for end in Set(ends).sorted() where end < bytes.count {
        var image = now
        image.files[name] = Array(bytes[..<end])
        if name == StoreImage.log || end == 0 {
          try await expectRefused(image, "\(name) cut to \(end)")
        } else {
          try await expectNoticed(image, "\(name) cut to \(end)")
        }
      }
      var image = now
      image.files[name] = nil
      try await expectRefused(image, "\(name) removed")
    }
    for name in [StoreImage.mark] {
      var image = now
      image.files[name] = nil
      try await expectRefused(image, "\(name) removed")
      image.files[name] = []
      try await expectRefused(image, "\(name) emptied")
    }
    var image = now
    for name in [StoreImage.database, StoreImage.log, StoreImage.index] { image.files[name] = nil }
    try await expectRefused(image, "all but the mark removed")
  }

  @Test(arguments: Ending.allCases)
  func bytesThatChangedAreNoticedWhereTheyTakeRecordsAway(_ ending: Ending) async throws {
    let (now, _) = try await image(ending)
    for name in [StoreImage.database, StoreImage.log] {
      guard let bytes = now.files[name], !bytes.isEmpty else { continue }
      var offsets: [Int]
      if name == StoreImage.log {
        offsets = Array(stride(from: 0, to: 32, by: 5))
        // Number, size, salts, checksums and page, another of them in each frame.
        let places = [0, 4, 8, 12, 16, 20, 24, 2_000]
        for (number, frame) in stride(from: 32, to: bytes.count, by: 4096 + 24).enumerated() {
          offsets.append(frame + places[number % places.count])
        }
      } else {
        // A file whose pages are all in the log as well is read from there.
        offsets = Array(stride(from: 0, to: 100, by: ending == .settled ? 2 : 20))
        for page in stride(from: 0, to: bytes.count, by: 4096) {
          offsets += [0, 3, 5, 8, 9, 4_095].map { page + $0 }
        }
      }
      for offset in Set(offsets).sorted() where offset < bytes.count {
        var image = now
        image.files[name]?[offset] ^= 0xFF
        try await expectNoticed(image, "byte \(offset) of \(name)")
      }
    }
  }

  @Test func anyByteThatChangedInASettledFileIsFound() async throws {
    let (now, _) = try await image(.settled)
    let bytes = try #require(now.files[StoreImage.database])
    var generator = SplitMix(seed: 5)
    for _ in 0..<100 {
      let offset = Int.random(in: bytes.indices, using: &generator)
      var image = now
      image.files[StoreImage.database]?[offset] ^= 0x11
      guard case .noticed = try await image.find() else {
        Issue.record("byte \(offset) changed, and the store was opened as if it were whole")
        continue
      }
    }
  }

  /// A plain value that is another valid one: neither SQLite nor the encryption can tell.
  @Test func aPlainValueThatChangedInASettledFileIsRefused() async throws {
    let folder = try TemporaryFolder()
    let user = try #require(UserID("zenobia"))
    var store = try folder.store()
    let grant = try Access(of: .product).grant(.own, on: user)
    try await store.write {
      try $0.save(Person(id: 1, user: user, name: "Zenobia"), under: grant)
    }
    try store.close()
    let whole = StoreImage(of: folder, notes: 0)
    var image = whole
    let place = try #require(
      whole.files[StoreImage.database]?.firstRange(of: Array("zenobia".utf8)))
    image.files[StoreImage.database]?.replaceSubrange(place, with: Array("zenobio".utf8))
    try await expectRefused(image, "another person's name")
    // Without the digest nothing tells: the check is worth its file.
    image.files[StoreImage.digest] = nil
    try await expectWhole(image, "another name without the digest")

    // It says nothing about what was written since, by a process that was killed or by another one.
    try await expectWhole(whole, "the file as it was left")
    store = try folder.store()
    #expect(Files.bytes("\(folder.storePath).digest") == nil, "an open store has no digest")
    try await store.note(0..<1)
    var later = StoreImage(of: folder, notes: 1)
    withExtendedLifetime(store) {}
    later.files[StoreImage.digest] = whole.files[StoreImage.digest]
    try await expectWhole(later, "a digest of an earlier state")
    try store.close()
    later = StoreImage(of: folder, notes: 1)
    later.files[StoreImage.digest] = whole.files[StoreImage.digest]
    try await expectWhole(later, "a digest of an earlier settled state")
  }

  @Test(arguments: Ending.allCases)
  func anOlderCopyIsRefused(_ ending: Ending) async throws {
    let (now, before) = try await image(ending)
    let sets: [[String]] = [
      [StoreImage.database, StoreImage.log, StoreImage.index],
      [StoreImage.database], [StoreImage.log],
    ]
    for names in sets where names.contains(where: { now.files[$0] != before.files[$0] }) {
      // A file that holds nothing yet is the same in both.
      guard names != [StoreImage.database] || ending == .settled else { continue }
      var image = now
      for name in names { image.files[name] = before.files[name] }
      try await expectRefused(image, "an older \(names.joined(separator: " and "))")
    }
    // Where the whole folder is the older one, only the host can tell.
    let standing = try await standing(of: now)
    try await expectWhole(before, "an older folder that nobody knows of")
    try await expectRefused(before, "an older folder", known: standing)
    let other = StoreStanding(log: "another", commits: 1)
    try await expectRefused(now, "another store", known: other)
    let folder = try TemporaryFolder()
    _ = try folder.keys()
    try await expectRefused(StoreImage(of: folder, notes: 1), "nothing at all", known: standing)
  }

  @Test func anOlderFileBesideALaterLogIsRefused() async throws {
    let folder = try TemporaryFolder()
    var store = try folder.store()
    try await store.note(0..<20)
    try store.close()
    let before = StoreImage(of: folder, notes: 20)
    store = try folder.store()
    try await store.note(20..<40)
    try store.close()
    store = try folder.store()
    try await store.note(40..<60)
    var image = StoreImage(of: folder, notes: 60)
    try await expectWhole(image, "as it was left")
    image.files[StoreImage.database] = before.files[StoreImage.database]
    try await expectRefused(image, "an older file with a later log")
    withExtendedLifetime(store) {}
  }

  private func standing(of image: StoreImage) async throws -> StoreStanding {
    let folder = try image.laidOut()
    return try #require(try folder.store().standing)
  }

  /// What a loss of power or a kill leaves behind the last whole transaction is no damage.
  @Test(arguments: [Ending.killed, .killedYoung])
  func whatACrashLeavesIsNoDamage(_ ending: Ending) async throws {
    let (now, before) = try await image(ending)
    let log = try #require(now.files[StoreImage.log])
    // Frames that a log of other salts has left behind the end of this one.
    let older = try #require(try await image(.killedYoung).now.files[StoreImage.log])
    var generator = SplitMix(seed: 17)
    let frame = 4096 + 24
    let last = Array(log.suffix(frame))
    var torn = last
    for offset in 30..<torn.count { torn[offset] = 0 }
    // As the header of a frame looks that begins the next transaction of the same log, its page not
    // written.
    var unwritten = last
    for offset in [4, 5, 6, 7] + Array(24..<frame) { unwritten[offset] = 0 }
    let garbage = (0..<3 * frame).map { _ in UInt8.random(in: 0...255, using: &generator) }
    for (what, tail) in [
      ("a byte", [1]), ("zeros", [UInt8](repeating: 0, count: 5 * frame)), ("garbage", garbage),
      ("a torn frame", torn), ("half a frame", Array(last.prefix(2_000))),
      ("a frame without its page", unwritten), ("frames of an older log", Array(older[32...])),
    ] {
      var image = now
      image.files[StoreImage.log] = log + tail
      try await expectWhole(image, what)
    }
    // The mark may be behind, and one of its slots torn.
    var image = now
    image.files[StoreImage.mark] = before.files[StoreImage.mark]
    try await expectWhole(image, "a mark that is behind")
    for slot in 0..<StoreMark.slots {
      var image = now
      for offset in 20..<60 {
        image.files[StoreImage.mark]?[slot * StoreMark.slotSize + offset] = 0
      }
      try await expectWhole(image, "a mark whose slot \(slot) is torn")
    }
    // Within a transaction.
    let folder = try now.laidOut()
    let store = try folder.store()
    let within = try await store.write { transaction in
      for number in 1_000..<3_000 {
        try transaction.save(Note(id: "\(number)", text: String(repeating: "x", count: 12_000)))
      }
      return StoreImage(of: folder, notes: now.notes)
    }
    #expect(within.files[StoreImage.log]?.count ?? 0 > log.count)
    try await expectWhole(within, "within a large transaction")
  }

  @Test func whatWasChangedInTheLogAfterALossOfPowerIsFoundWithoutTheMark() async throws {
    let (now, before) = try await image(.killedYoung)
    let log = try #require(now.files[StoreImage.log])
    var image = now
    // The mark as it was long ago, which says nothing of the end.
    image.files[StoreImage.mark] = before.files[StoreImage.mark]
    image.files[StoreImage.log]?[log.count - 3 * (4096 + 24) - 100] ^= 1
    guard case .noticed(let error) = try await image.find() else {
      Issue.record("opened")
      return
    }
    #expect(error?.message.contains("is not as it was written") == true, "\(error as Any)")
  }

  @Test func aMarkThatSomebodyElseWroteIsRefused() async throws {
    let (now, _) = try await image(.settled)
    let folder = try now.laidOut()
    let log = try #require(try folder.store().standing?.log)
    var image = now
    let line = Array("kith-mark-1 \(log) 1 0 \(String(repeating: "0", count: 64))\n".utf8)
    let slot = line + [UInt8](repeating: 0, count: StoreMark.slotSize - line.count)
    image.files[StoreImage.mark] = slot + slot
    try await expectRefused(image, "a mark without the secret")
  }

  @Test func aStoreOfOneTransactionWithoutItsMarkIsRefused() async throws {
    let folder = try TemporaryFolder()
    let store = try folder.store()
    try await store.note(0..<1)
    #expect(store.standing?.commits == 1)
    var image = StoreImage(of: folder, notes: 1)
    withExtendedLifetime(store) {}
    image.files[StoreImage.mark] = nil
    try await expectRefused(image, "one transaction and no mark")
  }

  /// What a loss of power leaves of the last transaction may be any of its frames.
  @Test func whatIsBrokenWithinTheLastTransactionOfTheLogIsNoDamage() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/log.sqlite"
    var configuration = Configuration()
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA journal_mode = WAL") }
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    try queue.write { try $0.execute(sql: "CREATE TABLE page (bytes BLOB)") }
    let before = try #require(Files.bytes("\(path)-wal")).count
    try queue.write { try $0.execute(sql: "INSERT INTO page VALUES (randomblob(40000))") }
    let last = try #require(Files.bytes("\(path)-wal")).count
    let frame = 24 + 4096
    #expect((last - before) / frame > 5)
    func finding(changing offset: Int, of count: Int) throws -> String? {
      var bytes = Array(try #require(Files.bytes("\(path)-wal"))[..<count])
      bytes[offset] ^= 1
      try folder.write(bytes, to: "changed")
      return WriteAheadLog.finding("\(folder.path)/changed")
    }
    #expect(try finding(changing: before + frame + 100, of: last) == nil)
    try queue.write { try $0.execute(sql: "INSERT INTO page VALUES (1)") }
    let later = try #require(Files.bytes("\(path)-wal")).count
    #expect(try finding(changing: before + frame + 100, of: later) != nil)
    try queue.close()
  }

  // MARK: Salvage

  @Test func whatTheLogAloneHoldsIsSavedWhenTheFileIsEmptied() async throws {
    let (now, _) = try await image(.killedYoung)
    for isMissing in [false, true] {
      var image = now
      image.files[StoreImage.database] = isMissing ? nil : []
      let folder = try image.laidOut()
      let store = try folder.store(whenDamaged: .salvage)
      let salvage = try #require(store.salvage)
      #expect(salvage.description.contains(isMissing ? "is missing" : "is empty"), "\(salvage)")
      let notes = try await store.read { try $0.records(Note.self).count }
      #expect(notes == 40)
      try store.close()
      #expect(try folder.store().salvage == nil)
    }
  }

  @Test func anOlderStoreGoesOnWhereThatIsWantedAndTheHostKnowsItAgain() async throws {
    let (now, before) = try await image(.settled)
    let known = try await standing(of: now)
    let folder = try before.laidOut()
    let keys = try folder.keys()
    let open = { (known: StoreStanding?) throws(StoreError) -> Store in
      try Store(
        path: folder.storePath, keys: keys, migrations: [Person.migration, Note.migration],
        whenDamaged: .salvage, known: known)
    }
    let store = try open(known)
    #expect(store.salvage?.finding.contains("older copy") == true, "\(store.salvage as Any)")
    let standing = try #require(store.standing)
    #expect(standing.log != known.log)
    try store.close()
    // A host that was killed before it had noted the new one still names the old.
    for known in [known, standing] {
      let again = try open(known)
      #expect(again.salvage == nil)
      let notes = try await again.read { try $0.records(Note.self).count }
      #expect(notes == 20)
      try again.close()
    }
  }

  @Test func aStoreOfAnEarlierVersionIsTakenOver() async throws {
    let (now, _) = try await image(.settled)
    var image = now
    let folder = try now.laidOut()
    // As that version has left it.
    let queue = try DatabaseQueue(path: folder.storePath)
    try await queue.write { database in
      try database.execute(
        sql: """
          ALTER TABLE kith_store DROP COLUMN commits;
          ALTER TABLE kith_store DROP COLUMN replaced;
          DELETE FROM grdb_migrations WHERE identifier = 'kith store 2';
          """)
    }
    try queue.close()
    image = StoreImage(of: folder, notes: 40)
    image.files[StoreImage.mark] = nil
    try await expectWhole(image, "an earlier version's")
  }
}

/// A generator whose numbers are the same each time.
struct SplitMix: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
