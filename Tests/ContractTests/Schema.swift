import DescriptorContract
import KithWire

/// The contracts as data, from the descriptors that reflection serves.
struct Schema: Sendable {
  /// The messages by full name, map entries among them.
  let messages: [String: DescriptorProto]
  /// The enumerations by full name.
  let enums: [String: EnumDescriptorProto]
  /// The messages of files with `syntax = "proto2"`: their enumerations are closed.
  let proto2: Set<String>

  static let standard: Schema = {
    do {
      return Schema(try descriptorSets.flatMap { try FileDescriptorSet(decoding: $0).file })
    } catch {
      fatalError("a descriptor set that the generator embeds does not decode: \(error)")
    }
  }()

  private init(_ files: [FileDescriptorProto]) {
    var messages: [String: DescriptorProto] = [:]
    var enums: [String: EnumDescriptorProto] = [:]
    var proto2: Set<String> = []
    func add(_ message: DescriptorProto, in scope: String, isProto2: Bool) {
      let name = "\(scope).\(message.name ?? "")"
      messages[name] = message
      if isProto2 { proto2.insert(name) }
      for nested in message.nestedType { add(nested, in: name, isProto2: isProto2) }
      for nested in message.enumType { enums["\(name).\(nested.name ?? "")"] = nested }
    }
    for file in files {
      let package = file.package ?? ""
      // The messages of options are read from descriptors, and have no code.
      for message in file.messageType where package != "kith" {
        add(message, in: package, isProto2: file.syntax != "proto3")
      }
      for nested in file.enumType { enums["\(package).\(nested.name ?? "")"] = nested }
    }
    self.messages = messages
    self.enums = enums
    self.proto2 = proto2
  }

  /// The messages that are not entries of maps.
  var names: [String] {
    messages.filter { $0.value.options?.mapEntry != true }.map(\.key).sorted()
  }

  /// The message that a field's type names.
  func message(of field: FieldDescriptorProto) -> (name: String, message: DescriptorProto)? {
    guard field.type == .message, let name = field.typeName?.dropFirst(),
      let message = messages[String(name)]
    else { return nil }
    return (String(name), message)
  }
}

extension FieldDescriptorProto {
  /// How one value of the field is laid out.
  var wireType: WireType {
    switch type {
    case .fixed32, .sfixed32, .float: .fixed32
    case .fixed64, .sfixed64, .double: .fixed64
    case .string, .bytes, .message: .lengthDelimited
    default: .varint
    }
  }

  var isRepeated: Bool { label == .repeated }

  /// Whether values of the field can be written one behind the other in one length-delimited field.
  var isPackable: Bool { isRepeated && wireType != .lengthDelimited }

  /// The oneof that the field is a member of; `optional` makes one that counts for nothing.
  var choice: Int32? { proto3Optional == true ? nil : oneofIndex }
}
