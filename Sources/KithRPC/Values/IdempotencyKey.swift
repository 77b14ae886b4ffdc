/// Names one intent of a caller, so that a call made for it twice is carried out once.
///
/// A caller makes one key for each thing that it wants done and gives it with every attempt. The
/// worker that keeps a record of its answers (``ServiceDefinition/keepingAnswers(in:)``) answers a
/// repeat from it. The draft "The Idempotency-Key HTTP Header Field" of the IETF describes the same
/// for HTTP.
public struct IdempotencyKey: Sendable, Hashable, CustomStringConvertible {
  /// The most bytes that a key may have.
  public static let maximumBytes = 128

  /// The key: 1 to 128 visible ASCII characters.
  public let text: String

  /// A key of the caller's choice. It should say nothing personal and be hard to guess: a UUID,
  /// say.
  /// - Throws: INVALID_ARGUMENT for anything but 1 to 128 visible ASCII characters.
  public init(_ text: String) throws(RPCError) {
    guard (1...Self.maximumBytes).contains(text.utf8.count),
      text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else {
      throw RPCError(
        .invalidArgument,
        "an idempotency key is 1 to \(Self.maximumBytes) visible ASCII characters, such as a UUID")
    }
    self.text = text
  }

  /// A new key of 128 random bits.
  public static func random() -> IdempotencyKey {
    var generator = SystemRandomNumberGenerator()
    let bits = (0..<2).map { _ in
      let digits = String(generator.next(), radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }
    return IdempotencyKey(checked: bits.joined())
  }

  private init(checked text: String) { self.text = text }

  /// The key.
  public var description: String { text }
}
