import Glibc
import KithRPC
import KithWire
import Synchronization
import Testing

@testable import KithTransportNng

/// Streams over unix sockets, against nng's other end and against plain sockets.
@Suite(.timeLimit(.minutes(2)))
struct IPCTests {
  private let folder = SocketFolder()

  /// The streams that a listener has accepted.
  private final class ListeningSocket: Sendable {
    let listener: NngListener
    private let streams: AsyncStream<any ByteStream>

    init(_ address: String) throws {
      listener = NngListener(address: address)
      let (streams, came) = AsyncStream<any ByteStream>.makeStream()
      self.streams = streams
      try listener.start { came.yield($0) }
    }

    deinit { listener.close() }

    func next() async throws -> any ByteStream {
      try #require(await streams.first { _ in true })
    }
  }

  private func connect(_ address: String) async throws -> any ByteStream {
    try await NngConnector(address: address).connect(ConnectRequest()).stream
  }

  private func error(_ body: () async throws -> Void) async -> RPCError? {
    do {
      try await body()
      return nil
    } catch {
      return error as? RPCError
    }
  }

  private func plain(_ path: String, waits: Bool = true) throws -> PlainSocket {
    try PlainSocket.connected(to: path, waits: waits).get()
  }

  private func pattern(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
  }

  // MARK: - Connecting

  @Test func bytesGoBothWays() async throws {
    let socket = try ListeningSocket(folder.address())
    let ours = StreamRecorder(try await connect(folder.address()))
    let theirs = StreamRecorder(try await socket.next())
    ours.write([1, 2, 3])
    theirs.write([4, 5])
    #expect(await theirs.bytes(3) == [1, 2, 3])
    #expect(await ours.bytes(2) == [4, 5])
  }

  @Test func whoIsAtTheOtherEndIsKnownOnBothSides() async throws {
    let socket = try ListeningSocket(folder.address())
    let ours = try await connect(folder.address())
    let theirs = try await socket.next()
    for stream in [ours, theirs] {
      #expect(stream.peer.uid == geteuid() && stream.peer.gid == getegid())
      #expect(stream.peer.pid == getpid())
      #expect(!stream.peer.hasCertificate && stream.peer.address == nil)
      #expect(stream.framing == .ipc)
    }
    ours.close()
    theirs.close()
  }

  @Test func aProcessOfAnotherUserIsNotTalkedTo() async throws {
    let socket = try ListeningSocket(folder.address())
    let asked = Mutex<[PeerIdentity]>([])
    let connector = NngConnector(
      address: folder.address(),
      authorize: { peer in
        asked.withLock { $0.append(peer) }
        return false
      })
    let refusal = await error { _ = try await connector.connect(ConnectRequest()) }
    #expect(refusal?.code == .permissionDenied)
    #expect(asked.withLock { $0.map(\.uid) } == [geteuid()])
    // The connection is closed, and not left to whoever listens.
    #expect(await StreamRecorder(try await socket.next()).end() == nil)
  }

  @Test func aPathWithoutASocketAndOneWithoutAListenerAreUnavailable() async throws {
    let none = await error { _ = try await connect(folder.address("none.sock")) }
    #expect(none?.code == .unavailable && none?.message.contains("no such socket") == true)
    _ = PlainSocket.bound(at: folder.socket("dead.sock"))
    let dead = await error { _ = try await connect(folder.address("dead.sock")) }
    #expect(dead?.code == .unavailable && dead?.message.contains("left behind") == true)
  }

  @Test func aSocketThatMayNotBeUsedIsPermissionDenied() async throws {
    // Root may use everything.
    guard geteuid() != 0 else { return }
    let socket = try ListeningSocket(folder.address())
    chmod(folder.socket(), 0)
    let refusal = await error { _ = try await connect(folder.address()) }
    #expect(refusal?.code == .permissionDenied, "\(String(describing: refusal))")
    withExtendedLifetime(socket) {}
  }

