import CNng
import Dispatch
import Glibc
public import KithRPC
import Synchronization

/// Listens at an nng address: `ipc:///run/user/1000/kith/milo/host.sock`, `tls+tcp://0.0.0.0:7443`.
///
/// Unchecked: the pointers of nng are set under the lock by `start` and freed once, by the
/// teardown; nng's own locks guard what they point to.
public final class NngListener: Listener, @unchecked Sendable {
  private struct State {
    var accept: (@Sendable (any ByteStream) -> Void)?
    var address: NngAddress?
    var hasStarted = false
    var isClosed = false
    /// How many functions are inside a call to nng.
    var uses = 0
  }

  /// The address that clients dial.
  public let address: String

  private let security: NetworkSecurity?
  private let checksCertificate: Bool
  private let state = Mutex(State())
  private var listener: OpaquePointer?
  private var aio: OpaquePointer?

  /// A listener at `address`; nothing is bound yet. `security` is needed for an address on the
  /// network, and for no other.
  public convenience init(address: String, security: NetworkSecurity? = nil) {
    self.init(address: address, security: security, checksCertificate: true)
  }

  /// A listener that shows its certificate without a look at it: for tests of what callers make of
  /// a bad one.
  init(address: String, security: NetworkSecurity?, checksCertificate: Bool) {
    self.address = address
    self.security = security
    self.checksCertificate = checksCertificate
  }

  /// Binds the address. A socket file that a dead process left is replaced; one at which a process
  /// listens is not.
  ///
  /// - Throws: INVALID_ARGUMENT for an address that can never work (it says which folder is too
  ///   long), ALREADY_EXISTS when a process listens there, PERMISSION_DENIED or UNAVAILABLE for
  ///   what the system refuses.
  public func start(accept: @escaping @Sendable (any ByteStream) -> Void) throws(RPCError) {
    let address = try NngAddress(address)
    let isFirst = state.withLock { state in
      defer { state.hasStarted = true }
      return !state.hasStarted && !state.isClosed
    }
    guard isFirst else {
      throw RPCError(.failedPrecondition, "the listener at \(address.url) was started before")
    }
    let tls = try address.configuration(
      security, dials: false, checksCertificate: checksCertificate)
    if let path = address.path { try StaleSocket.remove(at: path) }
    try NngCode.check("cannot listen at \(address.url)") {
      nng_stream_listener_alloc(&listener, address.url)
    }
    do throws(RPCError) {
      if let tls { try use(tls) }
      try listen(address)
      try NngCode.check("cannot listen at \(address.url)") {
        nng_aio_alloc(&aio, { didAccept($0) }, Unmanaged.passUnretained(self).toOpaque())
      }
    } catch {
      nng_stream_listener_free(listener)
      throw error
    }
    // nng keeps the address of this object; the teardown gives it back.
    _ = Unmanaged.passRetained(self)
    state.withLock { state in
      state.accept = accept
      state.address = address
    }
    acceptNext()
  }

  /// The port that it listens at, also when the address said 0, which is any free one; nil before
  /// the start and for a unix socket.
  public var port: UInt16? {
    withListener { listener in
      var port: Int32 = 0
      let code = nng_stream_listener_get_int(listener, NNG_OPT_TCP_BOUND_PORT, &port)
      return code == 0 ? UInt16(truncatingIfNeeded: port) : nil
    } ?? nil
  }

  /// Reads the files of the credentials anew, for all connections from now on; those that there are
  /// go on.
  ///
  /// - Throws: FAILED_PRECONDITION that names the file that is wrong; what was used before is then
  ///   used on.
  public func reloadCredentials() throws(RPCError) {
    guard
      let tls = try NngAddress(address).configuration(
        security, dials: false, checksCertificate: checksCertificate)
    else { return }
    let result = withListener { _ in
      Result { () throws(RPCError) in
        try self.use(tls)
        // The accept under way has the old ones.
        nng_aio_cancel(aio)
      }
    }
    try result?.get()
  }

