import Crypto
import Glibc
import Synchronization

/// What seals the personal data of one worker before it is written, and opens it again.
///
/// ChaCha20-Poly1305 (RFC 8439) under keys that HKDF (RFC 5869) derives, for each worker its own, from the product's
/// ``KeyRing``. What is sealed begins with a version byte and the id of its key, so that it opens while keys are rotated.
/// A process keeps the keys that it has read until it ends, also those that were destroyed since. Safe to use from any
/// thread.
public final class SealingKeys: Sendable {
  private static let version: UInt8 = 1
  private static let headerSize = 5

  private struct State {
    var newest: UInt32
    var keys: [UInt32: SymmetricKey] = [:]
    var stamp: FileStamp?
  }

  private let scope: String
  private let file: KeyRingFile?
  private let state: Mutex<State>

  /// The keys of a worker, by its name, from its product's file.
  /// - Throws: ``SealingError`` as ``KeyRingFile/read()``.
  public init(file: KeyRingFile, worker: String) throws(SealingError) {
    scope = worker
    self.file = file
    let stamp = FileStamp(file.path)
    state = Mutex(Self.state(try file.read(), worker, over: [:], stamp))
  }

  /// The keys of a worker from a ring in memory, as one has it that keeps nothing.
  public init(ring: KeyRing = KeyRing(), worker: String) {
    scope = worker
    file = nil
    state = Mutex(Self.state(ring, worker, over: [:], nil))
  }

  /// The first bytes of all that is sealed from now on: what begins otherwise was sealed with an older key.
  public var header: [UInt8] { Self.header(state.withLock { $0.newest }) }

  /// Takes over what has become of the file, if it was replaced. One look at the file; cheap enough for each transaction.
  /// - Throws: ``SealingError`` as ``KeyRingFile/read()``.
  public func refresh() throws(SealingError) {
    guard let file else { return }
    let stamp = FileStamp(file.path)
    guard stamp != state.withLock({ $0.stamp }) else { return }
    let ring = try file.read()
    state.withLock { $0 = Self.state(ring, scope, over: $0.keys, stamp) }
  }

  /// Seals bytes, which then open only in that place.
  public func seal(_ bytes: [UInt8], at place: SealedPlace) throws(SealingError) -> [UInt8] {
    let (id, key) = state.withLock { ($0.newest, $0.keys[$0.newest]) }
    do {
      guard let key else { throw SealingError("there is no key") }
      let box = try ChaChaPoly.seal(bytes, using: key, authenticating: place.bytes)
      return Self.header(id) + Array(box.combined)
    } catch {
      throw SealingError("data of \(place) cannot be sealed")
    }
  }

  /// Opens what ``seal(_:at:)`` sealed.
  /// - Throws: ``SealingError`` when its key is not there any more, when it was sealed in another place, or was changed
  ///   since.
  public func open(_ sealed: [UInt8], at place: SealedPlace) throws(SealingError) -> [UInt8] {
    guard sealed.count > Self.headerSize, sealed[0] == Self.version else {
      throw SealingError("data of \(place) cannot be opened: it was not sealed, or changed since")
    }
    let id = sealed[1..<Self.headerSize].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    var key = state.withLock { $0.keys[id] }
    if key == nil {
      try refresh()
      key = state.withLock { $0.keys[id] }
    }
    guard let key else {
      throw SealingError(
        "data of \(place) cannot be opened: it was sealed with key \(id), which is not in "
          + "\(file?.path ?? "memory")")
    }
    do {
      let box = try ChaChaPoly.SealedBox(combined: sealed[Self.headerSize...])
      return Array(try ChaChaPoly.open(box, using: key, authenticating: place.bytes))
    } catch {
      throw SealingError(
        "data of \(place) cannot be opened: it belongs elsewhere, or was changed since")
    }
  }

  private static func header(_ id: UInt32) -> [UInt8] {
    [version] + stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: id >> $0) }
  }

  private static func state(
    _ ring: KeyRing, _ worker: String, over known: [UInt32: SymmetricKey], _ stamp: FileStamp?
  ) -> State {
    var state = State(newest: ring.newest.id, keys: known, stamp: stamp)
    for key in ring.keys {
      state.keys[key.id] = HKDF<SHA256>.deriveKey(
        inputKeyMaterial: key.secret, info: Array("kith sealing\0\(worker)".utf8),
        outputByteCount: 32)
    }
    return state
  }
}

/// Tells whether a file was replaced since.
private struct FileStamp: Equatable {
  private var inode: UInt
  private var seconds: Int
  private var nanoseconds: Int

  /// The stamp of a file; nil when there is none.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    inode = UInt(status.st_ino)
    seconds = status.st_mtim.tv_sec
    nanoseconds = status.st_mtim.tv_nsec
  }
}
