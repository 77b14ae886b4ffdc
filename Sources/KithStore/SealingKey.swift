public import Crypto
import Glibc

/// The secret under which personal data is sealed before it is written: whoever destroys its file destroys the data.
///
/// A file of 32 random bytes that only its owner can read. Two keys are derived from it by HKDF (RFC 5869), so that what
/// seals (ChaCha20-Poly1305, RFC 8439) and what tells alike things by a fingerprint (HMAC-SHA256) never share one.
public struct SealingKey: Sendable {
  private static let size = 32

  private let sealing: SymmetricKey
  private let fingerprinting: SymmetricKey

  /// A key from its secret.
  public init(secret: SymmetricKey) {
    func derived(_ purpose: String) -> SymmetricKey {
      HKDF<SHA256>.deriveKey(
        inputKeyMaterial: secret, info: Array(purpose.utf8), outputByteCount: Self.size)
    }
    sealing = derived("kith store: sealing")
    fingerprinting = derived("kith store: fingerprints")
  }

  /// The key in a file, which is made if there is none. Several processes may do so at once: one file comes of it.
  /// - Throws: ``StoreError`` when the file cannot be read or made, has another size, or can be read by others.
  public init(file path: String) throws(StoreError) {
    if let secret = try Self.read(path) {
      self.init(secret: secret)
      return
    }
    try Self.make(path)
    guard let secret = try Self.read(path) else {
      throw StoreError("\(path): the sealing key was made and is gone again")
    }
    self.init(secret: secret)
  }

  /// Seals bytes; `place` says where they belong (a table and a row), and opens them only there.
  public func seal(_ bytes: [UInt8], for place: String) throws(StoreError) -> [UInt8] {
    do {
      let box = try ChaChaPoly.seal(bytes, using: sealing, authenticating: Array(place.utf8))
      return Array(box.combined)
    } catch {
      throw StoreError("data of \(place) cannot be sealed")
    }
  }

  /// Opens what ``seal(_:for:)`` sealed.
  /// - Throws: ``StoreError`` when it was sealed with another key or for another place, or was changed since.
  public func open(_ sealed: [UInt8], for place: String) throws(StoreError) -> [UInt8] {
    do {
      let box = try ChaChaPoly.SealedBox(combined: sealed)
      return Array(try ChaChaPoly.open(box, using: sealing, authenticating: Array(place.utf8)))
    } catch {
      throw StoreError(
        "data of \(place) cannot be opened: it was sealed with another key, or changed since")
    }
  }

  /// A number for bytes that is the same for the same bytes and tells nothing to whoever lacks the key.
  public func fingerprint(_ bytes: [UInt8]) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: bytes, using: fingerprinting))
  }

  // MARK: The file

  private static func read(_ path: String) throws(StoreError) -> SymmetricKey? {
    let file = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard file >= 0 else {
      if errno == ENOENT { return nil }
      throw failure("cannot be opened", path)
    }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw failure("cannot be looked at", path) }
    guard status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
      throw StoreError(
        "\(path): the sealing key can be read by others than its owner; `chmod 600` it, and take "
          + "what it has sealed as known to them")
    }
    let bytes = [UInt8](unsafeUninitializedCapacity: size + 1) { buffer, count in
      count = max(0, Glibc.read(file, buffer.baseAddress, size + 1))
    }
    guard bytes.count == size else {
      throw StoreError(
        "\(path): a sealing key has \(size) bytes; restore the file from a backup, or move it away "
          + "together with the data that it has sealed")
    }
    return SymmetricKey(data: bytes)
  }

  private static func make(_ path: String) throws(StoreError) {
    var template = Array("\(path).XXXXXX".utf8CString)
    let file = mkstemp(&template)
    guard file >= 0 else { throw failure("cannot be made", path) }
    let draft = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    defer { unlink(draft) }
    let written = SymmetricKey(size: .bits256).withUnsafeBytes {
      Glibc.write(file, $0.baseAddress, size) == size && fsync(file) == 0
    }
    close(file)
    guard written else { throw failure("cannot be written", draft) }
    // A link, which never replaces: of two processes one is first, and both use its key.
    guard link(draft, path) == 0 || errno == EEXIST else { throw failure("cannot be made", path) }
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    let directory = Glibc.open(folder.isEmpty ? "/" : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard directory >= 0, fsync(directory) == 0 else {
      if directory >= 0 { close(directory) }
      throw failure("cannot be made durable", path)
    }
    close(directory)
  }

  private static func failure(_ what: String, _ path: String) -> StoreError {
    StoreError("\(path): the sealing key \(what): \(String(cString: strerror(errno)))")
  }
}
