import GRDB
import Glibc

/// Opens files in the folder of a worker.
///
/// The worker may put anything there: a symbolic link to a file outside its sandbox, which a
/// command of the operator would follow, or a FIFO, at which it would wait without end. Only
/// regular files are opened, and no link is followed.
enum RegularFile {
  /// Opens a file, or makes it where the flags say so, closed on exec.
  /// - Throws: ``StoreError``, `unusable` when it is something else than a regular file.
  static func open(
    _ path: String, _ flags: Int32, mode: mode_t = 0o600
  ) throws(StoreError) -> Int32 {
    let file = Glibc.open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, mode)
    guard file >= 0 else {
      // What is opened for writing and has no reader, or is a link.
      throw errno == ELOOP || errno == ENXIO ? notRegular(path) : StoreError(system: path)
    }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(file)
      throw notRegular(path)
    }
    return file
  }

  /// The size of a file in bytes; nil when there is none, or what is there is not a regular file.
  static func size(_ path: String) -> Int? {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
      ? Int(status.st_size) : nil
  }

  /// The first path of `PATH-1`, `PATH-2`, ... at which there is nothing, not even a link that
  /// leads nowhere.
  static func freePath(numbering path: String) -> String {
    var status = stat()
    var number = 1
    while lstat("\(path)-\(number)", &status) == 0 { number += 1 }
    return "\(path)-\(number)"
  }

  /// Some bytes of a file; nil when it has not so many.
  static func bytes(of path: String, at offset: Int, count: Int) -> [UInt8]? {
    guard let file = try? open(path, O_RDONLY) else { return nil }
    defer { close(file) }
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      initialized = max(0, pread(file, buffer.baseAddress, count, off_t(offset)))
    }
    return bytes.count == count ? bytes : nil
  }

  /// Checks that a database and the files that SQLite keeps beside it are regular files, as far as
  /// they are there.
  /// - Throws: ``StoreError`` `unusable`.
  static func checkDatabase(_ path: String) throws(StoreError) {
    for suffix in [""] + DurableCopy.besideSuffixes {
      var status = stat()
      guard lstat(path + suffix, &status) == 0 else { continue }
      guard status.st_mode & S_IFMT == S_IFREG else { throw notRegular(path + suffix) }
    }
  }

  /// Opens the database in a worker's folder for a command of the operator.
  ///
  /// SQLite follows a link at the path of a database (and none at that of a journal), and the
  /// worker may run and put one in place behind the check. So the descriptors are looked at too: a
  /// file that was opened through a link is another one.
  /// - Throws: ``StoreError`` `unusable` when a file of it is not a regular file of that folder;
  ///   what GRDB throws.
  static func openDatabase(_ path: String, _ configuration: Configuration) throws -> DatabaseQueue {
    try checkDatabase(path)
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    try checkIsOpen(path)
    return queue
  }

  /// Checks that the file at a path is one that this process has open.
  /// - Throws: ``StoreError`` `unusable`.
  static func checkIsOpen(_ path: String) throws(StoreError) {
    guard isOpen(path) else { throw notRegular(path) }
  }

  private static func isOpen(_ path: String) -> Bool {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
    return Folder.names(in: "/proc/self/fd").compactMap { Int32($0) }.contains { descriptor in
      var open = stat()
      return fstat(descriptor, &open) == 0 && open.st_dev == status.st_dev
        && open.st_ino == status.st_ino
    }
  }

  private static func notRegular(_ path: String) -> StoreError {
    StoreError(
      .unusable,
      "\(path) is not a regular file, and a worker's store consists of regular files only: the worker, or what runs as its "
        + "user, has put it there; look at it, remove it, and repeat the command")
  }
}
