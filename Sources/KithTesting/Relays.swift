import Glibc
import KithJSON
import KithSupervision
import Synchronization

/// Stands on the ways to all workers of a product, so that something can go wrong there.
///
/// As soon as a worker has made its socket, it gets a second name, and one of the kit's own takes
/// the first name, in one step (`rename`). Callers learn of a worker only after the host has led it
/// through its whole start, so they come to the kit's; the host names the kit's process to them
/// (`KITH_RELAY_PID`), since callers talk to nobody else than whom the host names. The host's
/// record of the process says that the kit was in time.
final class Relays: Sendable {
  private struct State {
    var faults: [Fault] = []
    var sockets: [UnixSocket] = []
    var connections: UInt64 = 0
    /// The workers whose callers may have come before the kit.
    var missed: Set<String> = []
    /// The incarnations by the watches on the folders of their sockets.
    var folders: [Int32: String] = [:]
    /// The incarnations whose socket the kit has taken.
    var taken: Set<String> = []
    var isClosed = false
  }

  private let folder: String
  private let seed: Seed
  private let notifier: Int32
  private let watch: Int32
  private let state = Mutex(State())

  /// Watches for the sockets of a product's workers.
  init(in product: TemporaryFolder, seed: Seed) throws(TestingError) {
    try product.makeFolder("r/run", mode: 0o700)
    folder = "\(product.path)/r/run"
    self.seed = seed
    notifier = inotify_init1(Int32(IN_CLOEXEC))
    watch = inotify_add_watch(notifier, folder, UInt32(IN_CREATE))
    guard notifier >= 0, watch >= 0 else {
      throw TestingError("cannot watch \(folder): \(String(cString: strerror(errno)))")
    }
    BlockingThread.start { self.watchFolder() }
  }

  /// The faults that act on a call of somebody to a worker now.
  private func faults(from caller: Edge.Caller, to worker: String) -> [Fault] {
    state.withLock(\.faults).filter { $0.edge?.includes(caller, to: worker) ?? false }
  }

  /// Has a fault act on a way.
  func add(_ fault: Fault, on edge: Edge) throws(TestingError) {
    let isMissed = state.withLock { state in
      state.faults.append(fault)
      return state.missed.contains(edge.worker)
    }
    guard !isMissed else {
      throw TestingError("callers of \(edge.worker) were faster than the kit; run the test again")
    }
  }

  /// Has none of these faults act any more.
  func remove(where isOver: (Fault) -> Bool) {
    state.withLock { $0.faults.removeAll(where: isOver) }
  }

  /// Takes no more connections. Those that there are end with their processes.
  func close() {
    let sockets = state.withLock { state in
      state.isClosed = true
      return state.sockets
    }
    for socket in sockets { socket.end() }
    inotify_rm_watch(notifier, watch)
  }

