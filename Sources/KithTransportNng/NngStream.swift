import CNng
import Dispatch
import KithRPC
import KithWire
import Synchronization

/// A connected stream of nng (`nng_stream`).
///
/// nng may be used wrongly at the end of a stream more easily than anywhere else, so that end has
/// one place, ``tearDown()``, and one order: first both aios are stopped, so that no callback runs
/// or will; then the stream is freed, then the aios. It is entered once, when the stream is closed
/// and no function is inside a call to nng (`uses`).
///
/// Unchecked: the pointers of nng are set once and used only between `enter` and `leave`, which
/// keep them alive; nng's own locks guard what they point to. The buffer belongs to the one read
/// under way.
final class NngStream: ByteStream, @unchecked Sendable {
  private struct State {
    var receiver: (any ByteStreamReceiver)?
    /// The batch being written; kept until nng is done with its memory.
    var writing: WireBuffer?
    /// How much of it is written.
    var written = 0
    /// How many functions are inside a call to nng.
    var uses = 0
    var isClosed = false
    /// Whether the receiver has been told of the end.
    var hasEnded = false
    /// The reading side has failed once; see `didReceive`.
    var isDraining = false
  }

  let framing: MessageFraming
  let peer: PeerIdentity

  private static let bufferSize = 64 << 10

  private let state = Mutex(State())
  private let stream: OpaquePointer
  private let isTLS: Bool
  private let buffer: UnsafeMutableRawPointer
  private var receiveAio: OpaquePointer?
  /// Sends what the socket does not take at once; has a callback.
  private var sendAio: OpaquePointer?
  /// Sends what the socket takes at once. It has no callback, for which nng would wake another
  /// thread only to say that all is well.
  private var promptAio: OpaquePointer?

  /// Takes over a connected stream to or from `address`.
  init(_ stream: OpaquePointer, _ address: NngAddress) throws(RPCError) {
    self.stream = stream
    self.framing = address.framing
    if case .tls = address.kind { isTLS = true } else { isTLS = false }
    self.peer = PeerIdentity(nngStream: stream, address)
    self.buffer = .allocate(byteCount: Self.bufferSize, alignment: 16)
    do throws(RPCError) {
      // The aios hold this object until the teardown gives it back: a callback never finds it gone.
      let context = Unmanaged.passUnretained(self).toOpaque()
      try NngCode.check("cannot make an operation") {
        nng_aio_alloc(&receiveAio, { didReceive($0) }, context)
      }
      try NngCode.check("cannot make an operation") {
        nng_aio_alloc(&sendAio, { didSend($0) }, context)
      }
      try NngCode.check("cannot make an operation") { nng_aio_alloc(&promptAio, nil, nil) }
      _ = Unmanaged.passRetained(self)
    } catch {
      if let receiveAio { nng_aio_free(receiveAio) }
      if let sendAio { nng_aio_free(sendAio) }
      nng_stream_free(stream)
      throw error
    }
  }

  deinit { buffer.deallocate() }

  // MARK: - Reading

  func start(receiver: any ByteStreamReceiver) {
    let isOpen = state.withLock { state in
      if !state.isClosed { state.receiver = receiver } else { state.hasEnded = true }
      return !state.isClosed
    }
    guard isOpen else { return receiver.ended(nil) }
    receive()
  }

  func resumeReading() { receive() }

  private func receive() {
    guard enter() else { return }
    var vector = nng_iov(iov_buf: buffer, iov_len: Self.bufferSize)
    nng_aio_set_iov(receiveAio, 1, &vector)
    nng_stream_recv(stream, receiveAio)
    leave()
  }

  fileprivate func received() {
    let result = NngCode(rawValue: nng_aio_result(receiveAio))
    guard result == .ok else { return receiveFailed(result) }
    guard let receiver = state.withLock({ $0.isClosed ? nil : $0.receiver }) else { return }
    let bytes = UnsafeRawBufferPointer(start: buffer, count: nng_aio_count(receiveAio))
    if receiver.received(bytes) == .proceed { receive() }
    receiver.deliver()
  }

  private func receiveFailed(_ code: NngCode) {
    // nng 1.5 gives up a stream as soon as poll tells of its end (posix_ipcconn.c, ipc_cb), also
    // when bytes that came before it are still unread. The socket still holds them: reading goes on
    // until it fails a second time. Not within TLS, which says by its own words that nothing
    // follows, and where a second read would wait for ever.
    let isFirst = state.withLock { state in
      defer { state.isDraining = true }
      return !state.isDraining && !state.isClosed
    }
    if isFirst, code == .connectionShut, !isTLS { return receive() }
    fail(code)
  }

  // MARK: - Writing

  func write(_ batch: WireBuffer) -> Bool {
    guard !isTLS else { return writeLater(batch) }
    guard enter() else { return true }
    defer { leave() }
    var written = 0
    while written < batch.count {
      let rest = UnsafeRawBufferPointer(rebasing: batch.unsafeBytes[written...])
      submit(rest, promptAio)
      // What was not sent at once is taken back, and sent again with a callback. Either way the
      // operation is over here, and the wait ends at once.
      nng_aio_cancel(promptAio)
      nng_aio_wait(promptAio)
      switch NngCode(rawValue: nng_aio_result(promptAio)) {
      case .ok: written += nng_aio_count(promptAio)
      case .cancelled:
        state.withLock { state in
          state.writing = batch
          state.written = written
        }
        send()
        return false
      // The end is told by the reading side, when all is read that the peer wrote before it went.
      case .connectionShut, .closed: return true
      case let code:
        fail(code)
        return true
      }
    }
    // nng has read from the batch's memory up to here.
    withExtendedLifetime(batch) {}
    return true
  }

