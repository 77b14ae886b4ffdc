import Glibc

/// Small files that are either as before or as after a write, whatever happens in between.
enum DurableFile {
  /// Has a file or folder reach the disk, as fsync(2) does; tests replace it by one that counts or
  /// fails.
  typealias Sync = (Descriptor) -> Int32

  /// Replaces a file's content; it is on disk when this returns. Mode 0600.
  static func replace(
    _ path: String, with bytes: [UInt8], syncing sync: Sync = { fsync($0.number) }
  ) throws(SystemError) {
    let temporary = path + ".new"
    do throws(SystemError) {
      let descriptor = try Descriptor.open(temporary, O_WRONLY | O_CREAT | O_TRUNC)
      try descriptor.writeAll(bytes, to: temporary)
      guard sync(descriptor) == 0 else { throw SystemError("write \(temporary)") }
    } catch {
      unlink(temporary)
      throw error
    }
    guard rename(temporary, path) == 0 else { throw SystemError("rename \(temporary)") }
    // The name is in the folder, and the folder is what must reach the disk for it to last.
    let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    let descriptor = try Descriptor.open(folder.isEmpty ? "/" : folder, O_RDONLY | O_DIRECTORY)
    guard sync(descriptor) == 0 else { throw SystemError("write \(folder)") }
  }

  /// The content of a file of at most `limit` bytes; nil when there is none.
  static func read(_ path: String, limit: Int = 1 << 20) throws(SystemError) -> [UInt8]? {
    let descriptor: Descriptor
    do {
      descriptor = try Descriptor.open(path, O_RDONLY)
    } catch {
      if error.code == ENOENT { return nil }
      throw error
    }
    var all: [UInt8] = []
    while case .bytes(let bytes) = try descriptor.read(atMost: 64 << 10) {
      all += bytes
      guard all.count <= limit else {
        throw SystemError("read \(path)", code: EFBIG)
      }
    }
    return all
  }

  /// Creates a folder and those above it. The last one must be the caller's own, and closed to
  /// others.
  ///
  /// A folder that was there already is closed to others only when it is empty and nobody else can
  /// have a part in it: a folder that somebody shares is refused, never taken away from them.
  /// - Parameters:
  ///   - existing: a folder above it that must exist: it was moved or removed if it does not. Nil
  ///     creates all above the path.
  ///   - owner: another user whose it may be, beside the caller.
  static func createPrivateFolder(
    _ path: String, in existing: String? = nil, of owner: uid_t? = nil
  ) throws(SystemError) {
    try createFolders(path, in: existing)
    var status = stat()
    guard lstat(path, &status) == 0 else { throw SystemError("look at \(path)") }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      throw SystemError("use \(path) as a folder", code: ENOTDIR)
    }
    guard status.st_uid == geteuid() || status.st_uid == owner else {
      throw SystemError("use \(path), which belongs to user \(status.st_uid)", code: EPERM)
    }
    guard status.st_mode & 0o077 != 0 else { return }
    // Who may only pass through has had no part in it: the account of workers, see
    // ``WorkerAccount/letThrough(_:)``.
    let isShared = status.st_mode & 0o067 != 0
    let isUsed = isShared ? try !names(in: path).isEmpty : false
    guard status.st_mode & S_ISVTX == 0, !isUsed else {
      let mode = String(status.st_mode & 0o7777, radix: 8)
      throw SystemError("use \(path), which is open to others (mode \(mode))", code: EPERM)
    }
    guard chmod(path, 0o700) == 0 else { throw SystemError("make \(path) private") }
  }

  /// The names in a folder, `.` and `..` apart.
  static func names(in folder: String) throws(SystemError) -> [String] {
    guard let stream = opendir(folder) else { throw SystemError("read \(folder)") }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      names.append(
        withUnsafePointer(to: &entry.pointee.d_name) { pointer in
          pointer.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) {
            String(cString: $0)
          }
        })
    }
    return names.filter { $0 != "." && $0 != ".." }
  }

  private static func createFolders(_ path: String, in existing: String?) throws(SystemError) {
    if path == existing {
      guard access(path, F_OK) == 0 else { throw SystemError("find the folder \(path)") }
      return
    }
    if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
    guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
      throw SystemError("create the folder \(path)")
    }
    try createFolders(String(path[..<slash]), in: existing)
    if mkdir(path, 0o700) != 0 && errno != EEXIST {
      throw SystemError("create the folder \(path)")
    }
  }
}
