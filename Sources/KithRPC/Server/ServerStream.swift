import KithWire

/// A streaming call of a server, as its handler sees it, on encoded messages.
final class ServerStream: Sendable {
  /// Room in front of an answer for its envelope and header.
  static let headroom = 64

  private let connection: ServerConnection
  private let call: ServedCall

  init(connection: ServerConnection, call: ServedCall) {
    self.connection = connection
    self.call = call
  }

  /// The only request, of a method that takes one.
  var request: ArraySlice<UInt8> { call.message }

  /// The caller's next message; nil when none follows.
  func read() async throws(RPCError) -> ArraySlice<UInt8>? { try await connection.read(call) }

  /// Sends a message; waits while there is no credit for it.
  func write(_ message: consuming WireBuffer) async throws(RPCError) {
    try await connection.write(call, message)
  }
}
