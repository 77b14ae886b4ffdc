/// Keeps a message field on the heap, so that a message can hold one of its own kind.
@propertyWrapper
public struct Indirect<Message: WireMessage>: Sendable, Equatable {
  /// An array of none or one is the standard library's box with value semantics.
  private var storage: [Message]

  /// The message, if the field is set.
  public var wrappedValue: Message? {
    get { storage.first }
    set { storage = newValue.map { [$0] } ?? [] }
  }

  /// A field that holds `wrappedValue`.
  public init(wrappedValue: Message?) {
    storage = wrappedValue.map { [$0] } ?? []
  }
}
