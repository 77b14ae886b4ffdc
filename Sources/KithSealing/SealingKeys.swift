import Crypto
import Synchronization

/// What seals the personal data of one worker before it is written, and opens it again.
///
/// ChaCha20-Poly1305 (RFC 8439) under the worker's own keys (``WorkerKey``). What is sealed begins
/// with a version byte and the id of its key, so that it opens while keys are changed. Safe to use
/// from any thread.
public final class SealingKeys: Sendable {
  private static let version: UInt8 = 1
  private static let headerSize = 5

  private struct State {
    var newest: UInt32
    var keys: [UInt32: SymmetricKey]
  }

  private let state: Mutex<State>

  /// The keys that a worker was handed: the first seals, all of them open.
  /// - Throws: ``SealingError`` when there is none, or one id is there twice.
  public init(_ keys: [WorkerKey]) throws(SealingError) {
    state = Mutex(try Self.state(keys, over: [:]))
  }

  /// The keys of a worker, by its name, from its product's file: for tools that work on the files.
  /// - Throws: ``SealingError`` as ``KeyRingFile/read()``.
  public convenience init(file: KeyRingFile, worker: String) throws(SealingError) {
    try self.init(try file.read().keys(of: worker))
  }

  /// The keys of a worker from a ring in memory, as one has it that keeps nothing.
  public init(ring: KeyRing = KeyRing(), worker: String) {
    let keys = ring.keys(of: worker)
    state = Mutex(State(newest: keys[0].id, keys: Self.secrets(keys)))
  }

  /// The first bytes of all that is sealed from now on: what begins otherwise was sealed with an
  /// older key.
  public var header: [UInt8] { Self.header(state.withLock { $0.newest }) }

  /// Takes the worker's keys as they are now: from the return on the first seals. Those that were
  /// there before go on opening, since a reader may still look at what was there before it was
  /// sealed anew.
  /// - Throws: ``SealingError`` when there is none, one id is there twice, or stands for another
  ///   key than before; nothing has changed then.
  public func take(_ keys: [WorkerKey]) throws(SealingError) {
    let result = state.withLock { state in
      Result { () throws(SealingError) in state = try Self.state(keys, over: state.keys) }
    }
    try result.get()
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
  /// - Throws: ``SealingError`` when its key is not there any more, when it was sealed in another
  ///   place, or was changed since.
  public func open(_ sealed: [UInt8], at place: SealedPlace) throws(SealingError) -> [UInt8] {
    guard sealed.count > Self.headerSize, sealed[0] == Self.version else {
      throw SealingError(
        "data of \(place) cannot be opened: it was not sealed, or changed since; restore a backup with "
          + "`kith restore`")
    }
    let id = sealed[1..<Self.headerSize].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    guard let key = state.withLock({ $0.keys[id] }) else {
      throw SealingError(
        "data of \(place) cannot be opened: it was sealed with key \(id), which is not one of the "
          + "worker's; bring the product's file of keys back from where it was kept, or restore a "
          + "backup with `kith restore`")
    }
    do {
      let box = try ChaChaPoly.SealedBox(combined: sealed[Self.headerSize...])
      return Array(try ChaChaPoly.open(box, using: key, authenticating: place.bytes))
    } catch {
      throw SealingError(
        "data of \(place) cannot be opened: it belongs elsewhere, or was changed since; restore a backup "
          + "with `kith restore`")
    }
  }

  private static func header(_ id: UInt32) -> [UInt8] {
    [version] + stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: id >> $0) }
  }

  private static func state(
    _ keys: [WorkerKey], over known: [UInt32: SymmetricKey]
  ) throws(SealingError) -> State {
    guard let newest = keys.first else {
      throw SealingError("no sealing key was handed over; expected one or more")
    }
    guard Set(keys.map(\.id)).count == keys.count else {
      throw SealingError("two sealing keys were handed over under one id")
    }
    guard keys.allSatisfy({ known[$0.id] == nil || known[$0.id] == $0.secret }) else {
      throw SealingError("a sealing key was handed over under the id of another one")
    }
    return State(newest: newest.id, keys: known.merging(secrets(keys)) { known, _ in known })
  }

  private static func secrets(_ keys: [WorkerKey]) -> [UInt32: SymmetricKey] {
    Dictionary(keys.map { ($0.id, $0.secret) }) { first, _ in first }
  }
}
