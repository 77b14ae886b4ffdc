import Glibc

/// A folder of its own under /tmp, removed at the end.
final class TemporaryFolder {
  let path: String

  init() throws {
    var template = Array("/tmp/kith-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Failure() }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  deinit {
    Self.remove(path)
  }

  struct Failure: Error {}

  /// The names in the folder, sorted.
  func names() -> [String] { Self.names(path) }

  static func names(_ path: String) -> [String] {
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
    for name in names(path) {
      let below = "\(path)/\(name)"
      if unlink(below) != 0 { remove(below) }
    }
    rmdir(path)
  }
}
