import CLinux
import Glibc

/// The files that there are for a worker: those that it may reach, at the paths where they are, and
/// nothing else.
///
/// Landlock keeps a process from opening files, and not from connecting to sockets by their path:
/// what is not there cannot be connected to. A mount namespace of the process's own has it
/// (mount_namespaces(7)): folders that may be read are mounted for reading alone, and folders of
/// sockets show those that come later.
struct PrivateRoot: Sendable, Hashable {
  /// One thing to do in the empty file system that the root begins as.
  enum Step: Sendable, Hashable {
    case folder(String)
    case file(String)
    case link(String, to: String)
    case show(String, Access)

    /// What may be done with what is shown.
    enum Access: Int32, Sendable {
      case reading, writing, device
    }
  }

  /// What is at a path.
  enum Kind: Sendable, Hashable {
    case folder, file
    case link(to: String)
  }

  /// What to do, in this order.
  let steps: [Step]

  /// A root that shows these paths; those that do not exist are left out.
  /// - Parameter look: what is at a path, a link itself and not what it leads to; nil for nothing.
  /// - Throws: when all of the machine would have to be shown.
  init(
    reading: [String], writing: [String], devices: [String],
    look: (String) -> Kind? = Self.look
  ) throws(SystemError) {
    var plan = Plan()
    for (paths, access) in [
      (reading, Step.Access.reading), (writing, .writing), (devices, .device),
    ] {
      for path in paths {
        guard let place = Place(path, look) else { continue }
        guard place.path != "/" else {
          throw SystemError("show all files to a worker", code: EPERM)
        }
        plan.links.merge(place.links) { $1 }
        plan.shown[place.path] = max(plan.shown[place.path] ?? .reading, access)
        plan.kinds[place.path] = place.kind
      }
    }
    steps = plan.steps()
  }

  /// The root that `Confinement` grants.
  init(showing confinement: Confinement) throws(SystemError) {
    try self.init(
      reading: confinement.readable + confinement.visible,
      writing: confinement.writable + confinement.socketFolders, devices: confinement.devices)
  }

  /// What is at a path of this machine.
  static func look(_ path: String) -> Kind? {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    switch status.st_mode & S_IFMT {
    case S_IFDIR: return .folder
    case S_IFLNK:
      var target = [UInt8](repeating: 0, count: Int(PATH_MAX))
      let count = target.withUnsafeMutableBytes { buffer in
        readlink(path, buffer.bindMemory(to: CChar.self).baseAddress!, buffer.count)
      }
      guard count > 0 else { return nil }
      return .link(to: String(decoding: target.prefix(count), as: UTF8.self))
    default: return .file
    }
  }

  // MARK: Whether there can be one

  /// How a process gets a root of its own on this machine: in a user namespace of its own
  /// (user_namespaces(7)) or, as root, without one. Fails with the reason where the kernel, or what
  /// this process runs in, does not let it.
  static let way: Result<Way, SystemError> = {
    var refusal = SystemError("make a private root", code: EPERM)
    for way in geteuid() == 0 ? [Way.asRoot, .asUser] : [.asUser] {
      do throws(SystemError) {
        var confinement = Confinement()
        confinement.readable = Confinement.system
        confinement.devices = Confinement.devices
        try WorkerProcess.tryOut(try PrivateRoot(showing: confinement), way)
        return .success(way)
      } catch {
        refusal = error
      }
    }
    return .failure(refusal)
  }()

  /// How a process gets a root of its own.
  enum Way: Sendable {
    case asRoot, asUser
  }
}

extension PrivateRoot.Step.Access: Comparable {
  static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

/// Where a path leads, and the links on the way there.
private struct Place {
  var path: String
  var kind: PrivateRoot.Kind
  var links: [String: String] = [:]

  /// How many links may follow each other, as path_resolution(7) has it.
  private static let mostLinks = 40

  init?(_ path: String, _ look: (String) -> PrivateRoot.Kind?) {
    var rest = path.split(separator: "/").reversed().map(String.init)
    var reached: [String] = []
    var followed = 0
    kind = .folder
    while let name = rest.popLast() {
      switch name {
      case ".": continue
      case "..": _ = reached.popLast()
      default:
        let here = "/" + (reached + [name]).joined(separator: "/")
        guard let found = look(here) else { return nil }
        kind = found
        guard case .link(let target) = found else {
          reached.append(name)
          continue
        }
        links[here] = target
        followed += 1
        guard followed <= Self.mostLinks else { return nil }
        if target.hasPrefix("/") { reached = [] }
        rest += target.split(separator: "/").reversed().map(String.init)
        kind = .folder
      }
    }
    self.path = "/" + reached.joined(separator: "/")
  }
}

/// What is to be shown, before it is put in order.
private struct Plan {
  var shown: [String: PrivateRoot.Step.Access] = [:]
  var kinds: [String: PrivateRoot.Kind] = [:]
  var links: [String: String] = [:]

  private var made: Set<String> = ["/"]

  /// A folder comes before what lies in it.
  mutating func steps() -> [PrivateRoot.Step] {
    var steps: [PrivateRoot.Step] = []
    var shownFolders: [String: PrivateRoot.Step.Access] = [:]
    for (path, access) in shown.sorted(by: { $0.key < $1.key }) {
      if let above = Self.parents(of: path).last(where: { shownFolders[$0] != nil }) {
        // Seen already; shown once more only for what may be done with it.
        guard access > shownFolders[above] ?? .reading else { continue }
      } else {
        steps += makeFolders(above: path)
        if made.insert(path).inserted {
          steps.append(kinds[path] == .folder ? .folder(path) : .file(path))
        }
      }
      steps.append(.show(path, access))
      shownFolders[path] = access
    }
    for (path, target) in links.sorted(by: { $0.key < $1.key })
    where !Self.parents(of: path).contains(where: { shownFolders[$0] != nil }) {
      steps += makeFolders(above: path) + [.link(path, to: target)]
    }
    return steps
  }

  private mutating func makeFolders(above path: String) -> [PrivateRoot.Step] {
    Self.parents(of: path).filter { made.insert($0).inserted }.map { .folder($0) }
  }

  /// `/a` and `/a/b` for `/a/b/c`.
  private static func parents(of path: String) -> [String] {
    let names = path.split(separator: "/").dropLast()
    return names.indices.map { "/" + names[...$0].joined(separator: "/") }
  }
}
