import Glibc

/// Folders of the file system.
enum Folder {
  /// The names in a folder, sorted; none when it is not there.
  static func names(in path: String) -> [String] {
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

  /// The paths of all that is no folder below a folder. Links are not followed.
  static func files(below path: String) -> [String] {
    names(in: path).flatMap { name in
      let below = "\(path)/\(name)"
      return isFolder(below) ? files(below: below) : [below]
    }
  }

  /// Removes a folder and those in it, as far as they are empty.
  static func removeEmpty(_ path: String) {
    for name in names(in: path) where isFolder("\(path)/\(name)") { removeEmpty("\(path)/\(name)") }
    rmdir(path)
  }

  /// Makes a folder that only its owner may enter, with those on the way to it.
  static func makePrivate(_ path: String) throws(StoreError) {
    if mkdir(path, 0o700) == 0 { return }
    if errno == ENOENT {
      try makePrivate(Store.folder(of: path))
      if mkdir(path, 0o700) == 0 { return }
    }
    guard errno == EEXIST else {
      throw StoreError(
        .unusable, "\(path) cannot be made: \(String(cString: strerror(errno)))")
    }
  }

  private static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}
