import KithRPC
import Logging

/// What a worker's servers write to its log of their own accord.
struct ConnectionLog: Sendable {
  private let logger: Logger
  private let throttles = [LogThrottle(), LogThrottle()]

  init(_ logger: Logger) { self.logger = logger }

  /// A handler threw what its caller is not told.
  func handlerFailed(_ method: MethodDescriptor, _ error: any Error) {
    // The type alone: what an error says may be personal.
    logger.error(
      "a handler failed",
      metadata: ["method": "\(method.fullName)", "error": "\(type(of: error))"])
  }

  /// A connection was refused, or ended otherwise than by either side's will.
  func connectionBroke(_ peer: PeerIdentity, _ error: RPCError) {
    // A peer that ended in the middle of something; its calls have been told.
    guard error.code != .unavailable else {
      return logger.debug("a connection broke", metadata: ["reason": "\(error.message)"])
    }
    // By the kind of trouble, so that what one stranger does does not hide what ails another.
    guard let more = throttles[error.code == .unauthenticated ? 0 : 1].admit(at: .now)
    else { return }
    var metadata: Logger.Metadata = [
      "reason": "\(error.message)", "others_before": "\(more)",
    ]
    if let address = peer.address {
      metadata["peer"] = "\(address)"
    } else {
      metadata["uid"] = "\(peer.uid.map(String.init) ?? "unknown")"
      metadata["pid"] = "\(peer.pid.map(String.init) ?? "unknown")"
    }
    logger.warning("a connection was refused", metadata: metadata)
  }
}
