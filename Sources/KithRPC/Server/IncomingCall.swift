import KithWire

/// A message of a caller, decoded as far as its envelope.
struct IncomingCall {
  enum Content {
    case frame(CallerFrame)
    /// The bytes are no frame, for the reason given.
    case damaged(String)
  }

  var id: UInt32
  var content: Content

  /// The message in an event of the parser; nil for a hello.
  init?(event: FrameParser.Event) {
    guard case .message(let message) = event else { return nil }
    id = message.id
    do throws(WireError) {
      content = .frame(try CallerFrame(decoding: message.frame))
    } catch {
      content = .damaged(error.message)
    }
  }
}
