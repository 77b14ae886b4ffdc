import ContractNames
import SwiftProtobuf
import SwiftProtobufPluginLibrary

/// The protoc plugin that writes `Sources/KithContracts`: for each proto package a folder with one file per message,
/// enumeration and service.
@main
struct KithGenerator: CodeGenerator {
  var supportedFeatures: [Google_Protobuf_Compiler_CodeGeneratorResponse.Feature] {
    [.proto3Optional]
  }

  var supportedEditionRange: ClosedRange<Google_Protobuf_Edition> { .proto2 ... .proto3 }

  var customOptionExtensions: [any AnyMessageExtension] { [sensitiveOption, callersOption] }

  func generate(
    files: [FileDescriptor], parameter: any CodeGeneratorParameter,
    protoCompilerContext: any ProtoCompilerContext, generatorOutputs: any GeneratorOutputs
  ) throws {
    var filesOfArea: [String: [FileDescriptor]] = [:]
    for file in files {
      guard let area = Area.name(ofPackage: file.package) else { continue }
      filesOfArea[area, default: []].append(file)
      for message in file.messages {
        let source = SourceFile(
          file, uses: ["KithContractsC"],
          publicly: ["KithWire"] + contracts(of: message, outside: area)
        ) { text in
          MessageGenerator(message).generate(into: &text)
        }
        try generatorOutputs.add(
          fileName: "\(area)/\(SwiftNames.type(message.name)).swift", contents: source.text)
      }
      for enumeration in file.enums {
        let source = SourceFile(file, uses: [], publicly: ["KithWire"]) { text in
          EnumGenerator(enumeration).generate(into: &text)
        }
        try generatorOutputs.add(
          fileName: "\(area)/\(SwiftNames.type(enumeration.name)).swift", contents: source.text)
      }
      for service in file.services {
        let generator = try ServiceGenerator(service, area: area)
        let source = SourceFile(file, uses: [], publicly: ["KithRPC"]) { text in
          generator.generate(into: &text)
        }
        try generatorOutputs.add(fileName: "\(area)/\(service.name).swift", contents: source.text)
      }
    }
    for (area, files) in filesOfArea {
      let source = SourceFile(files[0], uses: ["KithContractsC", "KithWire"], publicly: []) {
        text in
        DescriptorSetGenerator(area: area, files: files).generate(into: &text)
      }
      try generatorOutputs.add(
        fileName: "\(area)/\(area)DescriptorSet.swift", contents: source.text)
    }
  }

  /// The contract targets that the fields of `message` have types from.
  private func contracts(of message: Descriptor, outside area: String) -> [String] {
    var result: Set<String> = []
    for field in message.fields {
      let file: FileDescriptor? =
        switch field.type {
        case .message: field.messageType.file
        case .enum: field.enumType.file
        default: nil
        }
      if let file, let other = Area.name(ofPackage: file.package), other != area {
        result.insert("\(other)Contract")
      }
    }
    for nested in message.messages { result.formUnion(contracts(of: nested, outside: area)) }
    return result.sorted()
  }
}

/// Why nothing was generated.
struct GeneratorError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// `(kith.sensitive)` of proto/kith/options.proto.
let sensitiveOption = MessageExtension<
  OptionalExtensionField<ProtobufBool>, Google_Protobuf_FieldOptions
>(_protobuf_fieldNumber: 51001, fieldName: "kith.sensitive")

extension FieldDescriptor {
  /// Whether the field's value must never be printed.
  var isSensitive: Bool {
    options.getExtensionValue(ext: sensitiveOption) ?? false
  }
}

/// `(kith.callers)` of proto/kith/options.proto.
let callersOption = MessageExtension<
  OptionalExtensionField<ProtobufInt32>, Google_Protobuf_MethodOptions
>(_protobuf_fieldNumber: 51002, fieldName: "kith.callers")

extension MethodDescriptor {
  /// The case of `Callers` that says who may call the method.
  /// - Throws: `GeneratorError` for a method whose contract does not say so.
  func callers() throws -> String {
    switch options.getExtensionValue(ext: callersOption) {
    case 1: "anyone"
    case 2: "identified"
    case 3: "operators"
    case 4: "host"
    default:
      throw GeneratorError(
        "\(fullName) does not say who may call it: add `option (kith.callers) = IDENTIFIED;`, or another value of "
          + "kith.Callers (proto/kith/options.proto)")
    }
  }
}
