import KithWire

/// A message of a worker, decoded as far as its envelope.
struct IncomingAnswer {
  enum Content {
    case frame(WorkerFrame)
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
      content = .frame(try WorkerFrame(decoding: message.frame))
    } catch {
      content = .damaged(error.message)
    }
  }
}
