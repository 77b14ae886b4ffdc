import Glibc

/// Whole files of a database, copied and removed.
enum DurableCopy {
  /// Copies a file to a new one that only its owner can read, and waits until it is on the disk.
  static func copy(_ source: String, to target: String) throws(StoreError) {
    let from = open(source, O_RDONLY | O_CLOEXEC)
    guard from >= 0 else { throw StoreError(system: source) }
    defer { close(from) }
    let to = open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard to >= 0 else { throw StoreError(system: target) }
    defer { close(to) }
    while true {
      let count = sendfile(to, from, nil, 1 << 20)
      guard count >= 0 else { throw StoreError(system: target) }
      if count == 0 { break }
    }
    guard fsync(to) == 0 else { throw StoreError(system: target) }
    try syncFolder(of: target)
  }

  /// Writes a whole new file that only its owner can read, and waits until its content is on the disk.
  static func write(_ bytes: [UInt8], to path: String) throws(StoreError) {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw StoreError(system: path) }
    defer { close(file) }
    guard Glibc.write(file, bytes, bytes.count) == bytes.count, fsync(file) == 0 else {
      throw StoreError(system: path)
    }
  }

  /// Waits until the content of a file is on the disk.
  static func sync(_ path: String) throws(StoreError) {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw StoreError(system: path) }
    defer { close(file) }
    guard fsync(file) == 0 else { throw StoreError(system: path) }
  }

  /// Removes a database file with its write-ahead log and index; what is not there is no matter.
  static func removeDatabase(_ path: String) {
    for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) }
  }

  /// Waits until what was made, renamed or removed in the folder of a file is on the disk.
  static func syncFolder(of path: String) throws(StoreError) {
    let folder = open(Store.folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw StoreError(system: path) }
    defer { close(folder) }
    guard fsync(folder) == 0 else { throw StoreError(system: path) }
  }
}
