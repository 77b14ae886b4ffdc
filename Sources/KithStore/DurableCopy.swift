import Glibc

/// Whole files of a database, copied and removed.
enum DurableCopy {
  /// The ends of the names of the files that SQLite keeps beside a database.
  static let besideSuffixes = ["-wal", "-shm", "-journal"]

  /// Copies a file to one that only its owner can read, and waits until it is on the disk.
  static func copy(_ source: String, to target: String) throws(StoreError) {
    let from = try RegularFile.open(source, O_RDONLY)
    defer { close(from) }
    let to = try RegularFile.open(target, O_WRONLY | O_CREAT | O_TRUNC)
    defer { close(to) }
    while true {
      let count = sendfile(to, from, nil, 1 << 20)
      guard count >= 0 else { throw StoreError(system: target) }
      if count == 0 { break }
    }
    guard fsync(to) == 0 else { throw StoreError(system: target) }
    try syncFolder(of: target)
  }

  /// Writes a whole new file that only its owner can read, and waits until its content is on the
  /// disk.
  static func write(_ bytes: [UInt8], to path: String) throws(StoreError) {
    let file = try RegularFile.open(path, O_WRONLY | O_CREAT | O_TRUNC)
    defer { close(file) }
    guard Glibc.write(file, bytes, bytes.count) == bytes.count, fsync(file) == 0 else {
      throw StoreError(system: path)
    }
  }

  /// Puts a file with that content in the place of another, or of none: a loss of power leaves the
  /// one or the other.
  static func replace(_ path: String, with bytes: [UInt8]) throws(StoreError) {
    let draft = "\(path).draft"
    try write(bytes, to: draft)
    guard rename(draft, path) == 0 else { throw StoreError(system: path) }
    try syncFolder(of: path)
  }

  /// Waits until the content of a file is on the disk.
  static func sync(_ path: String) throws(StoreError) {
    let file = try RegularFile.open(path, O_RDONLY)
    defer { close(file) }
    guard fsync(file) == 0 else { throw StoreError(system: path) }
  }

  /// Removes a database file with its write-ahead log and index; what is not there is no matter.
  static func removeDatabase(_ path: String) {
    for suffix in [""] + besideSuffixes { unlink(path + suffix) }
  }

  /// Waits until what was made, renamed or removed in the folder of a file is on the disk.
  static func syncFolder(of path: String) throws(StoreError) {
    let folder = open(Store.folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw StoreError(system: path) }
    defer { close(folder) }
    guard fsync(folder) == 0 else { throw StoreError(system: path) }
  }
}
