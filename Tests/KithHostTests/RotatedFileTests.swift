import Glibc
import Synchronization
import Testing

@testable import KithHost

@Suite struct RotatedFileTests {
  let folder: TemporaryFolder
  let limits = RotatedFile.Limits(fileBytes: 800, files: 3, waitingBytes: 2000)

  init() throws {
    folder = try TemporaryFolder()
  }

  private func open() throws -> RotatedFile {
    try RotatedFile(path: folder.path + "/a.log", limits: limits)
  }

  private func record(_ number: Int) -> LogRecord {
    LogRecord(
      atMilliseconds: 1, worker: "a", generation: 2, stream: .stderr,
      level: number % 3 == 0 ? .warning : .debug, text: "line \(number)")
  }

  private func texts(_ entries: [RotatedFile.Entry]) -> [String] { entries.map(\.record.text) }

  @Test func whatWasWrittenIsRead() throws {
    var file = try open()
    let records = [
      LogRecord(
        atMilliseconds: 5, worker: "a", generation: 7, stream: .stdout, level: .info, call: "17",
        text: "a \"b\" \\ \u{0} \u{1F600}", fields: ["x": "1", "y": "a b"]),
      LogRecord(
        atMilliseconds: 6, worker: "a", generation: 7, stream: .host, level: .notice, text: ""),
    ]
    file.append(records)
    let found = try file.read(from: 0, limit: 10)
    #expect(found.entries.map(\.record) == records)
    #expect(found.entries.last?.next == file.end)
    #expect(found.next == file.end)
  }

  @Test func sizeIsBoundedAndTheNewestLinesAreKept() throws {
    var file = try open()
    for number in 0..<200 { file.append([record(number)]) }
    #expect(folder.names() == ["a.log", "a.log.1", "a.log.2"])
    for name in folder.names() {
      var status = stat()
      #expect(stat("\(folder.path)/\(name)", &status) == 0 && status.st_size <= 800)
    }
    let found = try file.read(from: 0, limit: 1000)
    #expect(found.entries.count > 5)
    #expect(texts(found.entries) == (200 - found.entries.count..<200).map { "line \($0)" })
  }

  @Test func aCursorSurvivesRotationAndANewHost() throws {
    var file = try open()
    var cursor: UInt64 = 0
    var seen: [String] = []
    for number in 0..<300 {
      file.append([record(number)])
      if number % 3 == 2 {
        let found = try file.read(from: cursor, limit: 2)
        seen += texts(found.entries)
        let rest = try file.read(from: found.next, limit: 100)
        seen += texts(rest.entries)
        cursor = rest.next
      }
      if number % 50 == 49 { file = try open() }
    }
    #expect(seen == (0..<300).map { "line \($0)" })
  }

  @Test func readersBeginSoManyLinesBeforeTheEnd() throws {
    var file = try open()
    #expect(try file.position(ofLast: 10, minimumLevel: .trace) <= file.end)
    for number in 0..<30 { file.append([record(number)]) }
    let kept = try file.read(from: 0, limit: 1000).entries.count
    for count in 0...kept {
      let found = try file.read(
        from: try file.position(ofLast: count, minimumLevel: .trace), limit: 1000)
      #expect(texts(found.entries) == (30 - count..<30).map { "line \($0)" }, "\(count) of \(kept)")
    }
    let all = try file.read(
      from: try file.position(ofLast: 10_000, minimumLevel: .trace), limit: 1000)
    #expect(all.entries.count == kept)
  }

  @Test func aLineThatWasCutShortIsSkipped() throws {
    var file = try open()
    file.append([record(1)])
    let descriptor = try Descriptor.open(folder.path + "/a.log", O_WRONLY | O_APPEND)
    try descriptor.writeAll(Array("{\"at_ms\":5,\"gen".utf8), to: "the log")
    file = try open()
    file.append([record(2)])
    #expect(texts(try file.read(from: 0, limit: 10).entries) == ["line 1", "line 2"])
  }

  @Test func aFileThatIsNoLogIsBegunAnew() throws {
    let descriptor = try Descriptor.open(folder.path + "/a.log", O_WRONLY | O_CREAT)
    try descriptor.writeAll(Array("something else\n".utf8), to: "the log")
    var file = try open()
    file.append([record(1)])
    #expect(texts(try file.read(from: 0, limit: 10).entries) == ["line 1"])
  }

