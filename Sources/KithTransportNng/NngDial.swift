import CNng
import Dispatch
import KithRPC
import Synchronization

/// One attempt to connect (`nng_stream_dialer`).
///
/// Unchecked: the pointers are set once and freed once, by the callback's teardown, which is the
/// last to use them; what changes is behind the lock.
final class NngDial: @unchecked Sendable {
  private enum State {
    /// Not yet handed to nng. Next: submitted, cancelledEarly.
    case idle
    /// In nng's hands. Next: finished.
    case submitted(CheckedContinuation<Result<OpaquePointer, NngFailure>, Never>)
    /// Given up before it began. Next: finished.
    case cancelledEarly
    /// The end.
    case finished
  }

  /// A failure of nng as an error.
  struct NngFailure: Error { var code: NngCode }

  private let state = Mutex(State.idle)
  private let dialer: OpaquePointer
  private var aio: OpaquePointer?

  private init(_ address: NngAddress, _ tls: NngTLSConfiguration?) throws(RPCError) {
    var dialer: OpaquePointer?
    try NngCode.check("cannot dial \(address.url)") {
      nng_stream_dialer_alloc(&dialer, address.url)
    }
    guard let dialer else {
      preconditionFailure("nng_stream_dialer_alloc succeeded without a dialer")
    }
    self.dialer = dialer
    do throws(RPCError) {
      if let tls {
        try NngCode.check("cannot dial \(address.url) with TLS") {
          nng_stream_dialer_set_ptr(
            dialer, NNG_OPT_TLS_CONFIG, UnsafeMutableRawPointer(tls.pointer))
        }
      }
      try NngCode.check("cannot dial \(address.url)") {
        nng_aio_alloc(&aio, { didDial($0) }, Unmanaged.passUnretained(self).toOpaque())
      }
    } catch {
      nng_stream_dialer_free(dialer)
      throw error
    }
  }

  /// Connects to `address`, with TLS if that is its kind.
  static func connect(
    _ address: NngAddress, _ tls: NngTLSConfiguration?
  ) async throws(RPCError) -> Result<NngStream, NngFailure> {
    let dial = try NngDial(address, tls)
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { dial.submit($0) }
    } onCancel: {
      dial.cancel()
    }
    dial.tearDown()
    switch outcome {
    case .success(let stream): return .success(try NngStream(stream, address))
    case .failure(let failure): return .failure(failure)
    }
  }

  private func submit(_ continuation: CheckedContinuation<Result<OpaquePointer, NngFailure>, Never>)
  {
    let isCancelled = state.withLock { state in
      if case .cancelledEarly = state {
        state = .finished
        return true
      }
      state = .submitted(continuation)
      return false
    }
    if isCancelled {
      continuation.resume(returning: .failure(NngFailure(code: .cancelled)))
    } else {
      nng_stream_dialer_dial(dialer, aio)
      // A cancellation that came before the line above found nothing to stop in nng.
      if Task.isCancelled { nng_aio_cancel(aio) }
    }
  }

  private func cancel() {
    let stops = state.withLock { state in
      switch state {
      case .idle:
        state = .cancelledEarly
        return false
      case .submitted: return true
      case .cancelledEarly, .finished: return false
      }
    }
    // The task that dials frees the aio only after its continuation was resumed and its handler,
    // this one, has returned.
    if stops { nng_aio_cancel(aio) }
  }

  fileprivate func dialled() {
    let code = NngCode(rawValue: nng_aio_result(aio))
    let stream = code == .ok ? nng_aio_get_output(aio, 0).map { OpaquePointer($0) } : nil
    let continuation = state.withLock {
      state -> CheckedContinuation<Result<OpaquePointer, NngFailure>, Never>? in
      defer { state = .finished }
      if case .submitted(let continuation) = state { return continuation }
      return nil
    }
    let failure = NngFailure(code: code)
    continuation?.resume(returning: stream.map { .success($0) } ?? .failure(failure))
  }

  private func tearDown() {
    NngTeardown.queue.async { [self] in
      nng_aio_stop(aio)
      nng_stream_dialer_close(dialer)
      nng_stream_dialer_free(dialer)
      nng_aio_free(aio)
    }
  }
}

private func didDial(_ context: UnsafeMutableRawPointer?) {
  guard let context else { return }
  Unmanaged<NngDial>.fromOpaque(context).takeUnretainedValue().dialled()
}
