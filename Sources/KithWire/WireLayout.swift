import CProtobufC

/// The C side's description of a message: protoc-c's descriptor, and how deep such a message can be
/// nested.
public struct WireLayout: Sendable {
  /// The size of the C struct in bytes.
  public let size: Int

  /// How deep messages can be nested in such a message by its definition; nil when it can hold
  /// itself and so has no bound of its own.
  let depth: Int?

  // Sendable: protoc-c's descriptors are constants.
  nonisolated(unsafe) let descriptor: UnsafePointer<ProtobufCMessageDescriptor>

  /// Reads the layout from a struct that protoc-c's `__init` function has initialised.
  ///
  /// The address of a descriptor is asked of the C side, since Swift may copy an imported C
  /// constant when its address is taken.
  public init<CMessage>(
    depth: Int?, _ initialize: (UnsafeMutablePointer<CMessage>) -> Void
  ) {
    let message = UnsafeMutablePointer<CMessage>.allocate(capacity: 1)
    defer { message.deallocate() }
    initialize(message)
    descriptor =
      UnsafeRawPointer(message).assumingMemoryBound(to: ProtobufCMessage.self)
      .pointee.descriptor
    size = descriptor.pointee.sizeof_message
    self.depth = depth
  }

  /// The full name of the message.
  var fullName: String { String(cString: descriptor.pointee.name) }
}
