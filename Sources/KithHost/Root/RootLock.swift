import Glibc

/// The right to run a product's workers in a root: a lock that the kernel takes back when its
/// holder is gone, however it ended. The file says who holds it; it stays behind and means nothing
/// without the lock.
///
/// The folder of the file is locked as well, so that nobody can take a root by removing the file.
/// Neither keeps anybody from moving the folder away and making another one of its name: `check`
/// finds that out.
final class RootLock: Sendable {
  /// Why the lock was not taken.
  enum Failure: Error, Hashable {
    /// Another process holds it; its pid when the file says so.
    case held(byPid: Int32?)
    /// The file cannot be opened or written.
    case system(SystemError)
  }

  /// Whether the root is still this lock's.
  enum Standing: Hashable {
    /// The file is where it was.
    case held
    /// The file was removed, or another was put in its place, and is there again.
    case renewed
    /// The folder is not where it was: it was moved or removed, and what is there now, if anything,
    /// is another's.
    case lost
  }

  private let path: String
  private let descriptor: Descriptor
  private let folder: Descriptor

  /// Takes the lock and holds it for as long as this object lives.
  init(path: String) throws(Failure) {
    self.path = path
    do throws(SystemError) {
      if let held = Self.inherited(path) {
        descriptor = held
      } else {
        descriptor = try Descriptor.open(path, O_RDWR | O_CREAT)
      }
      folder = try Descriptor.open(Self.folder(of: path), O_RDONLY | O_DIRECTORY)
    } catch {
      throw .system(error)
    }
    try Self.lock(descriptor, path) { Self.holder(path: path) }
    do throws(Failure) {
      try Self.lock(folder, Self.folder(of: path)) { [folder] in Self.holder(of: folder) }
    } catch {
      // A file system that locks no folders (NFS): the file's lock must do.
      if case .held = error { throw error }
    }
    do throws(SystemError) {
      try writeHolder()
    } catch {
      throw .system(error)
    }
  }

  /// How long the lock of a host that is gone is waited for. A process that it was starting when it
  /// was killed holds its files, the lock among them, until it has become another program.
  private static let patience = Duration.seconds(5)

  private static func lock(
    _ descriptor: Descriptor, _ path: String, holder: () -> Int32?
  ) throws(Failure) {
    let end = ContinuousClock.now + patience
    while flock(descriptor.number, LOCK_EX | LOCK_NB) != 0 {
      switch errno {
      case EINTR: continue
      case EWOULDBLOCK:
        let pid = holder()
        guard let pid, pid > 0, ProcessIdentity.hasEnded(pid: pid), .now < end else {
          throw .held(byPid: pid)
        }
        usleep(2_000)
      default: throw .system(SystemError("lock \(path)"))
      }
    }
  }

  private func writeHolder() throws(SystemError) {
    guard ftruncate(descriptor.number, 0) == 0 else { throw SystemError("write \(path)") }
    let line = Array("\(getpid())\n".utf8)
    guard pwrite(descriptor.number, line, line.count, 0) == line.count else {
      throw SystemError("write \(path)")
    }
  }

  /// Looks whether the root is still this lock's, and has the file be there again when only that
  /// was removed.
  func check() -> Standing {
    if Self.isSame(descriptor, path) { return .held }
    guard Self.isSame(folder, Self.folder(of: path)) else { return .lost }
    // Nobody else can have the root for as long as the folder is locked, whatever file they find or
    // make in it.
    guard let fresh = try? Descriptor.open(path + ".new", O_RDWR | O_CREAT),
      flock(fresh.number, LOCK_EX | LOCK_NB) == 0,
      rename(path + ".new", path) == 0,
      // The same number: a program that this process becomes is told it.
      dup2(fresh.number, descriptor.number) >= 0,
      fcntl(descriptor.number, F_SETFD, FD_CLOEXEC) == 0
    else { return .held }
    try? writeHolder()
    return .renewed
  }

  private static func folder(of path: String) -> String {
    let folder = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
    return folder.isEmpty ? "/" : String(folder)
  }

  private static func isSame(_ descriptor: Descriptor, _ path: String) -> Bool {
    var (held, named) = (stat(), stat())
    return fstat(descriptor.number, &held) == 0 && stat(path, &named) == 0
      && held.st_dev == named.st_dev && held.st_ino == named.st_ino
  }

  /// The number of the descriptor that holds the lock: a program that this process becomes can go
  /// on with it.
  var number: Int32 { descriptor.number }

  /// The lock as the program held it that this process was before; nil when it was none.
  private static func inherited(_ path: String) -> Descriptor? {
    guard let text = getenv(HostProgram.lockVariable), let number = Int32(String(cString: text))
    else { return nil }
    unsetenv(HostProgram.lockVariable)
    var (held, named) = (stat(), stat())
    guard number > 2, fstat(number, &held) == 0, stat(path, &named) == 0,
      held.st_dev == named.st_dev, held.st_ino == named.st_ino,
      fcntl(number, F_SETFD, FD_CLOEXEC) == 0
    else { return nil }
    return Descriptor(taking: number)
  }

  /// Whether anybody holds the lock, without trying to: who tries may be what another host finds in
  /// its way.
  static func isHeld(path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0, let locks = ProcessFile.text("/proc/locks") else {
      return false
    }
    return pid(in: locks, of: status) != nil
  }

  /// The pid that holds a lock on an open file; nil when nobody does, or it is not known.
  private static func holder(of descriptor: Descriptor) -> Int32? {
    var status = stat()
    guard fstat(descriptor.number, &status) == 0, let locks = ProcessFile.text("/proc/locks") else {
      return nil
    }
    return pid(in: locks, of: status)
  }

  private static func pid(in locks: String, of status: stat) -> Int32? {
    // `1: FLOCK ADVISORY WRITE 4711 fd:00:1234 0 EOF`, as in proc(5).
    for line in locks.split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.count > 5, words[1] == "FLOCK",
        words[5].split(separator: ":").last.flatMap({ UInt($0) }) == UInt(status.st_ino)
      {
        return Int32(words[4]) ?? 0
      }
    }
    return nil
  }

  /// The pid in a lock file.
  static func holder(path: String) -> Int32? {
    guard let text = ProcessFile.text(path), let line = text.split(separator: "\n").first else {
      return nil
    }
    return Int32(line)
  }
}
