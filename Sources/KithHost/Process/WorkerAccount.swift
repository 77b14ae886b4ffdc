import Glibc

/// The account that the workers of a host run as which itself runs as root (`KITH_WORKER_ACCOUNT`).
///
/// The account owns the workers' state and socket folders. The host's own records, keys and logs
/// stay root's.
public struct WorkerAccount: Sendable, Hashable {
  /// The variable of the host's environment that names it.
  public static let variable = "KITH_WORKER_ACCOUNT"

  /// The account's name: `kith`.
  public let name: String
  let user: uid_t
  let group: gid_t

  /// The account of that name, with its primary group.
  /// - Throws: ``HostFailure`` when there is none, or it is root's.
  public init(name: String) throws(HostFailure) {
    guard let entry = getpwnam(name) else {
      throw HostFailure(
        .badInput,
        "\(Self.variable) names '\(name)', and this machine has no account of that name; make one with "
          + "`useradd --system \(name)`")
    }
    guard entry.pointee.pw_uid != 0 else {
      throw HostFailure(
        .badInput,
        "\(Self.variable) names '\(name)', which is root; expected an account without its rights")
    }
    self.name = name
    (user, group) = (entry.pointee.pw_uid, entry.pointee.pw_gid)
  }

  /// The account that an environment names; nil where it names none, or the host runs as that
  /// account already.
  /// - Throws: ``HostFailure`` when it cannot be used: this process is another user than root, or
  ///   the machine has no private roots, without which workers would not reach their folders below
  ///   those of root.
  static func configured(_ environment: [String: String]) throws(HostFailure) -> WorkerAccount? {
    guard let name = environment[variable], !name.isEmpty else { return nil }
    let account = try WorkerAccount(name: name)
    if geteuid() == account.user { return nil }
    guard geteuid() == 0 else {
      throw HostFailure(
        .badInput,
        "\(variable) names '\(name)', and only a host that runs as root can start workers as another account; start it as "
          + "root or as \(name), or unset the variable")
    }
    guard case .success(.asRoot) = PrivateRoot.way else {
      throw HostFailure(
        .cannotCreate,
        "\(variable) names '\(name)', and this machine does not let workers have a private root, which an account of "
          + "their own takes; run the host as \(name) (systemd: `User=`)")
    }
    return account
  }

  // MARK: Files

  /// The name of the account that owns a folder; nil for this process's own, and where it has no
  /// name.
  static func owner(of folder: String) -> String? {
    var status = stat()
    guard lstat(folder, &status) == 0, status.st_uid != geteuid(),
      let entry = getpwuid(status.st_uid)
    else { return nil }
    return String(cString: entry.pointee.pw_name)
  }

  /// Gives the account a folder and all in it: a restore, or a host that ran its workers as root,
  /// has left files of root there. Each entry is named relative to its folder's descriptor, so that
  /// a worker that runs cannot lead this elsewhere with a link.
  /// - Throws: ``SystemError``.
  func own(_ folder: String) throws(SystemError) {
    try own(contentsOf: Descriptor.open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW), folder)
  }

  private func own(contentsOf folder: Descriptor, _ path: String) throws(SystemError) {
    var status = stat()
    guard fstat(folder.number, &status) == 0 else { throw SystemError("look at \(path)") }
    if isForeign(status), fchown(folder.number, user, group) != 0 {
      throw SystemError("give \(path) to \(name)")
    }
    for entry in try DurableFile.names(in: "/proc/self/fd/\(folder.number)") {
      guard fstatat(folder.number, entry, &status, AT_SYMLINK_NOFOLLOW) == 0 else { continue }
      if status.st_mode & S_IFMT == S_IFDIR {
        let number = openat(
          folder.number, entry, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard number >= 0 else { throw SystemError("open \(path)/\(entry)") }
        try own(contentsOf: Descriptor(taking: number), "\(path)/\(entry)")
      } else if isForeign(status) {
        // A second name could be that of a file that root protects by its place.
        guard status.st_nlink == 1 else {
          throw SystemError(
            "give \(path)/\(entry), which has other names too, to \(name)", code: EPERM)
        }
        guard fchownat(folder.number, entry, user, group, AT_SYMLINK_NOFOLLOW) == 0 else {
          throw SystemError("give \(path)/\(entry) to \(name)")
        }
      }
    }
  }

  private func isForeign(_ status: stat) -> Bool {
    status.st_uid != user || status.st_gid != group
  }

  /// Lets the account pass through a folder to what it may reach in it, and no more.
  /// - Throws: ``SystemError``.
  func letThrough(_ folder: String) throws(SystemError) {
    guard lchown(folder, 0, group) == 0, chmod(folder, 0o710) == 0 else {
      throw SystemError("let \(name) through \(folder)")
    }
  }

  /// Lets the account connect to a socket of the host.
  /// - Throws: ``SystemError``.
  func letConnect(to socket: String) throws(SystemError) {
    guard lchown(socket, 0, group) == 0, chmod(socket, 0o660) == 0 else {
      throw SystemError("let \(name) connect to \(socket)")
    }
  }
}
