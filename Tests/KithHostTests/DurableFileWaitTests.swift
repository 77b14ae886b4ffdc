import FileCallLog
import Glibc
import Testing

@testable import KithHost

/// What the host must know again after a loss of power.
@Suite struct DurableFileWaitTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func aFileIsReplacedWhenItsContentIsOnTheDiskAndItsNameIsWaitedFor() throws {
    let path = "\(folder.path)/a"
    let replace = { try DurableFile.replace(path, with: [2]) }
    let calls = try FileCallLog.of(folder.path, replace)
    #expect(calls == ["fsync a.new", "rename a.new a", "fsync ."])
    let failures = try FileCallLog.failingEach(
      folder.path, prepare: { try DurableFile.replace(path, with: [1]) }, replace
    ) { number in
      // Before it was renamed the old content stands; afterwards it is whole in any case.
      let bytes = try DurableFile.read(path)
      #expect(bytes == (number == 1 ? [1] : [2]))
      #expect(access("\(path).new", F_OK) != 0)
    }
    #expect(failures == [FileCallLog.Failure("a.new"), FileCallLog.Failure(".")])
  }
}
