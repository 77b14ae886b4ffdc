import Glibc
import Testing

@testable import KithHost

@Suite struct RotatedFileTests {
  let folder: TemporaryFolder
  let limits = RotatedFile.Limits(fileBytes: 400, files: 3)

  init() throws {
    folder = try TemporaryFolder()
  }

  private func open() throws -> RotatedFile {
    try RotatedFile(path: folder.path + "/a.log", limits: limits)
  }

  private func record(_ number: Int) -> LogRecord {
    LogRecord(atMilliseconds: 1, generation: 2, stream: .stderr, text: "line \(number)")
  }

  private func texts(_ records: [LogRecord]) -> [String] { records.map(\.text) }

  @Test func whatWasWrittenIsRead() throws {
    var file = try open()
    let records = [
      LogRecord(
        atMilliseconds: 5, generation: 7, stream: .stdout, text: "a \"b\" \\ \u{0} \u{1F600}"),
      LogRecord(atMilliseconds: 6, generation: 7, stream: .host, text: ""),
    ]
    file.append(records)
    let found = try file.read(from: 0, limit: 10)
    #expect(found.records == records)
    #expect(found.next == file.end)
  }

  @Test func sizeIsBoundedAndTheNewestLinesAreKept() throws {
    var file = try open()
    for number in 0..<200 { file.append([record(number)]) }
    #expect(folder.names() == ["a.log", "a.log.1", "a.log.2"])
    for name in folder.names() {
      var status = stat()
      #expect(stat("\(folder.path)/\(name)", &status) == 0 && status.st_size <= 400)
    }
    let found = try file.read(from: 0, limit: 1000)
    #expect(found.records.count > 5)
    #expect(texts(found.records) == (200 - found.records.count..<200).map { "line \($0)" })
  }

  @Test func aCursorSurvivesRotationAndANewHost() throws {
    var file = try open()
    var cursor: UInt64 = 0
    var seen: [String] = []
    for number in 0..<300 {
      file.append([record(number)])
      if number % 3 == 2 {
        let found = try file.read(from: cursor, limit: 2)
        seen += texts(found.records)
        let rest = try file.read(from: found.next, limit: 100)
        seen += texts(rest.records)
        cursor = rest.next
      }
      if number % 50 == 49 { file = try open() }
    }
    #expect(seen == (0..<300).map { "line \($0)" })
  }

  @Test func readersBeginSoManyLinesBeforeTheEnd() throws {
    var file = try open()
    #expect(try file.position(ofLast: 10) <= file.end)
    for number in 0..<30 { file.append([record(number)]) }
    let kept = try file.read(from: 0, limit: 1000).records.count
    for count in 0...kept {
      let found = try file.read(from: try file.position(ofLast: count), limit: 1000)
      #expect(texts(found.records) == (30 - count..<30).map { "line \($0)" }, "\(count) of \(kept)")
    }
    let all = try file.read(from: try file.position(ofLast: 10_000), limit: 1000)
    #expect(all.records.count == kept)
  }

  @Test func aLineThatWasCutShortIsSkipped() throws {
    var file = try open()
    file.append([record(1)])
    let descriptor = try Descriptor.open(folder.path + "/a.log", O_WRONLY | O_APPEND)
    try descriptor.writeAll(Array("{\"at_ms\":5,\"gen".utf8), to: "the log")
    file = try open()
    file.append([record(2)])
    #expect(texts(try file.read(from: 0, limit: 10).records) == ["line 1", "line 2"])
  }

  @Test func aFileThatIsNoLogIsBegunAnew() throws {
    let descriptor = try Descriptor.open(folder.path + "/a.log", O_WRONLY | O_CREAT)
    try descriptor.writeAll(Array("something else\n".utf8), to: "the log")
    var file = try open()
    file.append([record(1)])
    #expect(texts(try file.read(from: 0, limit: 10).records) == ["line 1"])
  }
}
