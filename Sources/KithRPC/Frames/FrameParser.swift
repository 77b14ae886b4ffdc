/// Cuts the bytes of a stream into frames: a value, fed with whatever came in, in whatever pieces.
///
/// The stream ends with the first error: there is no way to find the next frame after a broken one.
struct FrameParser {
  /// One message of the peer: a call id and the frame behind it.
  struct Message: Equatable {
    var id: UInt32
    /// The message, id included; the frame starts behind it.
    var bytes: [UInt8]

    /// The encoded frame.
    var frame: ArraySlice<UInt8> { bytes[MessageHeader.idSize...] }
  }

  /// What came in.
  enum Event: Equatable {
    /// The peer's hello, which is the expected one. Comes once, first.
    case hello
    /// A message.
    case message(Message)
  }

  /// Why the stream cannot go on.
  enum Failure: Error, Equatable, CustomStringConvertible {
    /// The hello is another one than expected.
    case foreignHello
    /// A header of ipc does not start with the byte 1.
    case badHeader
    /// A message is too short for a call id, or the id lacks its mark.
    case badID
    /// A header claims more bytes than the limit.
    case tooLong(UInt64)

    /// What the peer did, in plain words.
    var description: String {
      switch self {
      case .foreignHello:
        "it does not speak SP, or is at the same end of a call (REQ calls, REP answers)"
      case .badHeader: "its message does not begin as one over ipc does"
      case .badID: "its message has no call id"
      case .tooLong(let bytes): "it announced a message of \(bytes) bytes, which is over the limit"
      }
    }
  }

  private enum State {
    /// Next: `header`.
    case hello
    /// Next: `body`, or `header` again.
    case header
    /// Next: `header`, `dropping`.
    case body(count: Int)
    /// Of a message of so many bytes that was dropped, `left` are still to come and are thrown
    /// away. Next: `header`.
    case dropping(count: Int, left: Int)
  }

  private let framing: MessageFraming
  private let expectedHello: [UInt8]
  private let maximumBytes: Int
  private var state = State.hello
  /// The bytes of an unfinished hello, header or message.
  private var partial: [UInt8] = []

  /// A parser that expects the hello of the other side and takes messages of up to `maximumBytes`.
  init(framing: MessageFraming, expectedHello: [UInt8], maximumBytes: Int) {
    self.framing = framing
    self.expectedHello = expectedHello
    self.maximumBytes = maximumBytes
  }

  /// How many bytes of memory it has for what came of a message that is not complete.
  var memoryTaken: Int { partial.capacity }

  /// How many bytes of the message under way have come.
  var bytesReceived: Int {
    switch state {
    case .hello, .header, .body: partial.count
    case .dropping(let count, let left): count - left
    }
  }

  /// Whether the hello is complete and a message is not.
  var isWithinMessage: Bool {
    if case .hello = state { return false }
    return !isBetweenMessages
  }

  /// Whether the stream is between two messages: only here may it end in good order.
  var isBetweenMessages: Bool {
    if case .header = state { return partial.isEmpty }
    return false
  }

  /// Takes the next bytes and appends what they complete to `events`, also when it throws: what
  /// came before the error counts.
  mutating func parse(
    _ bytes: UnsafeRawBufferPointer, into events: inout [Event]
  ) throws(Failure) {
    var rest = bytes
    while true {
      switch state {
      case .hello:
        guard take(MessageHeader.helloSize, from: &rest) else { return }
        guard partial == expectedHello else { throw .foreignHello }
        partial.removeAll(keepingCapacity: true)
        state = .header
        events.append(.hello)
      case .header:
        guard let length = try header(from: &rest) else { return }
        guard length <= UInt64(maximumBytes) else { throw .tooLong(length) }
        guard length >= UInt64(MessageHeader.idSize) else { throw .badID }
        state = .body(count: Int(length))
      case .body(let count):
        if partial.isEmpty, rest.count >= count {
          // The common case: the whole message lies here, and is copied once.
          let body = [UInt8](UnsafeRawBufferPointer(rebasing: rest[..<count]))
          rest = UnsafeRawBufferPointer(rebasing: rest[count...])
          events.append(.message(try message(body)))
        } else {
          makeRoom(for: min(partial.count + rest.count, count), of: count)
          guard take(count, from: &rest) else { return }
          let body = partial
          partial = []
          events.append(.message(try message(body)))
        }
        state = .header
      case .dropping(let count, let left):
        let gone = min(left, rest.count)
        rest = UnsafeRawBufferPointer(rebasing: rest[gone...])
        guard gone == left else {
          state = .dropping(count: count, left: left - gone)
          return
        }
        state = .header
      }
    }
  }

  /// Gives up the message under way: what came of it is forgotten and the rest is thrown away as it
  /// comes, after which the stream goes on. Answers its id; nil when no message of which the id has
  /// come is under way.
  mutating func dropMessage() -> UInt32? {
    guard case .body(let count) = state, partial.count >= MessageHeader.idSize else { return nil }
    let id = partial.withUnsafeBytes { UInt32(bigEndian: $0.loadUnaligned(as: UInt32.self)) }
    state = .dropping(count: count, left: count - partial.count)
    partial = []
    return id | MessageHeader.idMark
  }

  /// Takes memory as bytes come: what a header announces costs its sender nothing.
  private mutating func makeRoom(for needed: Int, of count: Int) {
    guard partial.capacity < needed else { return }
    partial.reserveCapacity(min(count, max(needed, 2 * partial.capacity)))
  }

  /// The length in the next header; nil when more bytes must come first.
  private mutating func header(from rest: inout UnsafeRawBufferPointer) throws(Failure) -> UInt64? {
    let size = framing.headerSize
    let length: UInt64?
    if partial.isEmpty, rest.count >= size {
      length = framing.length(in: rest)
      rest = UnsafeRawBufferPointer(rebasing: rest[size...])
    } else {
      // A wrong first byte is told at once, not after eight more that may never come.
      if framing == .ipc, let first = partial.first ?? rest.first, first != 1 { throw .badHeader }
      guard take(size, from: &rest) else { return nil }
      length = partial.withUnsafeBytes { framing.length(in: $0) }
      partial.removeAll(keepingCapacity: true)
    }
    guard let length else { throw .badHeader }
    return length
  }

  /// Fills `partial` up to `count` bytes; answers whether it is full.
  private mutating func take(_ count: Int, from rest: inout UnsafeRawBufferPointer) -> Bool {
    let taken = min(count - partial.count, rest.count)
    partial.append(contentsOf: rest[..<taken])
    rest = UnsafeRawBufferPointer(rebasing: rest[taken...])
    return partial.count == count
  }

  private func message(_ body: [UInt8]) throws(Failure) -> Message {
    let id = body.withUnsafeBytes { UInt32(bigEndian: $0.loadUnaligned(as: UInt32.self)) }
    guard id & MessageHeader.idMark != 0 else { throw .badID }
    return Message(id: id, bytes: body)
  }
}

extension FrameParser.Failure {
  /// What was wrong, in words for the other end's developer.
  var reason: String {
    switch self {
    case .foreignHello: "its hello is not the one of this protocol"
    case .badHeader: "a message header does not start with the byte 1"
    case .badID: "a message has no call id with its top bit set"
    case .tooLong(let length): "a message header claims \(length) bytes, more than the limit"
    }
  }
}
