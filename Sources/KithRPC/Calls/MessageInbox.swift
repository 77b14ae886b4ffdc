import DequeModule

/// The receiving half of a call: puts messages together from their parts, keeps those that nobody
/// has taken yet, and knows how much more the sender may be granted. A value.
///
/// A receiver that stops taking grants nothing, so the sender stops too: no more than the credit
/// that it had to begin with and one message is ever kept.
struct MessageInbox<Reader: Sendable>: Sendable {
  /// A message for the one who waits for it.
  struct Delivery {
    var reader: Reader
    var message: ArraySlice<UInt8>
    /// What to grant the sender now.
    var grant: Credit?
  }

  /// What there is for a reader.
  enum Taken {
    /// The next message, and what to grant the sender now.
    case message(ArraySlice<UInt8>, grant: Credit?)
    /// No message will come any more.
    case end
    /// The reader is kept until there is one of these.
    case parked
    /// Another reader waits already.
    case busy
  }

  /// What the sender did wrong.
  enum Violation: Error, Equatable {
    /// It sent what it had no credit for.
    case noCredit
    /// A message has more bytes than the limit.
    case tooLong
  }

  private var messages = Deque<ArraySlice<UInt8>>()
  private var partial: [UInt8]?
  /// The bytes of the messages that wait.
  private var bytesWaiting = 0
  private var reader: Reader?
  /// What the sender had to begin with; nil where it knows no credit.
  private let window: Credit?
  /// What it may still send.
  private var credit: Credit?
  /// What was taken and not yet granted anew.
  private var owed = Credit(messages: 0, bytes: 0)
  /// Whether the sender has said that no message follows.
  private(set) var isEnded = false

  /// An inbox whose sender has `credit` to begin with, or sends as it likes.
  init(credit: Credit?) {
    self.window = credit
    self.credit = credit
  }

  /// How many messages wait.
  var count: Int { messages.count }

  /// How many bytes it keeps: of messages that nobody has taken, and of one that is not complete.
  var bytesHeld: Int { bytesWaiting + (partial?.count ?? 0) }

  /// Whether a message has begun and not ended.
  var isWithinMessage: Bool { partial != nil }

  /// A message of the sender came in, or a part of one that `isPart` of more to come.
  mutating func receive(
    _ bytes: ArraySlice<UInt8>, isPart: Bool, maximumBytes: Int
  ) throws(Violation) -> Delivery? {
    guard !isEnded else { return nil }
    if partial == nil {
      if let credit, !credit.allowsMessage { throw .noCredit }
      credit?.messages -= 1
    }
    credit?.bytes -= bytes.count
    guard (partial?.count ?? 0) + bytes.count <= maximumBytes else { throw .tooLong }
    guard partial != nil || isPart else { return deliver(bytes) }
    if partial == nil { partial = [] }
    partial?.append(contentsOf: bytes)
    guard !isPart else { return nil }
    return deliver(partial.take().map { $0[...] } ?? [])
  }

  private mutating func deliver(_ message: ArraySlice<UInt8>) -> Delivery? {
    guard let reader = reader.take() else {
      messages.append(message)
      bytesWaiting += message.count
      return nil
    }
    return Delivery(reader: reader, message: message, grant: consume(message))
  }

  /// Takes the next message, or keeps `reader` until there is one.
  mutating func take(_ reader: Reader) -> Taken {
    if let message = takeFirst() { return .message(message, grant: consume(message)) }
    if isEnded { return .end }
    guard self.reader == nil else { return .busy }
    self.reader = reader
    return .parked
  }

  /// Takes a message without credit, as the one of a unary call is.
  mutating func takeFirst() -> ArraySlice<UInt8>? {
    guard let message = messages.popFirst() else { return nil }
    bytesWaiting -= message.count
    return message
  }

  /// No message will come any more: answers the reader who waits for one.
  mutating func end() -> Reader? {
    isEnded = true
    partial = nil
    return reader.take()
  }

  /// Throws away what nobody will take: answers the reader who waits.
  mutating func close() -> Reader? {
    messages.removeAll()
    bytesWaiting = 0
    return end()
  }

  /// The reader no longer waits; nil when none does.
  mutating func withdraw() -> Reader? { reader.take() }

  /// Half of the credit is granted at a time, so that a grant is rare and the sender never starves.
  private mutating func consume(_ message: ArraySlice<UInt8>) -> Credit? {
    guard let window else { return nil }
    owed.messages += 1
    owed.bytes += message.count
    guard owed.messages * 2 >= window.messages || owed.bytes * 2 >= window.bytes else { return nil }
    defer { owed = Credit(messages: 0, bytes: 0) }
    credit?.add(owed)
    return owed
  }
}
