import Glibc

/// Whole files of a database, copied and removed.
enum DurableCopy {
  /// Copies a file to a new one that only its owner can read, and waits until it is on the disk.
  static func copy(_ source: String, to target: String) throws(StoreError) {
    let from = open(source, O_RDONLY | O_CLOEXEC)
    guard from >= 0 else { throw failure(source) }
    defer { close(from) }
    let to = open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard to >= 0 else { throw failure(target) }
    defer { close(to) }
    while true {
      let count = sendfile(to, from, nil, 1 << 20)
      guard count >= 0 else { throw failure(target) }
      if count == 0 { break }
    }
    guard fsync(to) == 0 else { throw failure(target) }
    try syncFolder(of: target)
  }

  /// Removes a database file with its write-ahead log and index; what is not there is no matter.
  static func removeDatabase(_ path: String) {
    for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) }
  }

  /// Waits until what was made, renamed or removed in the folder of a file is on the disk.
  static func syncFolder(of path: String) throws(StoreError) {
    let folder = open(Store.folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw failure(path) }
    defer { close(folder) }
    guard fsync(folder) == 0 else { throw failure(path) }
  }

  private static func failure(_ path: String) -> StoreError {
    let code = errno
    return StoreError(
      code == ENOSPC || code == EDQUOT ? .full : .inputOutput,
      "\(path): \(String(cString: strerror(code)))")
  }
}
