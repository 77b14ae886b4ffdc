import Glibc

/// A file system of its own below a folder, small enough to be full: a tmpfs, unmounted with the
/// last reference.
///
/// What is written to it when it is full fails as on any full disk, with ENOSPC.
final class SmallDisk: Sendable {
  private let folder: TemporaryFolder
  private let path: String

  /// Mounts it, which takes the right to.
  init(at name: String, in folder: TemporaryFolder, mebibytes: Int) throws(TestingError) {
    try folder.makeFolder(name, mode: 0o700)
    self.folder = folder
    path = "\(folder.path)/\(name)"
    guard mount("tmpfs", path, "tmpfs", 0, "size=\(mebibytes)m,mode=700") == 0 else {
      throw TestingError(
        "cannot mount a small disk at \(path): \(String(cString: strerror(errno))); only root may")
    }
  }

  deinit { umount2(path, Int32(MNT_DETACH)) }

  private var ballast: String { "\(path)/ballast" }

  /// Takes all the room that there is.
  func fill() throws(TestingError) {
    let file = open(ballast, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw TestingError("cannot write \(ballast)") }
    defer { close(file) }
    lseek(file, 0, SEEK_END)
    let block = [UInt8](repeating: 0, count: 4096)
    while write(file, block, block.count) > 0 {}
  }

  /// Gives it back.
  func empty() { unlink(ballast) }
}
