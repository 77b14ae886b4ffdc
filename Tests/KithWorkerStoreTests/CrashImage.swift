import Glibc
import KithSealing
import KithStore
import KithTesting

/// The files of a store as a process leaves them that is killed at this very instruction: what it
/// has written so far, in the file and in the write-ahead log, and no more.
final class CrashImage: Sendable {
  let folder: TemporaryFolder

  /// Copies the files; to be called where nobody else writes them.
  init(of original: TemporaryFolder) throws {
    folder = try TemporaryFolder()
    // The index of the log is left out: the next process makes it anew, as after any crash.
    for name in TemporaryFolder.names(in: original.path) where !name.hasSuffix("-shm") {
      let file = open("\(original.path)/\(name)", O_RDONLY | O_CLOEXEC)
      guard file >= 0 else { continue }
      defer { close(file) }
      var status = stat()
      fstat(file, &status)
      var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
      _ = read(file, &bytes, bytes.count)
      try folder.write(bytes, to: name, mode: 0o600)
    }
  }
}

extension TemporaryFolder {
  /// A store in this folder, with what tests write into it.
  func store() throws -> Store {
    let file = KeyRingFile(path: "\(path)/\(KeyRingFile.name)")
    try file.makeIfMissing()
    return try Store(
      path: "\(path)/\(Store.fileName)", keys: try SealingKeys(file: file, worker: "test"),
      migrations: [Seen.migration])
  }
}
