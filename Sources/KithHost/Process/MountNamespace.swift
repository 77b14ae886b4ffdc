import Glibc

/// The mount namespace that a process has for itself, with all that it starts: no process can leave
/// it, whatever it takes off itself.
///
/// Held for as long as this object lives, so that its number becomes no other's meanwhile.
final class MountNamespace: Sendable {
  private let descriptor: Descriptor
  private let number: ino_t

  /// The namespace of a process; nil when that is this process's own, or the kernel does not let it
  /// be known.
  init?(ofPid pid: Int32) {
    guard let descriptor = try? Descriptor.open("/proc/\(pid)/ns/mnt", O_RDONLY) else { return nil }
    var status = stat()
    guard fstat(descriptor.number, &status) == 0, Self.number(of: "self") != status.st_ino else {
      return nil
    }
    self.descriptor = descriptor
    number = status.st_ino
  }

  /// Whether a process is in it.
  func holds(_ pid: Int32) -> Bool { Self.number(of: "\(pid)") == number }

  private static func number(of process: String) -> ino_t? {
    var status = stat()
    return stat("/proc/\(process)/ns/mnt", &status) == 0 ? status.st_ino : nil
  }
}
