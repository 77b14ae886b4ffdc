import Glibc
import WorkerContract

extension ProcessIdentity {
  /// What the kernel says about this process. A part that it does not say (a container without
  /// /proc) stays empty.
  static func current() -> ProcessIdentity {
    ProcessIdentity(
      pid: getpid(),
      startTimeTicks: file("/proc/self/stat").flatMap(startTime(inStat:)) ?? 0,
      bootId: file("/proc/sys/kernel/random/boot_id")?.trimmingSuffix("\n") ?? "")
  }

  /// Field 22 of a process's `stat`. The second is the program's name in parentheses, which may
  /// hold anything, also spaces and parentheses, so the fields are counted from the last closing
  /// one.
  static func startTime(inStat stat: String) -> UInt64? {
    guard let end = stat.lastIndex(of: ")") else { return nil }
    let fields = stat[stat.index(after: end)...].split(separator: " ")
    let startTime = 22 - 3
    return fields.indices.contains(startTime) ? UInt64(fields[startTime]) : nil
  }

  private static func file(_ path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    let largest = 4096
    let bytes = [UInt8](unsafeUninitializedCapacity: largest) { buffer, initialized in
      initialized = max(0, read(descriptor, buffer.baseAddress, largest))
    }
    return String(validating: bytes, as: UTF8.self)
  }
}

extension String {
  fileprivate func trimmingSuffix(_ suffix: String) -> String {
    hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
  }
}
