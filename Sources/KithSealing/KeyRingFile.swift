import Glibc

/// The file of a product's ``KeyRing``: whoever destroys it destroys what it has sealed.
///
/// Only its owner can read it (mode 0600). It is replaced as a whole, never written in place.
public struct KeyRingFile: Sendable, Hashable {
  /// The name of the file in its folder.
  public static let name = "sealing.keys"

  /// Its path.
  public let path: String

  /// How many bytes a ring has at most.
  private static let largest = 4096

  /// The file of that path, which need not be there.
  public init(path: String) { self.path = path }

  /// The ring.
  /// - Throws: ``SealingError`` when it is not there, cannot be read, is no ring, or can be read by
  ///   others.
  public func read() throws(SealingError) -> KeyRing {
    guard let ring = try readIfThere() else {
      throw SealingError(
        "\(path): there is no sealing key; bring it back from where it was kept, or erase what it "
          + "has sealed with `kith erase`")
    }
    return ring
  }

  /// The ring; nil when there is no file.
  /// - Throws: ``SealingError`` as ``read()``.
  public func readIfThere() throws(SealingError) -> KeyRing? {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard file >= 0 else {
      if errno == ENOENT { return nil }
      throw failure("cannot be opened")
    }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw failure("cannot be looked at") }
    guard status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
      throw SealingError(
        "\(path): the sealing key can be read by others than its owner; `chmod 600` it, and take "
          + "what it has sealed as known to them")
    }
    let bytes = [UInt8](unsafeUninitializedCapacity: Self.largest) { buffer, count in
      count = max(0, Glibc.read(file, buffer.baseAddress, Self.largest))
    }
    guard let ring = KeyRing(text: String(decoding: bytes, as: UTF8.self)) else {
      throw SealingError(
        "\(path): this is no sealing key, or a damaged one; bring it back from where it was kept, or "
          + "erase what it has sealed with `kith erase`")
    }
    return ring
  }

  /// Makes a ring of one new key, unless there is a file. Several processes may do so at once: one
  /// file comes of it.
  /// - Throws: ``SealingError`` when it cannot be made durable.
  public func makeIfMissing() throws(SealingError) {
    guard access(path, F_OK) != 0 else { return }
    let draft = try writeDraft(KeyRing())
    defer { unlink(draft) }
    // A link, which never replaces: of two processes one is first, and both use its key.
    guard link(draft, path) == 0 || errno == EEXIST else { throw failure("cannot be made") }
    try syncFolder()
  }

  /// Puts another ring in place of this one, and overwrites what stood there.
  /// - Throws: ``SealingError`` when it cannot be made durable; the old one then stands.
  public func replace(with ring: KeyRing) throws(SealingError) {
    let draft = try writeDraft(ring)
    let old = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
    defer { if old >= 0 { close(old) } }
    guard rename(draft, path) == 0 else {
      let error = failure("cannot be replaced")
      unlink(draft)
      throw error
    }
    try syncFolder()
    if old >= 0 { Self.overwrite(old) }
  }

  /// Overwrites the file and removes it; does nothing when there is none.
  /// - Throws: ``SealingError`` when it is still there afterwards.
  public func destroy() throws(SealingError) {
    let file = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
    if file >= 0 {
      Self.overwrite(file)
      close(file)
    }
    guard unlink(path) == 0 || errno == ENOENT else { throw failure("cannot be removed") }
    if file >= 0 { try syncFolder() }
  }

  /// Zeros in place of what a file holds. What a drive keeps of earlier contents is beyond a
  /// program's reach.
  private static func overwrite(_ file: Int32) {
    var status = stat()
    guard fstat(file, &status) == 0 else { return }
    let zeros = [UInt8](repeating: 0, count: Int(status.st_size))
    _ = pwrite(file, zeros, zeros.count, 0)
    fsync(file)
  }

  /// Writes a ring to a file beside, durably; answers its path.
  private func writeDraft(_ ring: KeyRing) throws(SealingError) -> String {
    let text = Array(ring.text.utf8)
    guard text.count <= Self.largest else {
      throw SealingError(
        "\(path): \(ring.keys.count) sealing keys are more than one file holds; have one key seal "
          + "everything with `kith rotate-key` first")
    }
    var template = Array("\(path).XXXXXX".utf8CString)
    let file = mkstemp(&template)
    guard file >= 0 else { throw failure("cannot be made") }
    let draft = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    let isWritten = write(file, text, text.count) == text.count && fsync(file) == 0
    let error = failure("cannot be written")
    close(file)
    guard isWritten else {
      unlink(draft)
      throw error
    }
    return draft
  }

  private func syncFolder() throws(SealingError) {
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    let directory = open(folder.isEmpty ? "/" : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard directory >= 0 else { throw failure("cannot be made durable") }
    defer { close(directory) }
    guard fsync(directory) == 0 else { throw failure("cannot be made durable") }
  }

  private func failure(_ what: String) -> SealingError {
    SealingError("\(path): the sealing key \(what): \(String(cString: strerror(errno)))")
  }
}
