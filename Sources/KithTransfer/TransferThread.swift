import Glibc
import Synchronization

/// A thread of its own with libcurl's multi interface, the only one that touches the handles of its
/// transfers.
final class TransferThread: Sendable {
  private struct State {
    var added: [Transfer] = []
    /// Those whose tasks are cancelled and have not returned yet.
    var cancelled: Set<UInt64> = []
    /// Those that have not returned yet.
    var underWay: [UInt64: Transfer] = [:]
    var isClosed = false
  }

  private let state = Mutex(State())
  private let multi: MultiHandle

  /// Starts the thread.
  /// - Throws: ``TransferError`` when libcurl or the thread cannot be started.
  init(_ settings: TransferSettings) throws(TransferError) {
    multi = try MultiHandle(connectionsPerHost: settings.connectionsPerHost)
    var thread = pthread_t()
    // The thread keeps this alive until `close`.
    let context = Unmanaged.passRetained(self).toOpaque()
    let code = pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        Unmanaged<TransferThread>.fromOpaque(context).takeRetainedValue().drive()
        return nil
      }, context)
    guard code == 0 else {
      Unmanaged<TransferThread>.fromOpaque(context).release()
      throw TransferError(.unreachable, "a thread cannot be created: error \(code)")
    }
    pthread_detach(thread)
  }

  /// Ends the thread; transfers that are under way fail with ``TransferError/Code/cancelled``. To
  /// be called once all is done: without it the thread stays.
  func close() {
    state.withLock { state in
      state.isClosed = true
      for transfer in state.underWay.values {
        transfer.isGivenUp.store(true, ordering: .relaxed)
      }
    }
    multi.wake()
  }

  /// Makes a transfer.
  func run(_ transfer: Transfer) async throws(TransferError) -> TransferAnswer {
    let number = transfer.number
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        transfer.continuation = continuation
        let refusal = state.withLock { state -> TransferError? in
          if state.isClosed { return Self.closed }
          if state.cancelled.contains(number) { return Self.cancelled }
          state.added.append(transfer)
          state.underWay[number] = transfer
          return nil
        }
        if let refusal { return transfer.end(.failure(refusal)) }
        multi.wake()
      }
    } onCancel: {
      transfer.isGivenUp.store(true, ordering: .relaxed)
      _ = state.withLock { $0.cancelled.insert(number) }
      multi.wake()
    }
    state.withLock { state in
      state.cancelled.remove(number)
      state.underWay[number] = nil
    }
    return try result.get()
  }

  private static let cancelled = TransferError(.cancelled, "the task was cancelled")
  private static let closed = TransferError(.cancelled, "the transfers are closed")

  // MARK: The thread

  /// Runs until ``close()``.
  private func drive() {
    var running: [UInt64: Transfer] = [:]
    while true {
      let (added, cancelled, isClosed) = state.withLock { state in
        defer { state.added = [] }
        return (state.added, state.cancelled, state.isClosed)
      }
      for transfer in added {
        if let error = multi.add(transfer) {
          transfer.end(.failure(error))
        } else {
          running[transfer.number] = transfer
        }
      }
      for number in isClosed ? Set(running.keys) : cancelled {
        guard let transfer = running.removeValue(forKey: number) else { continue }
        var error = isClosed ? Self.closed : Self.cancelled
        error.mayBeTaken = transfer.mayBeTaken
        multi.remove(transfer)
        transfer.end(.failure(error))
      }
      if isClosed { return multi.close() }
      multi.perform()
      while let (number, code) = multi.nextDone() {
        guard let transfer = running.removeValue(forKey: number) else { continue }
        let result = transfer.result(code)
        multi.remove(transfer)
        transfer.end(result)
      }
      multi.wait()
    }
  }
}
