public import Glibc

/// A folder of its own with a short path under /tmp, so that sockets in it fit; removed with all
/// that is in it when the last reference is gone, or after the test process has ended in any way.
public final class TemporaryFolder: Sendable {
  /// The folder.
  public let path: String

  /// Creates the folder, mode 0700.
  public init() throws(TestingError) {
    let guardian = try Guardian.shared
    var template = Array("/tmp/kith-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw TestingError("cannot create a folder in /tmp: \(String(cString: strerror(errno)))")
    }
    path = String(
      decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    guardian.watch(path)
  }

  deinit {
    Self.remove(path)
  }

  /// Writes a file below the folder, with the folders on the way; `mode` is 0o755 for a program.
  public func write(_ text: String, to name: String, mode: mode_t = 0o644) throws(TestingError) {
    try write(Array(text.utf8), to: name, mode: mode)
  }

  /// Writes a file of bytes below the folder, with the folders on the way.
  public func write(_ bytes: [UInt8], to name: String, mode: mode_t = 0o644) throws(TestingError) {
    let file = "\(path)/\(name)"
    if let slash = name.lastIndex(of: "/") { try makeFolder(String(name[..<slash]), mode: 0o755) }
    let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
    guard descriptor >= 0 else {
      throw TestingError("cannot write \(file): \(String(cString: strerror(errno)))")
    }
    defer { close(descriptor) }
    var bytes = bytes[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else {
        throw TestingError("cannot write \(file): \(String(cString: strerror(errno)))")
      }
      bytes = bytes.dropFirst(count)
    }
  }

  /// Creates a folder below the folder, with those on the way; one that is there is left as it is.
  public func makeFolder(_ name: String, mode: mode_t) throws(TestingError) {
    var folder = path
    for part in name.split(separator: "/") {
      folder += "/\(part)"
      guard mkdir(folder, mode) == 0 || errno == EEXIST else {
        throw TestingError("cannot create \(folder): \(String(cString: strerror(errno)))")
      }
    }
  }

  /// The text of a file; nil when it cannot be read.
  public static func text(of path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var all: [UInt8] = []
    while true {
      var count = 0
      all += [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, initialized in
        count = read(descriptor, buffer.baseAddress, 64 << 10)
        initialized = max(0, count)
      }
      if count <= 0 { return String(decoding: all, as: UTF8.self) }
    }
  }

  /// The names in a folder, sorted.
  public static func names(in path: String) -> [String] {
    guard let stream = opendir(path) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) {
          String(cString: $0)
        }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  private static func remove(_ path: String) {
    for name in names(in: path) {
      let below = "\(path)/\(name)"
      if unlink(below) != 0 { remove(below) }
    }
    rmdir(path)
  }
}