  @Test func aListenerInAFolderThatIsNotThereSaysSo() async throws {
    let refusal = await error { _ = try ListeningSocket("ipc://\(folder.path)/none/worker.sock") }
    #expect(refusal?.code == .unavailable && refusal?.message.contains("folder must exist") == true)
  }

  @Test func aPathHolds107BytesAndNotOneMore() async throws {
    let room = 107 - folder.path.utf8.count - 1
    let longest = String(repeating: "n", count: room)
    let socket = try ListeningSocket(folder.address(longest))
    let stream = try await connect(folder.address(longest))
    stream.close()
    withExtendedLifetime(socket) {}
    let long = await error { _ = try ListeningSocket(folder.address(longest + "n")) }
    #expect(long?.code == .invalidArgument)
    #expect(long?.message.contains("108 bytes") == true && long?.message.contains("107") == true)
    let dialled = await error { _ = try await connect(folder.address(longest + "n")) }
    #expect(dialled?.code == .invalidArgument)
  }

  @Test(arguments: [
    "ipc://", "ipc://relative.sock", "ipc:///folder/", "ipc:///a\u{0}b", "/run/worker.sock",
    "unix:///a",
    "tcp://host", "tcp://:1", "tcp://host:66000", "tls+tcp://host:1/path",
  ])
  func whatIsNoAddressIsRefused(_ address: String) async {
    let refusal = await error { _ = try NngAddress(address) }
    #expect(refusal?.code == .invalidArgument)
  }

  @Test func plainTcpIsRefusedUnlessAskedFor() async throws {
    let refusal = await error { _ = try ListeningSocket("tcp://127.0.0.1:0") }
    #expect(refusal?.code == .invalidArgument && refusal?.message.contains("refused") == true)
    let mixed = await error {
      try NngListener(address: folder.address(), security: .insecure).start { $0.close() }
    }
    #expect(mixed?.code == .invalidArgument)
    let listener = NngListener(address: "tcp://127.0.0.1:0", security: .insecure)
    try listener.start { $0.close() }
    #expect(listener.port.map { $0 > 0 } == true)
    listener.close()
  }

  // MARK: - Reading to the end

  /// A peer that is read from, and all at once writes and is gone: the poller is told of bytes and
  /// end in one.
  private func writeAndLeave(_ bytes: [UInt8], _ socket: ListeningSocket) async throws
    -> StreamRecorder
  {
    let peer = try plain(folder.socket())
    let recorder = StreamRecorder(try await socket.next())
    peer.write([0])
    _ = await recorder.bytes(1)
    // For the next read to wait in the kernel.
    for _ in 0..<20 { await Task.yield() }
    peer.write(bytes)
    return recorder
  }

  @Test(arguments: [1, 100, 60_000])
  func aPeerThatWritesAndClosesAtOnceIsReadToItsEnd(_ size: Int) async throws {
    let socket = try ListeningSocket(folder.address())
    let expected = pattern(size)
    for _ in 0..<20 {
      let recorder = try await writeAndLeave(expected, socket)
      #expect(await recorder.end() == nil)
      #expect(recorder.bytes == [0] + expected)
    }
  }

  @Test func aPeerThatClosesWhileItIsReadIsReadToItsEnd() async throws {
    let socket = try ListeningSocket(folder.address())
    let peer = try plain(folder.socket())
    let recorder = StreamRecorder(try await socket.next())
    // More than one read takes.
    let expected = pattern(1_000_000)
    peer.write(expected)
    shutdown(peer.descriptor, Int32(SHUT_RDWR))
    #expect(await recorder.end() == nil)
    #expect(recorder.bytes == expected)
  }

  @Test func aPeerThatOnlyFinishesWritingHasBeenReadWhenTheStreamEnds() async throws {
    let socket = try ListeningSocket(folder.address())
    let peer = try plain(folder.socket())
    let recorder = StreamRecorder(try await socket.next())
    peer.write([1, 2, 3])
    peer.finishWriting()
    #expect(await recorder.end() == nil)
    #expect(recorder.bytes == [1, 2, 3])
  }

