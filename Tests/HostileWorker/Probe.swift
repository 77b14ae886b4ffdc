import Glibc

/// One thing that a worker should not be able to do, tried in a way that does no harm should it
/// work.
struct Probe: Sendable {
  /// What came of it.
  enum Outcome: Sendable {
    /// Refused, and how.
    case nothing(String)
    /// It worked, or something of it did.
    case gained(String)
  }

  /// What it is about; the rows of the table in Security.md go by it.
  let name: String
  /// What it tries, for the report.
  let tried: String
  let attempt: @Sendable (Surroundings) async throws -> Outcome

  init(
    _ name: String, _ tried: String,
    _ attempt: @escaping @Sendable (Surroundings) async throws -> Outcome
  ) {
    (self.name, self.tried, self.attempt) = (name, tried, attempt)
  }

  /// A probe of several parts: gained when one of them is.
  init(
    _ name: String, _ tried: String,
    parts: @escaping @Sendable (Surroundings) -> [(String, Outcome)]
  ) {
    self.init(name, tried) { surroundings in
      let all = parts(surroundings)
      let gained = all.compactMap { name, outcome in
        if case .gained(let what) = outcome { "\(name): \(what)" } else { nil }
      }
      if !gained.isEmpty { return .gained(gained.joined(separator: ", ")) }
      let refusals = Set(
        all.compactMap { if case .nothing(let why) = $0.1 { why } else { nil } })
      return .nothing(
        "\(all.count) of \(all.count) refused: \(refusals.sorted().joined(separator: ", "))")
    }
  }

  /// The line of the report; tabs and ends of lines never stand in its parts.
  func line(in surroundings: Surroundings) async -> String {
    let outcome: Outcome
    do {
      outcome = try await attempt(surroundings)
    } catch {
      outcome = .nothing("\(error)")
    }
    let words =
      switch outcome {
      case .nothing(let why): "nothing\t\(why)"
      case .gained(let what): "GAINED\t\(what)"
      }
    return [name, tried, words].joined(separator: "\t").replacing("\n", with: " ") + "\n"
  }
}

extension Probe.Outcome {
  /// Refused, when the answer of a system call is one by which the kernel refuses.
  ///
  /// Any other answer, an invalid argument among them, means that the call was looked at.
  static func call(_ answer: Int) -> Self {
    switch Int32(truncatingIfNeeded: -answer) {
    case EPERM, EACCES, ENOSYS: .nothing(String(cString: strerror(Int32(-answer))))
    case let code where code > 0:
      .gained("the kernel looked at it: \(String(cString: strerror(code)))")
    default: .gained("answered \(answer)")
    }
  }

  /// Refused when there is no descriptor, or nothing at the path; a descriptor is closed.
  static func opening(_ descriptor: Int32) -> Self {
    guard descriptor >= 0 else { return .nothing(String(cString: strerror(errno))) }
    close(descriptor)
    return .gained("opened")
  }

  /// Refused when nothing can be read: some files are opened for anybody.
  static func reading(_ path: String) -> Self {
    text(of: path).map { .gained("\($0.utf8.count) bytes") }
      ?? .nothing(String(cString: strerror(errno)))
  }

  /// Refused when the result is not 0.
  static func result(_ result: Int32) -> Self {
    result == 0 ? .gained("done") : .nothing(String(cString: strerror(errno)))
  }
}

/// What a hostile worker knows of the place where it is.
struct Surroundings: Sendable {
  /// Its state folder.
  let state: String
  /// Its plugin's folder.
  let plugin: String
  /// A folder outside of its sandbox with what the test has put there: `secret`, `foreign.sock`.
  let bait: String
  /// The name of a socket without a path that a process outside listens at.
  let abstractName: String
  /// A process outside, of nobody in particular.
  let stranger: Int32
  /// Its limits, from its manifest.
  let openFiles: Int
  let processes: Int

  /// The root of the product, as the state folder tells.
  var root: String { state.components.dropLast(2).joined() }
  var host: Int32 { getppid() }

  /// The other workers: the host's other children.
  var siblings: [Int32] {
    names(in: "/proc").compactMap(Int32.init).filter { pid in
      pid != getpid() && text(of: "/proc/\(pid)/stat")?.parent == host
    }
  }

  /// Everybody whom a signal, a look or a grip could meet.
  var others: [(String, Int32)] {
    [("the host", host), ("a stranger", stranger), ("process 1", 1)]
      + siblings.map { ("worker \($0)", $0) }
  }
}

extension String {
  fileprivate var components: [String] { split(separator: "/").map { "/\($0)" } }

  /// The fourth field of /proc/PID/stat.
  fileprivate var parent: Int32? {
    guard let end = lastIndex(of: ")") else { return nil }
    return self[end...].split(separator: " ").dropFirst(2).first.flatMap { Int32($0) }
  }
}

/// The names in a folder; none when it cannot be read.
func names(in folder: String) -> [String] {
  guard let stream = opendir(folder) else { return [] }
  defer { closedir(stream) }
  var names: [String] = []
  while let entry = readdir(stream) {
    let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
      pointer.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
    }
    if name != "." && name != ".." { names.append(name) }
  }
  return names
}

/// What a symbolic link says; nil when it cannot be read.
func link(at path: String) -> String? {
  var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
  let count = bytes.withUnsafeMutableBytes { buffer in
    readlink(path, buffer.bindMemory(to: CChar.self).baseAddress!, buffer.count)
  }
  return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
}

/// The first 64 KiB of a file; nil when it cannot be read.
func text(of path: String) -> String? {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return nil }
  defer { close(descriptor) }
  var bytes = [UInt8](repeating: 0, count: 64 << 10)
  let count = read(descriptor, &bytes, bytes.count)
  return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
}
