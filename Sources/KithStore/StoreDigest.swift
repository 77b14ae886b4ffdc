import Crypto
import Glibc
import KithSealing

/// The digest of a settled database file, in a file beside it (`store.sqlite.digest`).
///
/// SQLite finds a damaged page by its structure, and an encrypted value fails to open. A changed
/// byte of a plain value is found only by comparing the file with what it was.
/// ``StoreWitness/settle(_:)`` writes the digest when a worker ends, and ``Store`` compares and
/// removes it when the worker starts again. After a kill there is none: the write-ahead log, which
/// has checksums, then holds what was written last.
struct StoreDigest: Hashable {
  /// The end of the file's name.
  static let suffix = ".digest"
  /// The largest database file that is digested, in bytes: 256 MiB, read within half a second. It
  /// bounds what a start and a drain wait for.
  static let largestFile = 256 << 20

  private static let title = "kith-digest-1"
  private static let purpose = "kith_store.digest"

  /// The identity of the store.
  var log: String
  /// The number of the last transaction that the file holds.
  var commits: Int64
  /// HMAC with the store's secret over the above and the SHA-256 of the file, in hexadecimal
  /// digits.
  private var signature: String

  /// The path of the digest of a store.
  static func path(of store: String) -> String { store + suffix }

  /// The digest of a file with that content.
  init(log: String, commits: Int64, content: SHA256Digest, _ sealing: StoreSealing) {
    (self.log, self.commits) = (log, commits)
    signature = Self.signature(log, commits, content, sealing)
  }

  private static func signature(
    _ log: String, _ commits: Int64, _ content: SHA256Digest, _ sealing: StoreSealing
  ) -> String {
    Hexadecimal.text(
      of: sealing.fingerprint(
        Array("\(title) \(log) \(commits) ".utf8) + Array(content), of: purpose))
  }

  /// The one line of the file.
  var text: String { "\(Self.title) \(log) \(commits) \(signature)\n" }

  /// Reads ``text``; nil when it is something else.
  init?(text: String) {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 4, words[0] == Self.title, let commits = Int64(words[2]),
      words[3].last == "\n"
    else { return nil }
    (log, self.commits) = (String(words[1]), commits)
    signature = String(words[3].dropLast())
  }

  /// Whether a file with that content is the one that was digested.
  func matches(_ content: SHA256Digest, _ sealing: StoreSealing) -> Bool {
    signature == Self.signature(log, commits, content, sealing)
  }

  // MARK: Files

  /// The digest beside a store; nil when there is none, or none that can be read.
  static func read(of store: String) -> StoreDigest? {
    let path = path(of: store)
    guard let size = RegularFile.size(path), size <= 512,
      let bytes = RegularFile.bytes(of: path, at: 0, count: size)
    else { return nil }
    return StoreDigest(text: String(decoding: bytes, as: UTF8.self))
  }

  /// Writes the digest beside a store, durably.
  func write(of store: String) throws(StoreError) {
    try DurableCopy.replace(Self.path(of: store), with: Array(text.utf8))
  }

  /// Removes the digest of a store that is about to be written to, durably.
  static func remove(of store: String) throws(StoreError) {
    let path = path(of: store)
    guard unlink(path) == 0 else {
      guard errno == ENOENT else { throw StoreError(system: path) }
      return
    }
    try DurableCopy.syncFolder(of: path)
  }

  /// The SHA-256 of an open file; nil when it is larger than ``largestFile`` or cannot be read.
  static func content(of descriptor: Int32) -> SHA256Digest? {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_size <= largestFile else { return nil }
    var hash = SHA256()
    var offset = 0
    while true {
      let bytes = [UInt8](unsafeUninitializedCapacity: 1 << 20) { buffer, count in
        count = max(0, pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset)))
      }
      if bytes.isEmpty { break }
      hash.update(data: bytes)
      offset += bytes.count
    }
    return offset == Int(status.st_size) ? hash.finalize() : nil
  }

  /// The SHA-256 of the file at a path, which this process has not opened as a database; nil as
  /// ``content(of:)-(Int32)``.
  static func content(ofFileAt path: String) -> SHA256Digest? {
    guard let file = try? RegularFile.open(path, O_RDONLY) else { return nil }
    defer { close(file) }
    return content(of: file)
  }
}
