import Glibc

/// Tells the processes that use the files of a folder from one that must have them to itself, by
/// `flock` on the folder.
///
/// It is gone when the last reference is, or its process.
final class FolderLock: Sendable {
  enum Kind {
    /// Held by each process that uses the files.
    case shared
    /// Held by one that replaces or removes them.
    case exclusive
  }

  private let descriptor: Int32

  /// Takes the lock, without waiting.
  /// - Throws: ``StoreError`` `busy` when others hold it.
  init(_ folder: String, _ kind: Kind) throws(StoreError) {
    descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw StoreError(
        .unusable, "\(folder) cannot be opened: \(String(cString: strerror(errno)))")
    }
    guard flock(descriptor, (kind == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0 else {
      let code = errno
      close(descriptor)
      guard code == EWOULDBLOCK else {
        throw StoreError(
          .unusable, "\(folder) cannot be locked: \(String(cString: strerror(code)))")
      }
      throw StoreError(
        .busy,
        kind == .shared
          ? "\(folder) is being restored or erased; start the worker when that is done"
          : "\(folder) is in use by a running worker; end it first")
    }
  }

  deinit { close(descriptor) }
}
