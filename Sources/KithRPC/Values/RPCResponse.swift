/// What a method answered.
public struct RPCResponse<Message: Sendable>: Sendable {
  /// The answer.
  public var message: Message
  /// What the worker told before the answer.
  public var metadata: Metadata
  /// What the worker told after the answer.
  public var trailers: Metadata

  /// An answer.
  public init(message: Message, metadata: Metadata = [:], trailers: Metadata = [:]) {
    self.message = message
    self.metadata = metadata
    self.trailers = trailers
  }
}

extension RPCResponse: Equatable where Message: Equatable {}
