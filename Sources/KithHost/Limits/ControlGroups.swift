import CLinux
import Glibc
import KithManifest

/// The control groups of version 2 that are this host's to divide among its workers (cgroups(7)): a
/// group of the host's own, and below it one for each process of a worker with all that it starts.
///
/// Under systemd the host's unit says `Delegate=yes`. Elsewhere a user may have been given a group,
/// and root may divide that which it runs in where no systemd minds them.
struct ControlGroups: Sendable {
  /// What the kernel can keep of a group, as far as workers are concerned.
  enum Controller: String, Sendable, CaseIterable {
    case memory, pids, cpu
  }

  /// The host's own group, below which it makes those of its workers.
  private let folder: String
  /// What can be kept of them.
  let controllers: Set<Controller>

  /// Takes hold of the group that this process runs in.
  /// - Throws: why it is not this host's to divide.
  init() throws(SystemError) {
    let base = try Self.ownGroup()
    guard Self.mayDivide(base) else {
      throw SystemError("divide the control group \(base), which is somebody else's", code: EPERM)
    }
    ControlGroup.removeLeftovers(in: base)
    folder = "\(base)/\(ControlGroup.hostPrefix)\(getpid())"
    if mkdir(folder, 0o755) != 0 && errno != EEXIST {
      throw SystemError("make the control group \(folder)")
    }
    let offered = Self.enable(Self.controllers(in: base), in: base)
    controllers = Self.enable(offered, in: folder)
  }

  /// Makes the group of a process that is to be started.
  func make(_ name: String, _ limits: ResourceLimits) throws(SystemError) -> ControlGroup {
    let group = ControlGroup(folder: "\(folder)/\(name)")
    if mkdir(group.folder, 0o755) != 0 && errno != EEXIST {
      throw SystemError("make the control group \(group.folder)")
    }
    do throws(SystemError) {
      for (file, value) in Self.settings(limits, controllers) { try group.write(value, to: file) }
    } catch {
      group.remove()
      throw error
    }
    return group
  }

  /// Gives the host's own group back; it must be empty.
  func remove() {
    rmdir(folder)
  }

  /// What must be written where for limits to be kept, as far as they can be.
  static func settings(
    _ limits: ResourceLimits, _ controllers: Set<Controller>
  ) -> [(file: String, value: String)] {
    var settings: [(file: String, value: String)] = []
    if controllers.contains(.memory) {
      if let most = limits.memoryBytes {
        settings.append(("memory.max", String(most)))
        // Its memory is what it may have; with more on disk it would only end later and slower.
        settings.append(("memory.swap.max", "0"))
      }
      if let high = limits.memoryHighBytes { settings.append(("memory.high", String(high))) }
      // A worker of which a part was killed is no worker.
      settings.append(("memory.oom.group", "1"))
    }
    if controllers.contains(.pids) {
      settings.append(("pids.max", String(limits.mostProcesses)))
    }
    if controllers.contains(.cpu) {
      if let processors = limits.processors {
        settings.append(("cpu.max", "\(Int64((processors * 100_000).rounded())) 100000"))
      }
      if let weight = limits.processorWeight { settings.append(("cpu.weight", String(weight))) }
    }
    return settings
  }

  /// Which of the limits need a controller that there is not.
  static func unkept(
    _ limits: ResourceLimits, _ controllers: Set<Controller>
  ) -> [Controller: [String]] {
    var needed: [Controller: [String]] = [:]
    if limits.memoryBytes != nil { needed[.memory, default: []].append("memory") }
    if limits.memoryHighBytes != nil { needed[.memory, default: []].append("memory_high") }
    if limits.processes != nil { needed[.pids, default: []].append("processes") }
    if limits.processors != nil { needed[.cpu, default: []].append("cpu") }
    if limits.processorWeight != nil { needed[.cpu, default: []].append("cpu_weight") }
    return needed.filter { !controllers.contains($0.key) }
  }

  // MARK: The host's place

  /// The group that an earlier host made for a process, which still runs in it; nil when it runs in
  /// none such.
  func group(of pid: Int32, named name: String) -> ControlGroup? {
    guard let folder = try? Self.group(of: "\(pid)") else { return nil }
    let parts = folder.split(separator: "/")
    guard parts.count > 1, parts[parts.count - 1] == name,
      parts[parts.count - 2].hasPrefix(ControlGroup.hostPrefix)
    else { return nil }
    return ControlGroup(folder: folder)
  }

  /// The folder of the group that this process runs in, or did before it moved below its own.
  private static func ownGroup() throws(SystemError) -> String {
    let folder = try group(of: "self")
    let below = "/\(ControlGroup.hostPrefix)\(getpid())/host"
    return folder.hasSuffix(below) ? String(folder.dropLast(below.count)) : folder
  }

  /// The folder of the group that a process runs in.
  private static func group(of process: String) throws(SystemError) -> String {
    let mounts = String(
      decoding: try DurableFile.read("/proc/self/mountinfo") ?? [], as: UTF8.self)
    // `41 31 0:38 / /sys/fs/cgroup rw,relatime - cgroup2 cgroup2 rw`
    let mount = mounts.split(separator: "\n").first { $0.contains(" - cgroup2 ") }?
      .split(separator: " ").dropFirst(4).first
    let own = (ProcessFile.text("/proc/\(process)/cgroup") ?? "").split(separator: "\n")
      .first { $0.hasPrefix("0::/") }?.dropFirst(3)
    guard let mount, let own else {
      throw SystemError("find control groups of version 2", code: ENOENT)
    }
    var path = own
    while path.last == "/" { path = path.dropLast() }
    return "\(mount)\(path)"
  }

  /// Whether a group is this host's to divide.
  static func mayDivide(_ folder: String) -> Bool {
    guard access("\(folder)/cgroup.procs", W_OK) == 0, access(folder, W_OK) == 0 else {
      return false
    }
    // For root everything is open: what systemd has not given away is systemd's.
    return geteuid() != 0 || access("/run/systemd/system", F_OK) != 0
      || kith_linux_is_delegated(folder) != 0
  }

  private static func controllers(in folder: String) -> Set<Controller> {
    let names = (ProcessFile.text("\(folder)/cgroup.controllers") ?? "").split(
      whereSeparator: \.isWhitespace)
    return Set(names.compactMap { Controller(rawValue: String($0)) })
  }

  /// Has the kernel keep these of the groups below; answers those that it does.
  private static func enable(_ wanted: Set<Controller>, in folder: String) -> Set<Controller> {
    let group = ControlGroup(folder: folder)
    return wanted.filter { controller in
      do throws(SystemError) {
        try group.write("+\(controller.rawValue)", to: "cgroup.subtree_control")
        return true
      } catch {
        guard error.code == EBUSY else { return false }
      }
      // Nothing can be kept of groups below one with processes of its own: the host moves into one
      // of them.
      let own = "\(folder)/\(ControlGroup.hostPrefix)\(getpid())/host"
      mkdir(own, 0o755)
      do throws(SystemError) {
        try ControlGroup(folder: own).write("0", to: "cgroup.procs")
        try group.write("+\(controller.rawValue)", to: "cgroup.subtree_control")
        return true
      } catch {
        return false
      }
    }
  }
}
