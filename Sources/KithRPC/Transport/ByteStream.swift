public import KithWire

/// How messages are delimited on a stream. The bytes are those of nng's transports, so that a stock
/// REQ socket can call.
public enum MessageFraming: Sendable, Hashable {
  /// Unix sockets: the byte 1, then the length in 8 bytes, big-endian.
  case ipc
  /// tcp and tls+tcp: the length alone.
  case tcp
}

/// One end of a connected stream of bytes: what a transport provides.
///
/// The module that calls it owns the protocol above (hello, frames, calls); a transport only moves
/// bytes, in order and with back-pressure. All functions may be called from any thread, also from
/// within the receiver's, and none may block.
public protocol ByteStream: AnyObject, Sendable {
  /// How messages are delimited on it.
  var framing: MessageFraming { get }

  /// Who is at the other end.
  var peer: PeerIdentity { get }

  /// Starts reading; what happens is told to `receiver` from then on. Called once. The stream holds
  /// the receiver until it has told it `ended`.
  func start(receiver: any ByteStreamReceiver)

  /// Writes all of `batch`. Answers true when that is done already, which it mostly is: the next
  /// batch may follow. Answers false when the other side must read first: the receiver is told
  /// `wrote` when it is done. The caller has at most one write under way.
  func write(_ batch: WireBuffer) -> Bool

  /// Reads on after the receiver has asked for a pause.
  func resumeReading()

  /// Ends the stream: what is not yet written may be lost. The receiver is told `ended`, once. May
  /// be called more than once, also before `start`.
  func close()
}

/// What a stream tells its user, on the transport's threads.
///
/// `received` and `wrote` must be quick. `received` is never called twice at once; `wrote` and
/// `deliver` may come at the same time as any other, and `ended` comes last of all but `deliver`.
public protocol ByteStreamReceiver: AnyObject, Sendable {
  /// Bytes came in; they may be read only during the call. Answers whether to go on reading.
  func received(_ bytes: UnsafeRawBufferPointer) -> ReadingDecision

  /// Comes after each `received`, on the same thread, when the stream has already asked for the
  /// next bytes: here runs the work that those bytes gave rise to.
  func deliver()

  /// A batch that could not be written at once is written, and the next one may follow.
  func wrote()

  /// The stream is over. `error` is nil when this side closed it or the other side closed it at a
  /// moment of its choice, and otherwise says what broke.
  func ended(_ error: RPCError?)
}

/// Whether a stream goes on reading.
public enum ReadingDecision: Sendable, Hashable {
  /// Read on.
  case proceed
  /// Wait for `resumeReading`.
  case pause
}
