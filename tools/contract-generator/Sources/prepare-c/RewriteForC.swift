import ContractNames
import SwiftProtobuf

/// The contracts as protoc-c 1.4 can be handed them. The bytes on the wire stay the same.
///
/// - `syntax` becomes proto2, so that every field has a presence flag; `optional` of proto3, which
///   protoc-c refuses, then needs no one-field oneof any more.
/// - `string` becomes `bytes`: a C string would end at the first NUL.
/// - `bool` becomes `uint64`: libprotobuf-c takes a bool of any wire type.
/// - Enumerations become `int32`: they are open, and the C side has no use for their names.
/// - A single message becomes a repeated one: libprotobuf-c's merging of a message that is sent in
///   parts reads out of bounds when there is a oneof in it, and loses unknown fields. The Swift
///   side merges.
/// - Maps become the repeated messages that they are on the wire; repeated numbers are marked
///   packed where proto3 packs them.
/// - Options, services, extensions and enumerations go: only messages have C code.
func rewriteForC(_ set: Google_Protobuf_FileDescriptorSet) -> Google_Protobuf_FileDescriptorSet {
  // The messages of options are read from descriptors, and have no code.
  let files = set.file.filter { !$0.messageType.isEmpty && $0.package != "kith" }
  return .with { result in
    result.file = files.map { file in
      .with {
        $0.name = file.name
        $0.package = file.package
        $0.dependency = file.dependency.filter {
          isUsed($0, by: file, in: files)
        }
        $0.messageType = file.messageType.map { rewriteForC($0, isProto3: file.syntax == "proto3") }
      }
    }
  }
}

/// Whether a field of `file` has a message of the file `dependency` as its type.
private func isUsed(
  _ dependency: String, by file: Google_Protobuf_FileDescriptorProto,
  in files: [Google_Protobuf_FileDescriptorProto]
) -> Bool {
  guard let other = files.first(where: { $0.name == dependency }) else { return false }
  let offered = Set(other.messageType.flatMap { names(of: $0, in: "." + other.package) })
  return file.messageType.contains { uses(offered, $0) }
}

private func names(of message: Google_Protobuf_DescriptorProto, in scope: String) -> [String] {
  let name = "\(scope).\(message.name)"
  return [name] + message.nestedType.flatMap { names(of: $0, in: name) }
}

private func uses(_ types: Set<String>, _ message: Google_Protobuf_DescriptorProto) -> Bool {
  message.field.contains { types.contains($0.typeName) }
    || message.nestedType.contains { uses(types, $0) }
}

private func rewriteForC(
  _ message: Google_Protobuf_DescriptorProto, isProto3: Bool
) -> Google_Protobuf_DescriptorProto {
  // protoc puts the oneofs that it makes for `optional` behind the real ones.
  let synthetic = message.field.filter(\.proto3Optional).count
  return .with {
    $0.name = message.name
    $0.field = message.field.map { rewriteForC($0, isProto3: isProto3) }
    $0.nestedType = message.nestedType.map { rewriteForC($0, isProto3: isProto3) }
    $0.oneofDecl = message.oneofDecl.dropLast(synthetic).map { oneof in
      .with { $0.name = oneof.name }
    }
  }
}

private func rewriteForC(
  _ field: Google_Protobuf_FieldDescriptorProto, isProto3: Bool
) -> Google_Protobuf_FieldDescriptorProto {
  let inOneof = field.hasOneofIndex && !field.proto3Optional
  return .with {
    $0.name = CNames.field(field.name)
    $0.number = field.number
    $0.label = field.label
    if inOneof { $0.oneofIndex = field.oneofIndex }
    switch field.type {
    case .string: $0.type = .bytes
    case .bool: $0.type = .uint64
    case .enum: $0.type = .int32
    case .message:
      $0.type = .message
      $0.typeName = field.typeName
      if !inOneof { $0.label = .repeated }
    default: $0.type = field.type
    }
    let isPackable = field.label == .repeated && ![.message, .string, .bytes].contains(field.type)
    let isPacked = field.options.hasPacked ? field.options.packed : isProto3
    if isPackable && isPacked { $0.options.packed = true }
  }
}