  private func use(_ tls: NngTLSConfiguration) throws(RPCError) {
    try NngCode.check("cannot use TLS at \(address)") {
      nng_stream_listener_set_ptr(
        listener, NNG_OPT_TLS_CONFIG, UnsafeMutableRawPointer(tls.pointer))
    }
  }

  /// Calls `body` with the listener, which is kept alive meanwhile; nil when there is none.
  private func withListener<Value>(_ body: (OpaquePointer) -> Value) -> Value? {
    let isOpen = state.withLock { state in
      guard !state.isClosed, state.accept != nil else { return false }
      state.uses += 1
      return true
    }
    guard isOpen, let listener else { return nil }
    defer { leave() }
    return body(listener)
  }

  private func leave() {
    let tearsDown = state.withLock { state in
      state.uses -= 1
      return state.isClosed && state.uses == 0
    }
    if tearsDown { tearDown() }
  }

  private func listen(_ address: NngAddress) throws(RPCError) {
    let code = NngCode(rawValue: nng_stream_listener_listen(listener))
    switch code {
    case .ok: return
    case .addressInUse: throw StaleSocket.taken(address.place)
    case .permission:
      throw RPCError(.permissionDenied, "this user may not listen at \(address.place)")
    default:
      throw RPCError(
        .unavailable,
        "cannot listen at \(address.place): \(code.text)"
          + (address.path == nil ? "" : "; the folder must exist and be writable"))
    }
  }

  private func acceptNext() {
    let isOpen = state.withLock { state in
      guard !state.isClosed else { return false }
      state.uses += 1
      return true
    }
    guard isOpen else { return }
    nng_stream_listener_accept(listener, aio)
    leave()
  }

  fileprivate func accepted() {
    let code = NngCode(rawValue: nng_aio_result(aio))
    var isTurnedAway = false
    if code == .ok, let pointer = nng_aio_get_output(aio, 0) {
      let (accept, address) = state.withLock { ($0.isClosed ? nil : $0.accept, $0.address) }
      if let address, let stream = try? NngStream(OpaquePointer(pointer), address) {
        accept?(stream) ?? stream.close()
        isTurnedAway = stream.isClosed
      }
    }
    switch code {
    case .closed: return
    // One that was turned away holds its descriptor until it has been freed: the next waits for
    // that, so that a crowd at the door takes no more than one of them.
    case .ok where isTurnedAway: acceptNext(after: .milliseconds(1))
    // One that was cancelled makes way for one with other credentials, or the listener is closed.
    case .ok, .cancelled: acceptNext()
    // Without descriptors (EMFILE) accepting would fail again at once, for ever.
    default: acceptNext(after: .milliseconds(20))
    }
  }

  private func acceptNext(after pause: DispatchTimeInterval) {
    NngTeardown.queue.asyncAfter(deadline: .now() + pause) { self.acceptNext() }
  }

  /// Accepts no more and removes the socket file.
  public func close() {
    let tearsDown = state.withLock { state in
      guard !state.isClosed else { return false }
      state.isClosed = true
      // A started listener without an accept function failed to start and holds nothing.
      defer { state.accept = nil }
      return state.accept != nil && state.uses == 0
    }
    if tearsDown { tearDown() }
  }

  private func tearDown() {
    // Closing removes the socket file and refuses callers; it does not wait, and callers of `close`
    // expect it to be done when they return.
    nng_stream_listener_close(listener)
    NngTeardown.queue.async { [self] in
      nng_aio_stop(aio)
      nng_stream_listener_free(listener)
      nng_aio_free(aio)
      Unmanaged.passUnretained(self).release()
    }
  }
}

private func didAccept(_ context: UnsafeMutableRawPointer?) {
  guard let context else { return }
  Unmanaged<NngListener>.fromOpaque(context).takeUnretainedValue().accepted()
}
