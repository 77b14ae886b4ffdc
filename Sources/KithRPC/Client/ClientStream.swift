import KithWire
import Synchronization

/// A streaming call of a client: ends with the last reference to it, if it has not ended before.
final class ClientStream: Sendable {
  private let connection: ClientConnection
  private let id: UInt32
  /// The client, which would close the connection if it were released.
  private let client: RPCClient

  /// Who has not been told the end yet.
  private let ends: Mutex<ClientCallEnds?>

  init(
    connection: ClientConnection, id: UInt32, client: RPCClient, ends: ClientCallEnds
  ) {
    self.connection = connection
    self.id = id
    self.client = client
    self.ends = Mutex(ends.isEmpty ? nil : ends)
  }

  deinit {
    connection.forget(id)
    tell(.cancelledByCaller)
  }

  /// The worker's next message; nil when it has ended the call OK.
  func read() async throws(RPCError) -> ArraySlice<UInt8>? {
    do throws(RPCError) {
      let message = try await connection.read(id)
      if message == nil { tell(nil) }
      return message
    } catch {
      // Two readers at once are a mistake of theirs; the call goes on.
      if error != .twoReaders { tell(error) }
      throw error
    }
  }

  private func tell(_ error: RPCError?) {
    ends.withLock { $0.take() }?.tell(error)
  }

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
