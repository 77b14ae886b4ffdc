internal import CCurl
import Synchronization

/// A `CURLM`: transfers that run beside each other, and the connections that they share.
///
/// `@unchecked Sendable`: one thread alone calls it, except for ``wake()``, for which libcurl allows
/// any thread and `isOpen` keeps the handle alive.
final class MultiHandle: @unchecked Sendable {
  /// The longest sleep of ``wait()``; libcurl ends it earlier for sockets, its own timers and
  /// wakes.
  private static let longestWait: Int32 = 10_000

  private static let isReady: Bool = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  private let multi: OpaquePointer
  private let isOpen = Mutex(true)

  init(connectionsPerHost: Int) throws(TransferError) {
    guard Self.isReady, let multi = curl_multi_init() else {
      throw TransferError(.unreachable, "libcurl cannot be started")
    }
    self.multi = OpaquePointer(multi)
    kith_curl_multi_set_number(multi, CURLMOPT_MAX_HOST_CONNECTIONS, connectionsPerHost)
    kith_curl_multi_set_number(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
  }

  /// Begins a transfer.
  /// - Returns: why it cannot begin.
  func add(_ transfer: Transfer) -> TransferError? {
    let code = curl_multi_add_handle(pointer, transfer.handle)
    guard code != CURLM_OK else { return nil }
    return TransferError(.unreachable, String(cString: curl_multi_strerror(code)))
  }

  /// Ends a transfer, whether it is done or not.
  func remove(_ transfer: Transfer) {
    curl_multi_remove_handle(pointer, transfer.handle)
  }

  /// Does what can be done without waiting.
  func perform() {
    var running: Int32 = 0
    curl_multi_perform(pointer, &running)
  }

  /// The number of the next transfer that is done, and libcurl's result; nil when there is none.
  func nextDone() -> (UInt64, CURLcode)? {
    var code = CURLE_OK
    guard let handle = kith_curl_multi_done(pointer, &code) else { return nil }
    guard let context = kith_curl_context(handle) else { return nil }
    return (Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue().number, code)
  }

  /// Waits until there is something to do.
  func wait() {
    curl_multi_poll(pointer, nil, 0, Self.longestWait, nil)
  }

  /// Ends ``wait()``, or the next one. From any thread.
  func wake() {
    isOpen.withLock { isOpen in
      if isOpen { curl_multi_wakeup(pointer) }
    }
  }

  /// Closes all connections. Nothing may be called after it but ``wake()``.
  func close() {
    isOpen.withLock { $0 = false }
    curl_multi_cleanup(pointer)
  }

  private var pointer: UnsafeMutableRawPointer { UnsafeMutableRawPointer(multi) }
}
