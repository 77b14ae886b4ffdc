import SwiftProtobufPluginLibrary

/// The names of a contract in Swift.
enum SwiftNames {
  /// A property or an argument: `sender_is_contact` becomes `senderIsContact`.
  static func property(_ name: String) -> String {
    let result = lowerCamel(name)
    return reservedMembers.contains(result) ? result + "Field" : result
  }

  /// A property where it is declared, in backticks when it is a word of Swift.
  static func declared(_ name: String) -> String {
    let name = property(name)
    return keywords.contains(name) ? "`\(name)`" : name
  }

  /// A value of an enumeration: `CHANNEL_UNSPECIFIED` of `Channel` becomes `unspecified`.
  static func value(_ name: String, of enumeration: String) -> String {
    let prefix = upperSnake(enumeration) + "_"
    var rest = name[...]
    if name.hasPrefix(prefix), let first = name.dropFirst(prefix.count).first, first.isLetter {
      rest = name.dropFirst(prefix.count)
    }
    let result = lowerCamel(rest.lowercased())
    return result == "init" || result == "self" ? result + "Value" : result
  }

  /// A value of an enumeration where it is declared.
  static func declaredValue(_ name: String, of enumeration: String) -> String {
    let name = value(name, of: enumeration)
    return keywords.contains(name) ? "`\(name)`" : name
  }

  /// A message or an enumeration by its own name.
  static func type(_ name: String) -> String {
    let result = upperCamel(name)
    return reservedTypes.contains(result) ? result + "Value" : result
  }

  /// A message with those that it is nested in: `DescriptorProto.ExtensionRange`.
  static func type(_ message: Descriptor) -> String {
    let name = type(message.name)
    return message.containingType.map { "\(type($0)).\(name)" } ?? name
  }

  /// An enumeration with the messages that it is nested in.
  static func type(_ enumeration: EnumDescriptor) -> String {
    let name = type(enumeration.name)
    return enumeration.containingType.map { "\(type($0)).\(name)" } ?? name
  }

  /// The enumeration of a oneof: `target` becomes `Target`.
  static func type(_ oneof: OneofDescriptor) -> String {
    let name = type(oneof.name)
    let message: Descriptor = oneof.containingType
    let taken = Set((message.messages.map(\.name) + message.enums.map(\.name)).map(type))
    return taken.contains(name) ? name + "Choice" : name
  }

  static func lowerCamel(_ name: String) -> String {
    let name = upperCamel(name)
    return name.prefix(1).lowercased() + name.dropFirst()
  }

  static func upperCamel(_ name: String) -> String {
    name.split(separator: "_").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }

  private static func upperSnake(_ name: String) -> String {
    var result = ""
    var previous: Character?
    for character in name {
      if character.isUppercase, let previous, !previous.isUppercase, previous != "_" {
        result += "_"
      }
      result += character.uppercased()
      previous = character
    }
    return result
  }

  /// Members that every message has.
  private static let reservedMembers: Set<String> = [
    "customMirror", "debugDescription", "encoded", "init", "self", "unknownFields",
  ]

  /// Types of Swift and of the generated code that a message of the same name would hide.
  private static let reservedTypes: Set<String> = [
    "Any", "AnyObject", "Array", "Bool", "CaseIterable", "Dictionary", "Double", "Equatable",
    "Error", "Float", "Indirect", "Int", "Int32", "Int64", "Never", "Optional", "Protocol", "Self",
    "Sendable", "StaticString", "String", "Swift", "Type", "UInt32", "UInt64", "UInt8",
    "UnknownFields", "Unpacked", "Void", "WireArena", "WireError", "WireLayout",
  ]

  private static let keywords: Set<String> = [
    "as", "associatedtype", "break", "case", "catch", "class", "continue", "default", "defer",
    "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for",
    "func", "guard", "if", "import", "in", "inout", "internal", "is", "let", "nil", "operator",
    "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return", "static",
    "struct", "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias", "var",
    "where", "while",
  ]
}
