import CLinux
import Glibc

/// What a process may reach of the machine: files by path, other processes, the kernel, and the
/// network.
///
/// Landlock keeps most of it, a part of the kernel (landlock(7)) that needs no privileges; a filter
/// of system calls what has no path, and a private root what Landlock does not look at. A process
/// cannot leave its confinement, nor can any that it starts. Where the kernel has no Landlock, or
/// an older one, what it can keep is kept.
struct Confinement: Sendable, Hashable {
  /// Files, and folders with all beneath them, that may be read, and run.
  var readable: [String] = []
  /// Folders in which files may be made, changed and removed.
  var writable: [String] = []
  /// Folders whose sockets may be connected to, and in which nothing may be read, made or removed.
  var visible: [String] = []
  /// Folders in which sockets may be made and removed.
  var socketFolders: [String] = []
  /// Devices that may be read and written.
  var devices: [String] = []
  /// TCP ports at which it may listen; nil for any.
  var listeningPorts: [UInt16]? = nil
  /// TCP ports of other machines that it may connect to; nil for any.
  var outboundPorts: [UInt16]? = nil
  /// Whether files are confined at all.
  var confinesFiles = false
  /// Whether signals, and sockets without a path, reach only what is confined together with it.
  var keepsToItself = false
  /// Whether there is a filter of system calls.
  var confinesCalls = false
  /// How it gets a root in which there is only what it may reach; nil for the machine's.
  var root: PrivateRoot.Way?

  /// No sockets but those of this machine, whatever the protocol: a filter of system calls keeps
  /// that.
  var isOffTheNetwork: Bool { listeningPorts?.isEmpty == true && outboundPorts?.isEmpty == true }

  /// The version of Landlock that this kernel has; 0 without it.
  static let landlockVersion = max(0, Int(kith_linux_landlock_version()))

  /// The rules for the kernel; nil where there is nothing to keep or nothing to keep it with.
  ///
  /// A path that does not exist is no error: there is nothing to reach.
  func ruleset(version: Int = landlockVersion) throws(SystemError) -> Descriptor? {
    let files = confinesFiles ? Rights.ofFiles(version: version) : 0
    var ports: UInt64 = 0
    if version >= 4 {
      if listeningPorts != nil { ports |= Rights.listen }
      if outboundPorts != nil { ports |= Rights.connect }
    }
    let scopes = keepsToItself && version >= 6 ? Rights.abstractSockets | Rights.signals : 0
    guard version >= 1, files != 0 || ports != 0 || scopes != 0 else { return nil }
    let number = kith_linux_landlock_ruleset(files, ports, scopes)
    guard number >= 0 else { throw SystemError("make a Landlock ruleset") }
    let ruleset = Descriptor(taking: number)
    for (paths, rights) in [
      (readable, Rights.read), (writable, ~Rights.makeDevice), (socketFolders, Rights.sockets),
      (devices, Rights.device),
    ] where confinesFiles {
      for path in paths { try ruleset.allow(path, rights & files) }
    }
    for port in listeningPorts ?? [] where ports != 0 {
      try ruleset.allow(port: port, Rights.listen)
    }
    for port in outboundPorts ?? [] where ports != 0 {
      try ruleset.allow(port: port, Rights.connect)
    }
    return ruleset
  }

  /// The rights of landlock(7), by the bits of `LANDLOCK_ACCESS_FS_*`, `LANDLOCK_ACCESS_NET_*` and
  /// `LANDLOCK_SCOPE_*`.
  private enum Rights {
    static let execute: UInt64 = 1 << 0
    static let writeFile: UInt64 = 1 << 1
    static let readFile: UInt64 = 1 << 2
    static let readFolder: UInt64 = 1 << 3
    static let removeFile: UInt64 = 1 << 5
    static let makeSocket: UInt64 = 1 << 9
    /// A character or a block device.
    static let makeDevice: UInt64 = 1 << 6 | 1 << 11

    static let read = execute | readFile | readFolder
    static let sockets = makeSocket | removeFile | readFolder
    static let device = readFile | writeFile
    static let listen: UInt64 = 1 << 0
    static let connect: UInt64 = 1 << 1
    static let abstractSockets: UInt64 = 1 << 0
    static let signals: UInt64 = 1 << 1

    /// All rights on files that a kernel's version knows; later ones are left as they are.
    static func ofFiles(version: Int) -> UInt64 {
      switch version {
      case ..<1: 0
      case 1: (1 << 13) - 1
      case 2: (1 << 14) - 1
      case 3, 4: (1 << 15) - 1
      default: (1 << 16) - 1
      }
    }
  }
}

extension Descriptor {
  fileprivate func allow(_ path: String, _ rights: UInt64) throws(SystemError) {
    guard kith_linux_landlock_allow_path(number, path, rights) == 0 else {
      throw SystemError("allow \(path)")
    }
  }

  fileprivate func allow(port: UInt16, _ rights: UInt64) throws(SystemError) {
    guard kith_linux_landlock_allow_port(number, port, rights) == 0 else {
      throw SystemError("allow the port \(port)")
    }
  }
}