  @Test func linesBelowALevelAreLeftOut() throws {
    var file = try open()
    for number in 0..<30 { file.append([record(number)]) }
    let kept = try file.read(from: 0, minimumLevel: .warning, limit: 1000)
    #expect(kept.next == file.end)
    #expect(kept.entries.allSatisfy { $0.record.level == .warning })
    for count in 0...kept.entries.count {
      let begin = try file.position(ofLast: count, minimumLevel: .warning)
      let found = try file.read(from: begin, minimumLevel: .warning, limit: 1000)
      #expect(texts(found.entries) == texts(kept.entries.suffix(count)), "\(count)")
    }
  }

  // MARK: A file that cannot be written

  /// A disk that takes so many more bytes.
  private final class Disk: Sendable {
    let room = Mutex(Int.max)

    func append(_ file: Descriptor, _ bytes: [UInt8]) throws(SystemError) {
      let taken = room.withLock { room in
        let taken = min(room, bytes.count)
        room -= taken
        return taken
      }
      try file.writeAll(bytes.prefix(taken), to: "the log")
      if taken < bytes.count { throw SystemError("write the log", code: ENOSPC) }
    }
  }

  private func open(on disk: Disk) throws -> RotatedFile {
    try RotatedFile(
      path: folder.path + "/a.log", limits: limits,
      appending: { file, bytes, _ throws(SystemError) in try disk.append(file, bytes) })
  }

  @Test(arguments: 0..<40)
  func nothingIsLostOrDoubledWhenTheDiskIsFullForAWhile(room: Int) throws {
    let disk = Disk()
    var file = try open(on: disk)
    file.append([record(0)])
    disk.room.withLock { $0 = room * 11 }
    for number in 1...6 { file.append([record(number)]) }
    if room < 10 {
      #expect(file.trouble?.code == ENOSPC)
      #expect(file.waiting > 0)
    }
    disk.room.withLock { $0 = .max }
    file.flush()
    #expect(file.trouble == nil && file.waiting == 0 && file.lost == 0)
    #expect(texts(try file.read(from: 0, limit: 100).entries) == (0...6).map { "line \($0)" })
    // The same for whoever opens the files anew.
    let again = try open()
    #expect(again.end == file.end)
    #expect(texts(try again.read(from: 0, limit: 100).entries) == (0...6).map { "line \($0)" })
  }

  @Test func whatDoesNotFitInMemoryIsCountedAndSaidSo() throws {
    let disk = Disk()
    var file = try open(on: disk)
    disk.room.withLock { $0 = 0 }
    for number in 0..<100 { file.append([record(number)]) }
    let waiting = file.waiting
    #expect(waiting > 5)
    #expect(file.lost == UInt64(100 - waiting))
    disk.room.withLock { $0 = .max }
    file.append([record(100)])
    let texts = texts(try file.read(from: 0, limit: 1000).entries)
    let note = "\(101 - waiting) lines were lost: the log could not be written"
    // The line that came with the room is the last one lost: what waits goes first.
    #expect(texts.last == "line \(waiting - 1)", "\(texts)")
    file.append([record(101)])
    let later = self.texts(try file.read(from: 0, limit: 1000).entries)
    #expect(later.suffix(2) == [note, "line 101"], "\(later)")
    #expect(file.lost == UInt64(101 - waiting))
  }

  @Test func aShortLineIsNotTakenInBehindALongOneThatWasLost() throws {
    let disk = Disk()
    var file = try open(on: disk)
    disk.room.withLock { $0 = 0 }
    // Room is left in memory for one line of the usual length, and not for a long one.
    for _ in 1..<limits.waitingBytes / record(0).encoded.count { file.append([record(0)]) }
    #expect(file.lost == 0)
    var long = record(1)
    long.text = String(repeating: "x", count: 300)
    file.append([long])
    #expect(file.lost == 1)
    file.append([record(2)])
    // At one place the log says how many lines are missing there.
    #expect(file.lost == 2)
  }

