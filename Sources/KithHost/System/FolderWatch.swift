import Glibc

/// Tells which files of a folder are written to, by inotify(7).
final class FolderWatch: Sendable {
  /// Readable when there is something to tell.
  let descriptor: Descriptor

  /// Watches a folder.
  init(_ folder: String) throws(SystemError) {
    let number = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    guard number >= 0 else { throw SystemError("watch \(folder)") }
    descriptor = Descriptor(taking: number)
    try watch(folder)
  }

  /// Watches a folder too: one that was removed is not watched any more, and one of the same name
  /// is another.
  func watch(_ folder: String) throws(SystemError) {
    guard inotify_add_watch(descriptor.number, folder, UInt32(IN_MODIFY)) >= 0 else {
      throw SystemError("watch \(folder)")
    }
  }

  /// The names of files that were written to since this was last asked, in that order; nil when
  /// there were too many to tell.
  func changed() -> [String]? {
    var names: [String] = []
    while case .bytes(let bytes)? = try? descriptor.read(atMost: 64 << 10) {
      var rest = bytes[...]
      let header = MemoryLayout<inotify_event>.size
      while rest.count >= header {
        let event = rest.withUnsafeBytes { $0.loadUnaligned(as: inotify_event.self) }
        if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { return nil }
        let name = rest.dropFirst(header).prefix(Int(event.len)).prefix { $0 != 0 }
        names.append(String(decoding: name, as: UTF8.self))
        rest = rest.dropFirst(header + Int(event.len))
      }
    }
    return names
  }
}
