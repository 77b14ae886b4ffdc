import Glibc
import Testing

@testable import KithHost

/// How far the stores of workers have come, as the host knows it.
@Suite struct StoreRecordsTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = "\(folder.path)/stores"
  }

  private func standing(_ commits: Int64, _ log: String = "a") -> StoreRecords.Standing {
    StoreRecords.Standing(log: log, commits: commits)
  }

  @Test func itIsWrittenAtFirstAtTheEndAndOnceAMinute() throws {
    var records = StoreRecords(folder: path)
    let first = records.report(standing(3), of: "odd", at: .zero)
    #expect(first?.standing == standing(3) && first?.path == "\(path)/odd")
    #expect(records.report(standing(4), of: "odd", at: .seconds(59)) == nil)
    #expect(records.report(standing(5), of: "odd", at: .seconds(60))?.standing == standing(5))
    #expect(records.report(standing(6), of: "odd", at: .seconds(61)) == nil)
    #expect(records.end(of: "odd", at: .seconds(62))?.standing == standing(6))
    #expect(records.end(of: "odd", at: .seconds(63)) == nil)
    // Another store is news at once.
    #expect(records.report(standing(1, "b"), of: "odd", at: .seconds(64)) != nil)
    #expect(records.end(of: "even", at: .zero) == nil)
  }

  @Test func whatHasNotChangedIsNotWrittenAgain() {
    var records = StoreRecords(folder: path)
    #expect(records.report(standing(3), of: "odd", at: .zero) != nil)
    #expect(records.report(standing(3), of: "odd", at: .seconds(600)) == nil)
  }

  @Test func oneThatReportsLaterWhatItSawEarlierChangesNothing() throws {
    var records = StoreRecords(folder: path)
    _ = records.report(standing(9), of: "odd", at: .zero)
    #expect(records.report(standing(8), of: "odd", at: .seconds(100)) == nil)
    #expect(try records.known(of: "odd") == standing(9))
  }

  @Test func whatNoStoreIsNamedIsNotTaken() throws {
    var records = StoreRecords(folder: path)
    for log in ["", "a b", "a\n", String(repeating: "a", count: 101), "\u{1B}[2J"] {
      #expect(records.report(standing(1, log), of: "odd", at: .zero) == nil)
    }
    #expect(records.report(standing(-1), of: "odd", at: .zero) == nil)
    #expect(try records.known(of: "odd") == nil)
  }

  @Test func theNextHostKnowsIt() throws {
    var records = StoreRecords(folder: path)
    try records.report(standing(7), of: "odd", at: .zero)?.write()
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o700)
    #expect(stat("\(path)/odd", &status) == 0 && status.st_mode & 0o777 == 0o600)
    let next = StoreRecords(folder: path)
    #expect(try next.known(of: "odd") == standing(7))
    #expect(try next.known(of: "even") == nil)
    for text in ["", "a", "a 1", "a -\n", "a 1\nb 2\n", " 1\n"] {
      try DurableFile.replace("\(path)/odd", with: Array(text.utf8))
      #expect(throws: SystemError.self) { try next.known(of: "odd") }
    }
  }
}
