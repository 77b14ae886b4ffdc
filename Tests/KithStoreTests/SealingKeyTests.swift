import Glibc
import KithTesting
import Testing

@testable import KithStore

/// The key that seals what is personal.
@Suite struct SealingKeyTests {
  @Test func whatIsSealedOpensWithTheSameKeyInTheSamePlaceOnly() throws {
    let folder = try TemporaryFolder()
    let key = try SealingKey(file: "\(folder.path)/key")
    let sealed = try key.seal(Array("Ada".utf8), for: "people")
    let opened = try SealingKey(file: "\(folder.path)/key").open(sealed, for: "people")
    #expect(opened == Array("Ada".utf8))
    #expect(throws: StoreError.self) { try key.open(sealed, for: "places") }
    var changed = sealed
    changed[changed.count / 2] ^= 1
    #expect(throws: StoreError.self) { try key.open(changed, for: "people") }
    #expect(throws: StoreError.self) { try key.open([], for: "people") }
    let other = try SealingKey(file: "\(folder.path)/other")
    #expect(throws: StoreError.self) { try other.open(sealed, for: "people") }
    #expect(key.fingerprint([1]) != other.fingerprint([1]))
    #expect(key.fingerprint([1]) == key.fingerprint([1]))
    #expect(key.fingerprint([1]) != key.fingerprint([2]))
  }

  @Test func theFileIsItsOwnersAlone() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/key"
    _ = try SealingKey(file: path)
    var status = stat()
    #expect(stat(path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
    #expect(TemporaryFolder.names(in: folder.path) == ["key"])
    chmod(path, 0o640)
    let error = #expect(throws: StoreError.self) { try SealingKey(file: path) }
    #expect(error?.message.contains("chmod 600") == true)
  }

  @Test func aFileOfAnotherSizeIsNoKey() throws {
    let folder = try TemporaryFolder()
    for size in [0, 31, 33] {
      try folder.write([UInt8](repeating: 1, count: size), to: "key", mode: 0o600)
      let error = #expect(throws: StoreError.self) { try SealingKey(file: "\(folder.path)/key") }
      #expect(error?.message.contains("32 bytes") == true)
    }
    #expect(throws: StoreError.self) { try SealingKey(file: "\(folder.path)/no/folder") }
  }

  @Test func aSecondProcessFindsTheKeyOfTheFirst() async throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/key"
    let fingerprints = try await withThrowingTaskGroup(of: [UInt8].self) { group in
      for _ in 0..<8 { group.addTask { try SealingKey(file: path).fingerprint([1]) } }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(fingerprints.count == 1)
  }
}
