import Glibc

/// The right to run a product's workers in a root: a lock that the kernel takes back when its holder is gone, however it
/// ended. The file says who holds it; it stays behind and means nothing without the lock.
final class RootLock: Sendable {
  /// Why the lock was not taken.
  enum Failure: Error, Hashable {
    /// Another process holds it; its pid when the file says so.
    case held(byPid: Int32?)
    /// The file cannot be opened or written.
    case system(SystemError)
  }

  private let descriptor: Descriptor

  /// Takes the lock and holds it for as long as this object lives.
  init(path: String) throws(Failure) {
    do throws(SystemError) {
      if let held = Self.inherited(path) {
        descriptor = held
      } else {
        descriptor = try Descriptor.open(path, O_RDWR | O_CREAT)
      }
    } catch {
      throw .system(error)
    }
    while flock(descriptor.number, LOCK_EX | LOCK_NB) != 0 {
      switch errno {
      case EINTR: continue
      case EWOULDBLOCK: throw .held(byPid: Self.holder(path: path))
      default: throw .system(SystemError("lock \(path)"))
      }
    }
    do throws(SystemError) {
      guard ftruncate(descriptor.number, 0) == 0 else { throw SystemError("write \(path)") }
      try descriptor.writeAll(Array("\(getpid())\n".utf8), to: path)
    } catch {
      throw .system(error)
    }
  }

  /// The number of the descriptor that holds the lock: a program that this process becomes can go on with it.
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

  /// Whether anybody holds the lock, without trying to: who tries may be what another host finds in its way.
  static func isHeld(path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0, let locks = ProcessFile.text("/proc/locks") else {
      return false
    }
    // `1: FLOCK ADVISORY WRITE 4711 fd:00:1234 0 EOF`, as in proc(5).
    return locks.split(separator: "\n").contains { line in
      let words = line.split(separator: " ")
      return words.count > 5 && words[1] == "FLOCK"
        && words[5].split(separator: ":").last.flatMap { UInt($0) } == UInt(status.st_ino)
    }
  }

  /// The pid in a lock file.
  static func holder(path: String) -> Int32? {
    guard let text = ProcessFile.text(path), let line = text.split(separator: "\n").first else {
      return nil
    }
    return Int32(line)
  }
}
