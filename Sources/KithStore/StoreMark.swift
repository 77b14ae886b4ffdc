import Glibc

/// What a store had reached when it was last written to, in a file beside it (`store.sqlite.mark`).
///
/// It is written after each transaction has become durable, and before the caller learns so. It is
/// not waited for: after a kill it is exact, after a loss of power it may be behind. It has two
/// slots, written in turn, each on a page of its own, so that one is always whole. Each is signed
/// with the store's secret.
struct StoreMark: Hashable {
  /// The end of the file's name.
  static let suffix = ".mark"
  /// The slots.
  static let slots = 2
  static let slotSize = 4096
  private static let title = "kith-mark-1"

  /// The store's identity.
  var log: String
  /// The number of the last transaction.
  var commits: Int64
  /// The last transaction up to which the write-ahead log is known to be carried over into the
  /// database file.
  var checkpointed: Int64
  /// HMAC with the store's secret, in hexadecimal digits.
  private var signature = ""

  init(log: String, commits: Int64, checkpointed: Int64) {
    self.log = log
    self.commits = commits
    self.checkpointed = checkpointed
  }

  /// The path of the file of a store.
  static func path(of store: String) -> String { store + suffix }

  private var content: [UInt8] { Array("\(Self.title) \(log) \(commits) \(checkpointed)".utf8) }

  private static func signature(_ content: [UInt8], _ sealing: StoreSealing) -> [UInt8] {
    // Once for each transaction: no text on the way.
    let digits = Array("0123456789abcdef".utf8)
    return sealing.fingerprint(content, of: "kith_store.mark").flatMap {
      [digits[Int($0 >> 4)], digits[Int($0 & 15)]]
    }
  }

  /// Whether it was signed with the secret of that store.
  func isSigned(by sealing: StoreSealing) -> Bool {
    Array(signature.utf8) == Self.signature(content, sealing)
  }

  /// The line of a slot.
  func line(_ sealing: StoreSealing) -> [UInt8] {
    let content = content
    return content + [UInt8(ascii: " ")] + Self.signature(content, sealing) + [UInt8(ascii: "\n")]
  }

  /// Reads a slot; nil when it holds none.
  init?(slot: some Collection<UInt8>) {
    guard let end = slot.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
    let words = String(decoding: slot[..<end], as: UTF8.self)
      .split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 5, words[0] == Self.title, let commits = Int64(words[2]),
      let checkpointed = Int64(words[3]), !words[1].isEmpty
    else { return nil }
    self.init(log: String(words[1]), commits: commits, checkpointed: checkpointed)
    signature = String(words[4])
  }

  /// The slots of a store's file that can be read; nil when there is no file.
  /// - Throws: ``StoreError`` when it cannot be read.
  static func read(of store: String) throws(StoreError) -> [StoreMark]? {
    let path = path(of: store)
    var status = stat()
    if lstat(path, &status) != 0, errno == ENOENT { return nil }
    let file = try RegularFile.open(path, O_RDONLY)
    defer { close(file) }
    return read(file)
  }

  private static func read(_ file: Int32) -> [StoreMark] {
    (0..<slots).compactMap { read(file, slot: $0) }
  }

  fileprivate static func read(_ file: Int32, slot: Int) -> StoreMark? {
    let bytes = [UInt8](unsafeUninitializedCapacity: 256) { buffer, count in
      count = max(0, pread(file, buffer.baseAddress, 256, off_t(slot * slotSize)))
    }
    return StoreMark(slot: bytes)
  }

  /// Writes a whole new file, durably.
  static func create(_ path: String, _ mark: StoreMark, _ sealing: StoreSealing) throws(StoreError)
  {
    let line = mark.line(sealing)
    let slot = line + [UInt8](repeating: 0, count: slotSize - line.count)
    try DurableCopy.replace(path, with: slot + slot)
  }
}

/// The file of a ``StoreMark``, open for as long as the store is.
final class StoreMarkFile: Sendable {
  let path: String
  private let descriptor: Int32

  /// Opens the file of a store.
  /// - Throws: ``StoreError`` when it is not there.
  init(of store: String) throws(StoreError) {
    path = StoreMark.path(of: store)
    descriptor = try RegularFile.open(path, O_RDWR)
  }

  deinit { close(descriptor) }

  /// Writes a mark into its slot, unless another process has written a later one there.
  /// - Throws: ``StoreError`` when it cannot be written.
  func write(_ mark: StoreMark, _ sealing: StoreSealing) throws(StoreError) {
    let slot = Int(mark.commits % Int64(StoreMark.slots))
    if let there = StoreMark.read(descriptor, slot: slot), there.log == mark.log,
      there.commits > mark.commits
    {
      return
    }
    let line = mark.line(sealing)
    let count = pwrite(descriptor, line, line.count, off_t(slot * StoreMark.slotSize))
    guard count == line.count else { throw StoreError(system: path) }
  }

  /// Waits until what was written is on the disk.
  /// - Throws: ``StoreError`` when it cannot be.
  func sync() throws(StoreError) {
    guard fdatasync(descriptor) == 0 else { throw StoreError(system: path) }
  }
}
