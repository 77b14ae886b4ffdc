import SwiftProtobuf
import SwiftProtobufPluginLibrary

/// How messages contain one another.
enum MessageShape {
  /// How deep messages can be nested in a message by its definition; nil when it can hold itself.
  static func depth(of message: Descriptor) -> Int? {
    depth(of: message, within: [])
  }

  private static func depth(of message: Descriptor, within path: Set<String>) -> Int? {
    if path.contains(message.fullName) { return nil }
    var deepest = 0
    for field in message.fields where field.type == .message {
      guard let depth = depth(of: field.messageType, within: path.union([message.fullName]))
      else { return nil }
      deepest = max(deepest, depth + 1)
    }
    return deepest
  }

  /// Whether a value of the field's type would have to hold a value of the message that the field
  /// belongs to.
  static func isIndirect(_ field: FieldDescriptor) -> Bool {
    guard field.type == .message, !field.isRepeated else { return false }
    return holds(field.messageType, field.containingType.fullName, seen: [])
  }

  private static func holds(_ message: Descriptor, _ name: String, seen: Set<String>) -> Bool {
    if message.fullName == name { return true }
    if seen.contains(message.fullName) { return false }
    return message.fields.contains { field in
      field.type == .message && !field.isRepeated
        && holds(field.messageType, name, seen: seen.union([message.fullName]))
    }
  }
}
