import CLinux
import Glibc

/// The control groups of version 1 that bound how many processes and threads a worker has, where
/// version 2 has no controller for it: one for each process of a worker with all that it starts,
/// below the group that this host runs in.
struct CountingGroups: Sendable {
  /// The host's own group, below which it makes those of its workers.
  private let folder: String

  /// Takes hold of the group that this process runs in; nil where there is none that it may divide.
  init?() {
    guard let base = Self.group(of: "self"), ControlGroups.mayDivide(base) else { return nil }
    ControlGroup.removeLeftovers(in: base)
    folder = "\(base)/\(ControlGroup.hostPrefix)\(getpid())"
    guard mkdir(folder, 0o755) == 0 || errno == EEXIST else { return nil }
  }

  /// Makes the group of a process that is to be started.
  func make(_ name: String, mostProcesses: Int) throws(SystemError) -> ControlGroup {
    let group = ControlGroup(folder: "\(folder)/\(name)")
    if mkdir(group.folder, 0o755) != 0 && errno != EEXIST {
      throw SystemError("make the control group \(group.folder)")
    }
    do throws(SystemError) {
      try group.write(String(mostProcesses), to: "pids.max")
    } catch {
      group.remove()
      throw error
    }
    return group
  }

  /// The group that an earlier host made for a process, which still runs in it; nil when it runs in
  /// none such.
  static func group(of pid: Int32, named name: String) -> ControlGroup? {
    guard let folder = group(of: "\(pid)") else { return nil }
    let names = folder.split(separator: "/").suffix(2)
    guard names.count == 2, names.last.map(String.init) == name,
      names.first?.hasPrefix(ControlGroup.hostPrefix) == true
    else { return nil }
    return ControlGroup(folder: folder)
  }

  /// Gives the host's own group back; it must be empty.
  func remove() { rmdir(folder) }

  /// The folder of the group that a process runs in.
  private static func group(of process: String) -> String? {
    // `35 28 0:31 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids`
    let mounts = (ProcessFile.text("/proc/self/mountinfo") ?? "").split(separator: "\n")
    let mount = mounts.last { line in
      line.contains(" - cgroup ")
        && line.split(separator: " ").last?.split(separator: ",").contains("pids") == true
    }?.split(separator: " ")
    // `8:pids:/system.slice`
    let own = (ProcessFile.text("/proc/\(process)/cgroup") ?? "").split(separator: "\n")
      .map { $0.split(separator: ":", maxSplits: 2) }
      .first { $0.count == 3 && $0[1].split(separator: ",").contains("pids") }
    guard let mount, mount.count > 4, let path = own?[2] else { return nil }
    // What is mounted may be a part, as in a container.
    let below = mount[3] == "/" || !path.hasPrefix(mount[3]) ? path : path.dropFirst(mount[3].count)
    let folder = "\(mount[4])\(below)"
    return folder.hasSuffix("/") ? String(folder.dropLast()) : folder
  }
}