  @Test func aCallerThatIsAnsweredAndLeftHasItsAnswer() async throws {
    let listening = PlainSocket.listening(at: folder.socket(), backlog: 4)
    async let connected = connect(folder.address())
    let peer = listening.accept()
    let stream = try await connected
    let answer = pattern(50_000)
    peer.write(answer)
    shutdown(peer.descriptor, Int32(SHUT_RDWR))
    let recorder = StreamRecorder(stream)
    // It writes although nobody reads any more: what came before is still to be had.
    recorder.write([1])
    #expect(await recorder.end() == nil)
    #expect(recorder.bytes == answer)
  }

  @Test func aWriteThatIsHeldUpLosesNothingOfWhatThePeerSaidBeforeItLeft() async throws {
    let listening = PlainSocket.listening(at: folder.socket(), backlog: 4)
    let answer = pattern(50_000)
    for _ in 0..<20 {
      async let connected = connect(folder.address())
      let peer = listening.accept()
      let recorder = StreamRecorder(try await connected)
      // More than the socket takes, of which nobody reads anything.
      recorder.write([UInt8](repeating: 1, count: 4 << 20))
      peer.write(answer)
      shutdown(peer.descriptor, Int32(SHUT_RDWR))
      _ = await recorder.end()
      #expect(recorder.bytes == answer)
    }
  }

  @Test func closingTellsBothSidesOnce() async throws {
    let socket = try ListeningSocket(folder.address())
    let stream = try await connect(folder.address())
    let ours = StreamRecorder(stream)
    let theirs = StreamRecorder(try await socket.next())
    stream.close()
    stream.close()
    #expect(await ours.end() == nil)
    #expect(await theirs.end() == nil)
    let late = try await connect(folder.address())
    late.close()
    #expect(await StreamRecorder(late).end() == nil, "one that starts after its end is told it")
  }

  // MARK: - Amounts

  @Test func largeFramesArriveWholeWhileTheReaderPauses() async throws {
    let socket = try ListeningSocket(folder.address())
    let ours = StreamRecorder(try await connect(folder.address()))
    let theirs = StreamRecorder(try await socket.next(), reads: false)
    let large = pattern(12 << 20)
    ours.write(large)
    _ = await theirs.bytes(1)
    #expect(!ours.hasWritten, "what is not read waits with the writer")
    theirs.read()
    #expect(await theirs.bytes(large.count) == large)
  }

  @Test func manySmallWritesArriveInOrder() async throws {
    let socket = try ListeningSocket(folder.address())
    let ours = StreamRecorder(try await connect(folder.address()))
    let theirs = StreamRecorder(try await socket.next())
    let all = pattern(40_000)
    for start in stride(from: 0, to: all.count, by: 8) { ours.write(Array(all[start..<start + 8])) }
    #expect(await theirs.bytes(all.count) == all)
  }

  @Test func manyConnectionsAreAllAccepted() async throws {
    let socket = try ListeningSocket(folder.address())
    var pairs: [(StreamRecorder, StreamRecorder)] = []
    for number in 0..<100 as Range<UInt8> {
      let ours = StreamRecorder(try await connect(folder.address()))
      let theirs = StreamRecorder(try await socket.next())
      ours.write([number])
      pairs.append((ours, theirs))
    }
    for (number, pair) in pairs.enumerated() {
      #expect(await pair.1.bytes(1) == [UInt8(number)])
    }
  }

  // MARK: - Who listens

  @Test func aSocketThatADeadProcessLeftIsReplaced() async throws {
    _ = PlainSocket.bound(at: folder.socket())
    #expect(access(folder.socket(), F_OK) == 0)
    let socket = try ListeningSocket(folder.address())
    let stream = try await connect(folder.address())
    stream.close()
    withExtendedLifetime(socket) {}
  }

