import FileCallLog
import Glibc
import KithTesting
import Testing

@testable import KithSealing

/// A key that is lost is all data lost, and one that is only said to be destroyed destroys nothing:
/// both are waited for.
@Suite struct KeyRingFileDurabilityTests {
  private let folder: TemporaryFolder
  private let file: KeyRingFile

  init() throws {
    folder = try TemporaryFolder()
    file = KeyRingFile(path: "\(folder.path)/\(KeyRingFile.name)")
  }

  /// The calls, with one name for the draft, whose own is random.
  private func calls(_ body: () throws -> Void) throws -> [String] {
    try FileCallLog.of(folder.path, body).map { call in
      call.split(separator: " ").map { word in
        word.hasPrefix("\(KeyRingFile.name).") ? "draft" : String(word)
      }.joined(separator: " ")
    }
  }

  @Test func aNewKeyIsOnTheDiskBeforeAnythingIsSealedWithIt() throws {
    let calls = try calls { try file.makeIfMissing() }
    #expect(calls == ["fsync draft", "link draft sealing.keys", "fsync .", "unlink draft"])
    let failures = try FileCallLog.failingEach(
      folder.path, prepare: { unlink(file.path) }, { try file.makeIfMissing() })
    #expect(failures.count == 2 && failures.allSatisfy(\.isThrown))
  }

  @Test func aRingIsReplacedWhenTheNewOneIsOnTheDiskAndTheOldOneIsOverwritten() throws {
    try file.makeIfMissing()
    var ring = try file.read()
    ring.rotate()
    let calls = try calls { try file.replace(with: ring) }
    #expect(
      calls == [
        "fsync draft", "rename draft sealing.keys", "fsync .", "fsync sealing.keys (deleted)",
      ])
    let before = try file.read()
    ring.rotate()
    let log = FileCallLog(folder.path, failing: 1)
    #expect(throws: SealingError.self) { try file.replace(with: ring) }
    _ = log.end()
    #expect(try file.read() == before)
  }

  @Test func aDestroyedKeyIsOverwrittenOnTheDiskBeforeItsNameGoes() throws {
    try file.makeIfMissing()
    let calls = try calls { try file.destroy() }
    #expect(calls == ["fsync sealing.keys", "unlink sealing.keys", "fsync ."])
  }
}
