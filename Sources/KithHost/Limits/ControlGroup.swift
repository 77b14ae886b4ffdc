import CLinux
import Glibc

/// The control group of one process of a worker, with all that it started.
struct ControlGroup: Sendable, Hashable {
  /// Its folder.
  let folder: String

  /// What the name of a host's group begins with; its pid follows.
  static let hostPrefix = "kith."

  /// Removes what hosts that are gone left behind in a folder, where nothing runs any more.
  static func removeLeftovers(in base: String) {
    for name in (try? DurableFile.names(in: base)) ?? [] where name.hasPrefix(hostPrefix) {
      guard let pid = Int32(name.dropFirst(hostPrefix.count)), Glibc.kill(pid, 0) != 0,
        errno == ESRCH
      else { continue }
      let folder = "\(base)/\(name)"
      for below in (try? DurableFile.names(in: folder)) ?? [] { rmdir("\(folder)/\(below)") }
      rmdir(folder)
    }
  }

  /// The folder, for a process that is to be born in it.
  func open() throws(SystemError) -> Descriptor {
    try Descriptor.open(folder, O_RDONLY | O_DIRECTORY)
  }

  /// Kills all that is in it, wherever that went, at once.
  func kill() {
    do throws(SystemError) {
      try write("1", to: "cgroup.kill")
    } catch {
      // Without this file, before Linux 5.14 and in version 1, one after the other.
      for pid in members {
        let number = kith_linux_pidfd_open(pid)
        guard number >= 0 else { continue }
        let pidfd = Descriptor(taking: number)
        // Asked again with the pidfd in hand, so that it cannot be another process's that got the
        // pid meanwhile.
        if members.contains(pid) { kith_linux_pidfd_send_signal(pidfd.number, SIGKILL) }
      }
    }
  }

  private var members: Set<Int32> {
    let pids = ProcessFile.text("\(folder)/cgroup.procs") ?? ""
    return Set(pids.split(separator: "\n").compactMap { Int32($0) })
  }

  /// Whether the kernel killed something in it for want of memory; nil when it does not say.
  var ranOutOfMemory: Bool? {
    guard let text = ProcessFile.text("\(folder)/memory.events") else { return nil }
    return text.split(separator: "\n").contains { line in
      line.hasPrefix("oom_kill ") && line != "oom_kill 0"
    }
  }

  /// Kills what is left in it and removes it. May take milliseconds: what was killed has to end.
  func end() {
    for _ in 0..<1000 {
      kill()
      if rmdir(folder) == 0 || errno == ENOENT { return }
      poll(nil, 0, 1)
    }
  }

  /// Removes it, empty as it is.
  func remove() {
    rmdir(folder)
  }

  /// Writes a setting.
  func write(_ value: String, to file: String) throws(SystemError) {
    let path = "\(folder)/\(file)"
    let descriptor = try Descriptor.open(path, O_WRONLY)
    let bytes = Array(value.utf8)
    guard Glibc.write(descriptor.number, bytes, bytes.count) == bytes.count else {
      throw SystemError("write \(value) to \(path)")
    }
  }
}