  private func watchFolder() {
    defer { Glibc.close(notifier) }
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(notifier, &buffer, buffer.count)
      guard count > 0 else { return }
      var rest = buffer[..<count]
      let header = MemoryLayout<inotify_event>.size
      while rest.count >= header {
        let event = rest.withUnsafeBytes { $0.loadUnaligned(as: inotify_event.self) }
        if event.mask & UInt32(IN_IGNORED) != 0, event.wd == watch { return }
        let name = rest.dropFirst(header).prefix(Int(event.len)).prefix { $0 != 0 }
        created(String(decoding: name, as: UTF8.self), by: event.wd)
        rest = rest.dropFirst(header + Int(event.len))
      }
    }
  }

  /// `odd.3` is the folder for the socket of the third process of `odd`, and `sock` in it the
  /// socket.
  private func created(_ name: String, by number: Int32) {
    if let incarnation = state.withLock({ $0.folders[number] }) {
      if name == "sock" { take(incarnation) }
      return
    }
    let parts = name.split(separator: ".")
    guard number == watch, parts.count == 2, UInt64(parts[1]) != nil else { return }
    let own = inotify_add_watch(notifier, "\(folder)/\(name)", UInt32(IN_CREATE))
    guard own >= 0 else { return }
    state.withLock { $0.folders[own] = name }
    // It may have been made before the watch.
    if access("\(folder)/\(name)/sock", F_OK) == 0 { take(name) }
  }

  /// Puts a socket of the kit's in place of an incarnation's.
  private func take(_ incarnation: String) {
    guard state.withLock({ $0.taken.insert(incarnation).inserted }) else { return }
    let parts = incarnation.split(separator: ".")
    let path = "\(folder)/\(incarnation)/sock"
    let behind = "\(folder)/\(incarnation)/behind"
    // One whose worker is gone again is left alone.
    guard link(path, behind) == 0, let socket = UnixSocket.listening(at: "\(path).kit"),
      rename("\(path).kit", path) == 0
    else { return }
    let worker = String(parts[0])
    let record = TemporaryFolder.text(of: "\(folder)/host/\(incarnation).process") ?? ""
    let isStarting = (try? JSONValue(parsing: record))?.objectValue?["phase"] == "starting"
    let isClosed = state.withLock { state in
      if !isStarting { state.missed.insert(worker) }
      state.sockets.append(socket)
      return state.isClosed
    }
    guard !isClosed else { return socket.end() }
    BlockingThread.start {
      while let caller = socket.accept() {
        // Nobody there any more: whoever calls finds nobody here either.
        guard let callee = UnixSocket.connected(to: behind) else { break }
        self.relay(caller, callee, worker: worker)
      }
      unlink(path)
      unlink(behind)
    }
  }

  private func relay(_ caller: UnixSocket, _ callee: UnixSocket, worker: String) {
    let number = state.withLock { state in
      state.connections += 1
      return state.connections
    }
    let name = callerName(caller.peerPID)
    for (source, target, isRequest) in [(caller, callee, true), (callee, caller, false)] {
      let dice = seed.dice(for: "\(worker) \(number) \(isRequest)")
      BlockingThread.start {
        var passage = Passage(isRequest: isRequest, dice: dice)
        if let hello = source.read(8), target.write(hello) {
          while let frame = Frame(from: source) {
            let faults = name.map { self.faults(from: $0, to: worker) } ?? []
            guard passage.pass(frame, to: target, faults) else { break }
          }
        }
        source.end()
        target.end()
      }
    }
  }

  /// Whose process it is; nil for the host's.
  private func callerName(_ pid: Int32) -> Edge.Caller? {
    if pid == getpid() { return .test }
    let mark = "KITH_INCARNATION=\(folder)/"
    let entries = (TemporaryFolder.text(of: "/proc/\(pid)/environ") ?? "").split(separator: "\0")
    return entries.first { $0.hasPrefix(mark) }
      .map { .worker(String($0.dropFirst(mark.count).prefix { $0 != "." })) }
  }
}

/// One message as it stands on a unix socket: the byte 1, the length in eight bytes, the call's
/// number in four, the frame.
private struct Frame {
  var bytes: [UInt8]

  /// The next one; nil when there is none.
  init?(from socket: UnixSocket) {
    guard let header = socket.read(9) else { return nil }
    let length = header.dropFirst().reduce(0) { $0 << 8 | UInt64($1) }
    guard length < 64 << 20, let body = socket.read(Int(length)) else { return nil }
    bytes = header + body
  }

  var call: ArraySlice<UInt8> { bytes.dropFirst(9).prefix(4) }

  /// Whether it is about the connection itself.
  var isNoCall: Bool { Array(call) == [0x80, 0, 0, 0] }
}

/// One direction of one connection.
private struct Passage {
  let isRequest: Bool
  var dice: SplitMix64
  private var calls: Set<ArraySlice<UInt8>> = []

  init(isRequest: Bool, dice: SplitMix64) {
    self.isRequest = isRequest
    self.dice = dice
  }

  /// Passes a frame on as the faults let it; false when the connection is over.
  mutating func pass(_ frame: Frame, to target: UnixSocket, _ faults: [Fault]) -> Bool {
    var bytes = frame.bytes
    let opensCall = isRequest && !frame.isNoCall && calls.insert(frame.call).inserted
    var isTwice = false
    for fault in faults {
      switch fault {
      case .slow(_, let delay):
        let (seconds, attoseconds) = delay.components
        usleep(UInt32(seconds * 1_000_000 + attoseconds / 1_000_000_000_000))
      case .drop(_, let count):
        guard dice.isOne(in: count) else { continue }
        _ = target.write(bytes.prefix(bytes.count / 2))
        return false
      case .duplicate(_, let count): if opensCall, dice.isOne(in: count) { isTwice = true }
      case .corrupt(_, let count):
        // The first byte of the header, of the call's number, or of the frame.
        if dice.isOne(in: count), let place = [0, 9, 13].randomElement(using: &dice),
          place < bytes.count
        {
          bytes[place] = 0x7F
        }
      case .kill, .freeze, .fullDisk, .clockJump: continue
      }
    }
    return target.write(bytes) && (!isTwice || target.write(bytes))
  }
}