  /// Writes with a callback from the start.
  ///
  /// Within TLS a send cannot be taken back: nng 1.5 passes a cancellation on to the operation on
  /// the tcp stream below (tls_common.c, tls_cancel), so that one that waits for the handshake is
  /// never over, and one that does not breaks the connection.
  private func writeLater(_ batch: WireBuffer) -> Bool {
    let isOpen = state.withLock { state in
      guard !state.isClosed else { return false }
      state.writing = batch
      state.written = 0
      return true
    }
    guard isOpen else { return true }
    send()
    return false
  }

  private func submit(_ bytes: UnsafeRawBufferPointer, _ aio: OpaquePointer?) {
    // nng only reads from the vector of a send; its type has no way to say so.
    var vector = nng_iov(
      iov_buf: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
    nng_aio_set_iov(aio, 1, &vector)
    nng_stream_send(stream, aio)
  }

  private func send() {
    guard enter() else { return }
    let rest = state.withLock { state in
      state.writing.map { UnsafeRawBufferPointer(rebasing: $0.unsafeBytes[state.written...]) }
    }
    if let rest { submit(rest, sendAio) }
    leave()
  }

  fileprivate func sent() {
    let result = NngCode(rawValue: nng_aio_result(sendAio))
    guard result == .ok else {
      // What the peer wrote before it went is still to be read: the end is told by the reading
      // side.
      if result != .connectionShut { fail(result) }
      return
    }
    let count = nng_aio_count(sendAio)
    let (receiver, isDone) = state.withLock { state -> ((any ByteStreamReceiver)?, Bool) in
      state.written += count
      let isDone = state.written >= state.writing?.count ?? 0
      if isDone { state.writing = nil }
      return (state.isClosed ? nil : state.receiver, isDone)
    }
    guard isDone else { return send() }
    receiver?.wrote()
  }

  // MARK: - The end

  func close() { end(nil) }

  /// Whether it was closed, or has ended.
  var isClosed: Bool { state.withLock { $0.isClosed } }

  private func fail(_ code: NngCode) {
    switch code {
    case .closed, .cancelled, .connectionShut: end(nil)
    case .peerAuthentication, .cryptography:
      // mbedTLS knows which of these it is, and nng does not pass it on. That the own certificate
      // is in its time was seen to before it was shown.
      end(
        RPCError(
          .unauthenticated,
          "TLS with \(peer.address ?? "the other side") failed (\(code.text)): the certificate of the other side is "
            + "expired, not for the name that was called, or not signed by an authority that is trusted here; or the "
            + "other side does not trust the one of this side"))
    default: end(RPCError(.unavailable, "the connection broke: \(code.text)"))
    }
  }

  private func end(_ error: RPCError?) {
    let (receiver, tearsDown) = state.withLock { state -> ((any ByteStreamReceiver)?, Bool) in
      guard !state.isClosed else { return (nil, false) }
      state.isClosed = true
      defer { state.receiver = nil }
      return (state.receiver, state.uses == 0)
    }
    receiver?.ended(error)
    if tearsDown { tearDown() }
  }

  private func enter() -> Bool {
    state.withLock { state in
      guard !state.isClosed else { return false }
      state.uses += 1
      return true
    }
  }

  private func leave() {
    let tearsDown = state.withLock { state in
      state.uses -= 1
      return state.isClosed && state.uses == 0
    }
    if tearsDown { tearDown() }
  }

  /// Frees what nng holds. Stopping an aio waits for its callback, in which this may have been
  /// called: so it happens on a thread where waiting does no harm.
  private func tearDown() {
    NngTeardown.queue.async { [self] in
      // Closed first: within TLS only that ends an operation, see `writeLater`.
      if isTLS { nng_stream_close(stream) }
      nng_aio_stop(receiveAio)
      nng_aio_stop(sendAio)
      nng_aio_stop(promptAio)
      if !isTLS { nng_stream_close(stream) }
      nng_stream_free(stream)
      nng_aio_free(receiveAio)
      nng_aio_free(sendAio)
      nng_aio_free(promptAio)
      Unmanaged.passUnretained(self).release()
    }
  }
}

/// Where the handles of nng are freed: on threads of their own, since freeing waits for callbacks.
enum NngTeardown {
  static let queue = DispatchQueue(label: "kith.nng.teardown", attributes: .concurrent)
}

private func didReceive(_ context: UnsafeMutableRawPointer?) {
  guard let context else { return }
  Unmanaged<NngStream>.fromOpaque(context).takeUnretainedValue().received()
}

private func didSend(_ context: UnsafeMutableRawPointer?) {
  guard let context else { return }
  Unmanaged<NngStream>.fromOpaque(context).takeUnretainedValue().sent()
}

extension PeerIdentity {
  /// Who is at the other end of a stream, by `NNG_OPT_IPC_PEER_UID`, `_GID` and `_PID`. At a TLS
  /// address it is somebody with a certificate, for nothing is read from anybody else.
  fileprivate init(nngStream stream: OpaquePointer, _ address: NngAddress) {
    func option(_ name: String) -> UInt64? {
      var value: UInt64 = 0
      return nng_stream_get_uint64(stream, name, &value) == 0 ? value : nil
    }
    self.init(
      uid: option(NNG_OPT_IPC_PEER_UID).map(UInt32.init(truncatingIfNeeded:)),
      gid: option(NNG_OPT_IPC_PEER_GID).map(UInt32.init(truncatingIfNeeded:)),
      pid: option(NNG_OPT_IPC_PEER_PID).map(Int32.init(truncatingIfNeeded:)))
    if case .tls = address.kind { hasCertificate = true }
    self.address = SocketAddress(nngStream: stream)?.text
  }
}
