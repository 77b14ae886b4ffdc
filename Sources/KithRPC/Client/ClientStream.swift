import KithWire

/// A streaming call of a client: ends with the last reference to it, if it has not ended before.
final class ClientStream: Sendable {
  private let connection: ClientConnection
  private let id: UInt32
  /// The client, which would close the connection if it were released.
  private let client: RPCClient

  init(connection: ClientConnection, id: UInt32, client: RPCClient) {
    self.connection = connection
    self.id = id
    self.client = client
  }

  deinit { connection.forget(id) }

  /// The worker's next message; nil when it has ended the call OK.
  func read() async throws(RPCError) -> ArraySlice<UInt8>? { try await connection.read(id) }

  /// Sends a message; waits while there is no credit for it.
  func write(_ message: consuming WireBuffer) async throws(RPCError) {
    try await connection.write(id, message)
  }

  /// Says that no message follows.
  func finishWriting() { connection.finishWriting(id) }

  /// Ends the call.
  func cancel() { connection.cancel(id) }

  /// What the worker has told beside the messages so far.
  var metadata: Metadata { connection.metadata(of: id) }

  /// What the worker told at the end; empty before.
  var trailers: Metadata { connection.trailers(of: id) }
}