  @Test func aListenerKeepsItsSocket() async throws {
    let socket = try ListeningSocket(folder.address())
    let second = await error { _ = try ListeningSocket(folder.address()) }
    #expect(second?.code == .alreadyExists && second?.message.contains(folder.socket()) == true)
    let ours = StreamRecorder(try await connect(folder.address()))
    // The one that asked whether somebody listens, and the one that connected.
    var theirs = StreamRecorder(try await socket.next())
    _ = await theirs.end()
    theirs = StreamRecorder(try await socket.next())
    ours.write([1])
    #expect(await theirs.bytes(1) == [1])
  }

  @Test func aListenerWithAFullBacklogKeepsItsSocket() async throws {
    let listening = PlainSocket.listening(at: folder.socket(), backlog: 0)
    var waiting: [PlainSocket] = []
    var refusal: SocketRefusal?
    while refusal == nil, waiting.count < 64 {
      switch PlainSocket.connected(to: folder.socket(), waits: false) {
      case .success(let peer): waiting.append(peer)
      case .failure(let error): refusal = error
      }
    }
    try #require(refusal?.code == EAGAIN, "the backlog is full")
    let before = try #require(self.inode(of: folder.socket()))
    let second = await error { _ = try ListeningSocket(folder.address()) }
    #expect(second?.code == .alreadyExists)
    #expect(self.inode(of: folder.socket()) == before, "it is the very same socket")
    let first = listening.accept()
    waiting[0].write([7])
    #expect(first.read(1) == [7])
  }

  @Test func whatIsNoSocketIsLeftAlone() async throws {
    let path = folder.socket("notes.txt")
    let file = try #require(fopen(path, "w"))
    fputs("mine", file)
    fclose(file)
    let refusal = await error { _ = try ListeningSocket(folder.address("notes.txt")) }
    #expect(refusal?.code == .alreadyExists && refusal?.message.contains("no socket") == true)
    // A link to a socket is no socket either: what it leads to is not touched.
    _ = PlainSocket.bound(at: folder.socket("dead.sock"))
    symlink(folder.socket("dead.sock"), folder.socket("link.sock"))
    let link = await error { _ = try ListeningSocket(folder.address("link.sock")) }
    #expect(link?.code == .alreadyExists)
    #expect(inode(of: path) != nil && inode(of: folder.socket("dead.sock")) != nil)
  }

  @Test func aListenerTakesItsSocketAwayAndLeavesItsStreams() async throws {
    let socket = try ListeningSocket(folder.address())
    let ours = StreamRecorder(try await connect(folder.address()))
    let theirs = StreamRecorder(try await socket.next())
    socket.listener.close()
    while inode(of: folder.socket()) != nil { await Task.yield() }
    ours.write([1, 2])
    #expect(await theirs.bytes(2) == [1, 2])
    let again = await error { try socket.listener.start { $0.close() } }
    #expect(again?.code == .failedPrecondition)
  }

  @Test func aListenerStartsOnce() async throws {
    let socket = try ListeningSocket(folder.address())
    let again = await error { try socket.listener.start { $0.close() } }
    #expect(again?.code == .failedPrecondition)
    let stream = try await connect(folder.address())
    stream.close()
  }

  @Test func whoComesBackFindsTheNextListener() async throws {
    for round in 0..<20 as Range<UInt8> {
      let socket = try await nextSocket(folder.address())
      let ours = StreamRecorder(try await connect(folder.address()))
      let theirs = StreamRecorder(try await socket.next())
      theirs.write([round])
      #expect(await ours.bytes(1) == [round])
      socket.listener.close()
    }
  }

  /// A listener in the place of one that was closed: nng closes it on a thread of its own.
  private func nextSocket(_ address: String) async throws -> ListeningSocket {
    while true {
      do {
        return try ListeningSocket(address)
      } catch let error as RPCError where error.code == .alreadyExists {
        await Task.yield()
      }
    }
  }

  private func inode(of path: String) -> UInt64? {
    var status = stat()
    return lstat(path, &status) == 0 ? UInt64(status.st_ino) : nil
  }
}
