import CNng
import Dispatch
import Glibc
public import KithRPC
import Synchronization

/// Listens at an nng address: `ipc:///run/user/1000/kith/milo/host.sock`.
///
/// Unchecked: the pointers of nng are set under the lock by `start` and freed once, by the teardown;
/// nng's own locks guard what they point to.
public final class NngListener: Listener, @unchecked Sendable {
  private struct State {
    var accept: (@Sendable (any ByteStream) -> Void)?
    var hasStarted = false
    var isClosed = false
    /// How many functions are inside a call to nng.
    var uses = 0
  }

  /// The address that clients dial.
  public let address: String

  private let state = Mutex(State())
  private var listener: OpaquePointer?
  private var aio: OpaquePointer?

  /// A listener at `address`; nothing is bound yet.
  public init(address: String) { self.address = address }

  /// Binds the address. A socket file that a dead process left is replaced; one at which a process
  /// listens is not.
  ///
  /// - Throws: INVALID_ARGUMENT for an address that can never work (it says which folder is too
  ///   long), ALREADY_EXISTS when a process listens there, PERMISSION_DENIED or UNAVAILABLE for what
  ///   the system refuses.
  public func start(accept: @escaping @Sendable (any ByteStream) -> Void) throws(RPCError) {
    let address = try NngAddress(address)
    let isFirst = state.withLock { state in
      defer { state.hasStarted = true }
      return !state.hasStarted && !state.isClosed
    }
    guard isFirst else {
      throw RPCError(.failedPrecondition, "the listener at \(address.url) was started before")
    }
    try StaleSocket.remove(at: address.path)
    try NngCode.check("cannot listen at \(address.url)") {
      nng_stream_listener_alloc(&listener, address.url)
    }
    do throws(RPCError) {
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
    state.withLock { $0.accept = accept }
    acceptNext()
  }

  private func listen(_ address: NngAddress) throws(RPCError) {
    let code = NngCode(rawValue: nng_stream_listener_listen(listener))
    switch code {
    case .ok: return
    case .addressInUse: throw StaleSocket.taken(address.path)
    case .permission:
      throw RPCError(.permissionDenied, "this user may not make a socket at \(address.path)")
    default:
      throw RPCError(
        .unavailable,
        "cannot listen at \(address.path): \(code.text); the folder must exist and be writable")
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
    let tearsDown = state.withLock { state in
      state.uses -= 1
      return state.isClosed && state.uses == 0
    }
    if tearsDown { tearDown() }
  }

  fileprivate func accepted() {
    let code = NngCode(rawValue: nng_aio_result(aio))
    if code == .ok, let pointer = nng_aio_get_output(aio, 0) {
      let accept = state.withLock { $0.isClosed ? nil : $0.accept }
      if let stream = try? NngStream(OpaquePointer(pointer)) {
        accept?(stream) ?? stream.close()
      }
    }
    guard code != .closed, code != .cancelled else { return }
    // Without descriptors (EMFILE) accepting would fail again at once, for ever: it pauses instead.
    if code == .ok {
      acceptNext()
    } else {
      NngTeardown.queue.asyncAfter(deadline: .now() + .milliseconds(20)) { self.acceptNext() }
    }
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
