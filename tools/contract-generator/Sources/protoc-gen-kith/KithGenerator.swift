import ContractNames
import SwiftProtobuf
import SwiftProtobufPluginLibrary

/// The protoc plugin that writes the Swift of contracts: for each proto package a folder with one
/// file per message, enumeration and service.
///
/// Its options are `module=PACKAGE:MODULE`, as often as needed, and `pairs=true`, which writes the
/// tests' list of all messages instead.
@main
struct KithGenerator: CodeGenerator {
  var supportedFeatures: [Google_Protobuf_Compiler_CodeGeneratorResponse.Feature] {
    [.proto3Optional]
  }

  var supportedEditionRange: ClosedRange<Google_Protobuf_Edition> { .proto2 ... .proto3 }

  var customOptionExtensions: [any AnyMessageExtension] {
    [sensitiveOption, callersOption, entitlementOption]
  }

  func generate(
    files: [FileDescriptor], parameter: any CodeGeneratorParameter,
    protoCompilerContext: any ProtoCompilerContext, generatorOutputs: any GeneratorOutputs
  ) throws {
    let options = parameter.parsedPairs
    let modules = try ContractModules(options: options.filter { $0.key == "module" }.map(\.value))
    if options.contains(where: { $0.key == "pairs" }) {
      try generatorOutputs.add(
        fileName: "Pairs.swift", contents: PairsGenerator(modules: modules, files: files).text)
      return
    }
    var filesOfPackage: [String: [FileDescriptor]] = [:]
    // The package that declares the options has no Swift: they are read from descriptors.
    for file in files where file.package != "kith" {
      filesOfPackage[file.package, default: []].append(file)
      try generate(file, modules: modules, into: generatorOutputs)
    }
    for (package, files) in filesOfPackage {
      let area = modules.area(ofPackage: package)
      let generator = DescriptorSetGenerator(area: area, files: files)
      let used = Set(generator.files.map { modules.descriptorModule(ofPackage: $0.package) })
      let source = SourceFile(files[0], uses: used.union(["KithWire"]).sorted(), publicly: []) {
        text in
        generator.generate(into: &text)
      }
      try generatorOutputs.add(
        fileName: "\(area)/\(area)DescriptorSet.swift", contents: source.text)
    }
  }

  /// Writes the types of a file.
  private func generate(
    _ file: FileDescriptor, modules: ContractModules, into outputs: any GeneratorOutputs
  ) throws {
    let area = modules.area(ofPackage: file.package)
    for message in file.messages {
      let others = packages(of: message).subtracting([file.package])
      let source = SourceFile(
        file, uses: [modules.cModule(ofPackage: file.package)],
        publicly: ["KithWire"] + others.map(modules.swiftModule)
      ) { text in
        MessageGenerator(message).generate(into: &text)
      }
      try outputs.add(
        fileName: "\(area)/\(SwiftNames.type(message.name)).swift", contents: source.text)
    }
    for enumeration in file.enums {
      let source = SourceFile(file, uses: [], publicly: ["KithWire"]) { text in
        EnumGenerator(enumeration).generate(into: &text)
      }
      try outputs.add(
        fileName: "\(area)/\(SwiftNames.type(enumeration.name)).swift", contents: source.text)
    }
    for service in file.services {
      let generator = try ServiceGenerator(service, area: area)
      let others = Set(
        service.methods.flatMap { [$0.inputType.file.package, $0.outputType.file.package] }
      ).subtracting([file.package])
      let source = SourceFile(
        file, uses: [], publicly: ["KithRPC"] + others.map(modules.swiftModule)
      ) { text in
        generator.generate(into: &text)
      }
      try outputs.add(fileName: "\(area)/\(service.name).swift", contents: source.text)
    }
  }

  /// The proto packages that the fields of `message` have types of.
  private func packages(of message: Descriptor) -> Set<String> {
    var result: Set<String> = []
    for field in message.fields {
      switch field.type {
      case .message: result.insert(field.messageType.file.package)
      case .enum: result.insert(field.enumType.file.package)
      default: break
      }
    }
    for nested in message.messages { result.formUnion(packages(of: nested)) }
    return result
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

/// `(kith.entitlement)` of proto/kith/options.proto, encoded.
let entitlementOption = MessageExtension<
  OptionalExtensionField<ProtobufBytes>, Google_Protobuf_MethodOptions
>(_protobuf_fieldNumber: 51003, fieldName: "kith.entitlement")

extension MethodDescriptor {
  /// What the method consumes, as an expression; nil for nothing.
  /// - Throws: `GeneratorError` for an option that names no feature.
  func entitlement() throws -> String? {
    guard let bytes = options.getExtensionValue(ext: entitlementOption) else { return nil }
    // The generator has no code of the message's own: two texts and two numbers.
    var (texts, numbers): ([Int: String], [Int: UInt64]) = ([:], [:])
    var rest = Array(bytes)[...]
    func varint() -> UInt64 {
      var (value, shift): (UInt64, UInt64) = (0, 0)
      while let byte = rest.popFirst() {
        value |= UInt64(byte & 0x7F) << shift
        if byte < 0x80 { break }
        shift += 7
      }
      return value
    }
    while !rest.isEmpty {
      let tag = varint()
      if tag & 7 == 2 {
        let length = Int(varint())
        texts[Int(tag >> 3)] = String(decoding: rest.prefix(length), as: UTF8.self)
        rest = rest.dropFirst(length)
      } else {
        numbers[Int(tag >> 3)] = varint()
      }
    }
    guard let feature = texts[1], !feature.isEmpty else {
      throw GeneratorError(
        "\(fullName) consumes no feature: add one to `option (kith.entitlement) = { feature: \"ask\" };`"
      )
    }
    var arguments = ["feature: \"\(feature)\""]
    if let quota = texts[2], !quota.isEmpty { arguments.append("quota: \"\(quota)\"") }
    if let cost = numbers[3], cost > 1 { arguments.append("cost: \(cost)") }
    if numbers[4] == 1 { arguments.append("isSafety: true") }
    return "EntitlementUse(\(arguments.joined(separator: ", ")))"
  }
}