  @Test func aRotationThatFailsLosesNoOlderFile() throws {
    let disk = Disk()
    var file = try open(on: disk)
    for number in 0..<12 { file.append([record(number)]) }
    let before = texts(try file.read(from: 0, limit: 1000).entries)
    disk.room.withLock { $0 = 0 }
    for number in 12..<18 { file.append([record(number)]) }
    for _ in 0..<10 { file.flush() }
    #expect(texts(try file.read(from: 0, limit: 1000).entries).prefix(before.count) == before[...])
    disk.room.withLock { $0 = .max }
    file.flush()
    let after = texts(try file.read(from: 0, limit: 1000).entries)
    #expect(after.suffix(6) == (12..<18).map { "line \($0)" }[...])
  }

  @Test func aReadEndsAfterSoManyBytesAndTheNextGoesOn() throws {
    var file = try RotatedFile(path: folder.path + "/a.log")
    for number in 0..<10 { file.append([record(number)]) }
    let line = record(0).encoded.count
    let first = try file.read(from: 0, limit: 100, limitBytes: 3 * line)
    #expect(texts(first.entries).count <= 4 && !first.entries.isEmpty)
    let rest = try file.read(from: first.next, limit: 100)
    #expect(texts(first.entries + rest.entries) == (0..<10).map { "line \($0)" })
  }

  @Test func anOlderFileThatDoesNotEndWhereTheNewerBeginsIsNotRead() throws {
    var file = try open()
    for number in 0..<30 { file.append([record(number)]) }
    let newest = try open().read(from: 0, limit: 1000)
    let path = folder.path + "/a.log"
    try #require(folder.names() == ["a.log", "a.log.1", "a.log.2"])
    try DurableFile.replace(path + ".1", with: try #require(try DurableFile.read(path + ".2")))
    let found = try open().read(from: 0, limit: 1000)
    #expect(found.entries.count < newest.entries.count)
    #expect(texts(found.entries) == texts(newest.entries).suffix(found.entries.count))
  }

  // MARK: A file that somebody takes away

  @Test func aFileThatWasRemovedIsBegunAgainWhereItEnded() throws {
    var file = try open()
    file.append([record(1)])
    let end = file.end
    unlink(folder.path + "/a.log")
    file.append([record(2)])
    #expect(file.trouble == nil && file.waiting == 0)
    #expect(texts(try file.read(from: 0, limit: 10).entries) == ["line 2"])
    #expect(file.begin == end)
    #expect(file.takeNotices().count == 1 && file.takeNotices() == [])
    // A host that follows goes on with it.
    #expect(texts(try open().read(from: end, limit: 10).entries) == ["line 2"])
  }

  @Test func aFileThatCannotBeBegunAgainKeepsItsLinesAndSaysWhy() throws {
    let path = folder.path + "/logs"
    mkdir(path, 0o700)
    var file = try RotatedFile(path: path + "/a.log", limits: limits)
    unlink(path + "/a.log")
    rmdir(path)
    try DurableFile.replace(path, with: [])
    file.append([record(1)])
    // What is written to a file without a name is written to nobody.
    #expect(file.trouble?.code == ENOTDIR && file.waiting == 1)
    unlink(path)
    file.flush()
    #expect(file.trouble == nil && file.waiting == 0)
    #expect(texts(try file.read(from: 0, limit: 10).entries) == ["line 1"])
  }

  @Test func anotherFileInItsPlaceIsLeftAlone() throws {
    var file = try open()
    file.append([record(1)])
    let path = folder.path + "/a.log"
    #expect(rename(path, path + ".away") == 0)
    try DurableFile.replace(path, with: Array("another's\n".utf8))
    file.append([record(2)])
    #expect(try DurableFile.read(path) == Array("another's\n".utf8))
    #expect(texts(try file.read(from: 0, limit: 10).entries) == ["line 1", "line 2"])
    #expect(file.trouble == nil)
    #expect(file.takeNotices().first?.contains("was moved away") == true)
    // Nor does it take another's files when it is full.
    for number in 3..<30 { file.append([record(number)]) }
    #expect(file.trouble?.code == ESTALE)
    #expect(folder.names() == ["a.log", "a.log.away"])
  }
}
