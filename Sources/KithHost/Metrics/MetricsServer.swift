import KithManifest
import KithRPC
import KithTransportNng
import KithWire
import Synchronization

/// Serves one page, `/metrics`, over HTTP/1.1: on a port of 127.0.0.1, on a unix socket, or both.
///
/// A responder of its own, since it is a page and a half of code on the streams that the transport
/// has already; an HTTP server as a library would be most of the host's program and memory.
final class MetricsServer: Sendable {
  /// How many connections there may be at a time; more are closed at once.
  static let maximumConnections = 16
  /// How long a connection may take from its beginning to the end of the answer.
  static let patience = Duration.seconds(10)

  private struct Listening {
    /// The addresses that are not listened on yet.
    var pending: [String]
    var listeners: [NngListener] = []
    var isClosed = false
  }

  private let listening: Mutex<Listening>
  private let page: @Sendable () async -> String
  /// How many connections are being answered.
  private let inProgress = Atomic<Int>(0)
  private let accepted: AsyncStream<Connection>
  private let continuation: AsyncStream<Connection>.Continuation

  /// A server that is not open yet. `page` makes the page anew for each request.
  init(
    _ endpoint: MetricsEndpoint, socket: String, page: @escaping @Sendable () async -> String
  ) {
    var addresses: [String] = []
    if let port = endpoint.port { addresses.append("tcp://127.0.0.1:\(port)") }
    if endpoint.hasSocket { addresses.append("ipc://\(socket)") }
    listening = Mutex(Listening(pending: addresses))
    self.page = page
    (accepted, continuation) = AsyncStream.makeStream(
      bufferingPolicy: .bufferingOldest(Self.maximumConnections))
  }

  /// Begins to accept connections where it does not yet. Answers what is wrong with the places
  /// where it cannot.
  func open() -> [String] {
    listening.withLock { listening in
      guard !listening.isClosed else { return [] }
      var troubles: [String] = []
      for address in listening.pending {
        do throws(RPCError) {
          listening.listeners.append(try listen(address))
          listening.pending.removeAll { $0 == address }
        } catch {
          troubles.append(error.message)
        }
      }
      return troubles
    }
  }

  private func listen(_ address: String) throws(RPCError) -> NngListener {
    let listener =
      address.hasPrefix("tcp://")
      ? NngListener(address: address, security: .insecure) : NngListener(address: address)
    try listener.start { [continuation] stream in
      let connection = Connection(stream)
      if case .enqueued = continuation.yield(connection) { return }
      stream.close()
    }
    return listener
  }

  /// Answers requests until the task is cancelled.
  func run() async {
    await withDiscardingTaskGroup { group in
      for await connection in accepted {
        guard inProgress.load(ordering: .relaxed) < Self.maximumConnections else {
          connection.close()
          continue
        }
        inProgress.wrappingAdd(1, ordering: .relaxed)
        group.addTask {
          await connection.answer(within: Self.patience, self.page)
          self.inProgress.wrappingSubtract(1, ordering: .relaxed)
        }
      }
    }
    close()
  }

  /// Takes no more connections, and has `run` return when those that there are have been answered.
  func close() {
    continuation.finish()
    let listeners = listening.withLock { listening in
      listening.isClosed = true
      return listening.listeners
    }
    for listener in listeners { listener.close() }
  }
}

extension MetricsServer {
  /// One connection: reads one request, writes one answer, and closes.
  fileprivate final class Connection: ByteStreamReceiver {
    private let stream: any ByteStream
    private let head = Mutex<[UInt8]>([])
    private let request = Waiter<HTTPRequest.Parsing>()
    private let written = Waiter<Void>()

    init(_ stream: any ByteStream) { self.stream = stream }

    /// Answers the request, however long `page` takes, and closes when the time is up at the
    /// latest.
    func answer(within patience: Duration, _ page: @escaping @Sendable () async -> String) async {
      stream.start(receiver: self)
      await withTaskGroup { group in
        group.addTask {
          guard let parsing = try? await self.request.value() else { return }
          await self.write(Self.response(to: parsing, page))
        }
        group.addTask { try? await Task.sleep(for: patience) }
        await group.next()
        group.cancelAll()
      }
      stream.close()
    }

    func close() { stream.close() }

    private static func response(
      to parsing: HTTPRequest.Parsing, _ page: @escaping @Sendable () async -> String
    ) async -> HTTPResponse {
      switch parsing {
      case .incomplete: return .failure(.badRequest)
      case .refused(let status): return .failure(status)
      case .request(let request):
        guard request.path == "/metrics" else { return .failure(.notFound) }
        guard ["GET", "HEAD"].contains(request.method) else { return .failure(.notAllowed) }
        return HTTPResponse(
          status: .ok, mediaType: PrometheusText.mediaType, body: await page(),
          sendsBody: request.method == "GET")
      }
    }

    private func write(_ response: HTTPResponse) async {
      let bytes = response.bytes
      var buffer = WireBuffer(headroom: 0, capacity: bytes.count)
      buffer.append(bytes)
      if !stream.write(buffer) { try? await written.value() }
    }

    // MARK: What the stream tells

    func received(_ bytes: UnsafeRawBufferPointer) -> ReadingDecision {
      let parsing = head.withLock { head in
        head += bytes.prefix(HTTPRequest.longestHead - head.count)
        return HTTPRequest.parse(head)
      }
      if parsing != .incomplete { request.finish(.success(parsing)) }
      // What comes behind a head is not wanted.
      return parsing == .incomplete ? .proceed : .pause
    }

    func deliver() {}

    func wrote() { written.finish(.success(())) }

    func ended(_ error: RPCError?) {
      request.finish(.failure(CancellationError()))
      written.finish(.failure(CancellationError()))
    }
  }
}
