import Glibc
package import KithTerminal

/// A checkout of Kith, where plugins are written.
package struct Checkout {
  /// Its top folder.
  package let root: String

  /// The checkout or package in a folder.
  package init(root: String) {
    self.root = root
  }

  /// The checkout that a folder is in.
  package static func containing(_ folder: String) throws(CommandFailure) -> Checkout {
    var folder = folder
    while true {
      let marks = ["Package.swift", "proto/kith/options.proto", "tools/generate-contracts"]
      if marks.allSatisfy({ access("\(folder)/\($0)", F_OK) == 0 }) {
        return Checkout(root: folder)
      }
      guard let slash = folder.lastIndex(of: "/"), slash != folder.startIndex else {
        throw CommandFailure(
          .usage,
          "this is no checkout of Kith (no Package.swift with proto/ and tools/ beside it, "
            + "here or above); go into one, or name it with --directory")
      }
      folder = String(folder[..<slash])
    }
  }

  /// Whether there is something at a path in the checkout.
  package func has(_ path: String) -> Bool { access("\(root)/\(path)", F_OK) == 0 }

  /// The text of a file in the checkout.
  package func text(of path: String) throws(CommandFailure) -> String {
    let bytes = try SystemValueReader().bytes(ofFile: "\(root)/\(path)")
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw CommandFailure(.badInput, "\(root)/\(path) is not valid UTF-8")
    }
    return text
  }

  /// Writes a file; folders on its way are made.
  package func write(_ text: String, to path: String) throws(CommandFailure) {
    try makeFolders(for: path)
    let full = "\(root)/\(path)"
    let descriptor = open(full, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw Self.failure("write \(full)") }
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        let failure = Self.failure("write \(full)")
        close(descriptor)
        throw failure
      }
      bytes = bytes.dropFirst(count)
    }
    guard close(descriptor) == 0 else { throw Self.failure("write \(full)") }
  }

  /// Gives a file or folder another place in the checkout. What is a file there is replaced in one
  /// step.
  package func move(_ path: String, to newPath: String) throws(CommandFailure) {
    try makeFolders(for: newPath)
    guard rename("\(root)/\(path)", "\(root)/\(newPath)") == 0 else {
      throw Self.failure("move \(root)/\(path) to \(newPath)")
    }
  }

  /// Removes a file, or a folder with all that is in it. What is not there is left alone.
  package func remove(_ path: String) {
    let full = "\(root)/\(path)"
    var status = stat()
    guard lstat(full, &status) == 0 else { return }
    if status.st_mode & S_IFMT == S_IFDIR {
      for name in names(in: full) { remove("\(path)/\(name)") }
      rmdir(full)
    } else {
      unlink(full)
    }
  }

  private func names(in folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) {
          String(cString: $0)
        }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  private func makeFolders(for path: String) throws(CommandFailure) {
    var folder = root
    for part in path.split(separator: "/").dropLast() {
      folder += "/\(part)"
      guard mkdir(folder, 0o755) == 0 || errno == EEXIST else {
        throw Self.failure("make the folder \(folder)")
      }
    }
  }

  private static func failure(_ what: String) -> CommandFailure {
    let reason = String(cString: strerror(errno))
    return CommandFailure(
      errno == EACCES || errno == EPERM ? .permission : .cannotCreate, "cannot \(what): \(reason)")
  }
}
