import DescriptorContract
import KithWire

extension ContractSet {
  /// Reads an encoded `google.protobuf.FileDescriptorSet`, as a worker's reflection serves it.
  /// - Throws: ``ContractError`` `.malformedContract` when the bytes are no descriptor set, a type
  ///   is missing, or a field is of a kind that proto3 does not have.
  public init(encodedDescriptorSet bytes: [UInt8]) throws(ContractError) {
    let set: FileDescriptorSet
    do throws(WireError) {
      set = try FileDescriptorSet(decoding: bytes)
    } catch {
      throw ContractError(
        .malformedContract, "the contract is no descriptor set: \(error.message)")
    }
    var reader = DescriptorReader()
    for file in set.file { try reader.read(file) }
    try self.init(
      services: reader.services, messages: reader.messages, enumerations: reader.enumerations)
  }
}

/// Turns descriptors into descriptions, file by file.
private struct DescriptorReader {
  var services: [ServiceDescription] = []
  var messages: [MessageTypeDescription] = []
  var enumerations: [EnumDescription] = []

  private var file = ""
  private var comments = ContractComments()
  /// Whether lists of numbers are packed unless the field says otherwise.
  private var packsByDefault = true

  /// The numbers of fields in `google/protobuf/descriptor.proto`, of which the paths of comments
  /// are made.
  private enum Step {
    static let fileMessage: Int32 = 4
    static let fileEnum: Int32 = 5
    static let fileService: Int32 = 6
    static let messageField: Int32 = 2
    static let messageNested: Int32 = 3
    static let messageEnum: Int32 = 4
    static let messageOneof: Int32 = 8
    static let enumValue: Int32 = 2
    static let serviceMethod: Int32 = 2
  }

  mutating func read(_ descriptor: FileDescriptorProto) throws(ContractError) {
    file = descriptor.name ?? ""
    comments = ContractComments(descriptor.sourceCodeInfo)
    packsByDefault = descriptor.syntax == "proto3"
    let package = descriptor.package ?? ""
    for (position, message) in descriptor.messageType.enumerated() {
      try read(message, scope: package, path: [Step.fileMessage, Int32(position)])
    }
    for (position, enumeration) in descriptor.enumType.enumerated() {
      read(enumeration, scope: package, path: [Step.fileEnum, Int32(position)])
    }
    for (position, service) in descriptor.service.enumerated() {
      read(service, scope: package, path: [Step.fileService, Int32(position)])
    }
  }

  // MARK: Services

  private mutating func read(_ service: ServiceDescriptorProto, scope: String, path: [Int32]) {
    let fullName = Self.join(scope, service.name)
    let methods = service.method.enumerated().map { position, method in
      let options = MethodOptionReader(method.options)
      return MethodDescription(
        name: method.name ?? "", service: fullName,
        requestType: Self.withoutLeadingDot(method.inputType),
        responseType: Self.withoutLeadingDot(method.outputType),
        idempotency: Self.idempotency(method.options?.idempotencyLevel),
        isClientStreaming: method.clientStreaming ?? false,
        isServerStreaming: method.serverStreaming ?? false,
        documentation: comments[path + [Step.serviceMethod, Int32(position)]],
        verb: options.verb, entitlement: options.entitlement)
    }
    services.append(
      ServiceDescription(
        fullName: fullName, methods: methods, documentation: comments[path], file: file))
  }

  private static func idempotency(
    _ level: MethodOptions.IdempotencyLevel?
  ) -> MethodDescription.Idempotency {
    switch level {
    case .noSideEffects?: .noSideEffects
    case .idempotent?: .idempotent
    default: .unknown
    }
  }

  // MARK: Messages

  private mutating func read(
    _ message: DescriptorProto, scope: String, path: [Int32]
  ) throws(ContractError) {
    let fullName = Self.join(scope, message.name)
    // The entry of a map is a message only on the wire; its types are taken over into the map's
    // field.
    var entries: [String: DescriptorProto] = [:]
    for nested in message.nestedType where nested.options?.mapEntry == true {
      entries[Self.join(fullName, nested.name)] = nested
    }

    var fields: [FieldDescription] = []
    for (position, field) in message.field.enumerated() {
      let comment = comments[path + [Step.messageField, Int32(position)]]
      fields.append(try read(field, of: message, fullName, entries: entries, comment: comment))
    }
    // The oneof that protoc makes for a proto3 `optional` is no choice.
    let choices = Set(fields.compactMap(\.oneof))
    let oneofs = message.oneofDecl.enumerated().compactMap { position, oneof in
      oneof.name.flatMap { name in
        choices.contains(name)
          ? MessageTypeDescription.Oneof(
            name: name, documentation: comments[path + [Step.messageOneof, Int32(position)]])
          : nil
      }
    }
    messages.append(
      MessageTypeDescription(
        fullName: fullName, fields: fields, oneofs: oneofs,
        // The end of a message's range is behind its last number, that of an enum's is it.
        reserved: Reservations(
          numbers: message.reservedRange.compactMap {
            Self.range($0.start, $0.end.map { $0 &- 1 })
          },
          names: message.reservedName), documentation: comments[path], file: file))

    for (position, nested) in message.nestedType.enumerated()
    where nested.options?.mapEntry != true {
      try read(nested, scope: fullName, path: path + [Step.messageNested, Int32(position)])
    }
    for (position, enumeration) in message.enumType.enumerated() {
      read(enumeration, scope: fullName, path: path + [Step.messageEnum, Int32(position)])
    }
  }

  private func read(
    _ field: FieldDescriptorProto, of message: DescriptorProto, _ messageName: String,
    entries: [String: DescriptorProto], comment: String
  ) throws(ContractError) -> FieldDescription {
    guard let name = field.name, let number = field.number, (1...536_870_911).contains(number)
    else {
      throw ContractError(
        .malformedContract, "a field of \(messageName) has no name, or a number that none can have")
    }
    let place = "\(messageName).\(name)"
    var type = try Self.type(of: field, place: place)
    let oneof = Self.oneof(of: field, in: message)
    let cardinality: FieldDescription.Cardinality
    if field.label == .repeated {
      if case .message(let entryName) = type, let entry = entries[entryName] {
        guard let key = entry.field.first(where: { $0.number == 1 }),
          let value = entry.field.first(where: { $0.number == 2 })
        else {
          throw ContractError(.malformedContract, "the entry of the map \(place) lacks a field")
        }
        let keyType = try Self.type(of: key, place: place)
        guard keyType.isMapKey else {
          throw ContractError(.malformedContract, "\(keyType.name) is no key of a map, in \(place)")
        }
        type = try Self.type(of: value, place: place)
        cardinality = .map(key: keyType)
      } else {
        cardinality = .repeated(
          isPacked: type.isPackable && (field.options?.packed ?? packsByDefault))
      }
    } else {
      let isMessage = if case .message = type { true } else { false }
      let hasPresence =
        isMessage || oneof != nil || field.proto3Optional == true || !packsByDefault
      cardinality = hasPresence ? .explicit : .implicit
    }

    let options = FieldOptionReader(field.options)
    return FieldDescription(
      name: name, number: number, type: type, cardinality: cardinality, jsonName: field.jsonName,
      oneof: oneof, isSensitive: options.isSensitive, documentedDefault: options.defaultValue,
      isPositional: options.isPositional, unit: options.unit,
      isFile: options.isFile, isTable: options.isTable,
      isDeprecated: field.options?.deprecated ?? false, isRequired: field.label == .required,
      documentation: comment)
  }

  /// The name of the choice that a field belongs to.
  private static func oneof(
    of field: FieldDescriptorProto, in message: DescriptorProto
  ) -> String? {
    guard field.proto3Optional != true, let index = field.oneofIndex,
      message.oneofDecl.indices.contains(Int(index))
    else { return nil }
    return message.oneofDecl[Int(index)].name
  }

  private static func type(
    of field: FieldDescriptorProto, place: String
  ) throws(ContractError) -> FieldType {
    switch field.type {
    case .double?: return .double
    case .float?: return .float
    case .int64?: return .int64
    case .uint64?: return .uint64
    case .int32?: return .int32
    case .fixed64?: return .fixed64
    case .fixed32?: return .fixed32
    case .bool?: return .bool
    case .string?: return .string
    case .bytes?: return .bytes
    case .uint32?: return .uint32
    case .sfixed32?: return .sfixed32
    case .sfixed64?: return .sfixed64
    case .sint32?: return .sint32
    case .sint64?: return .sint64
    case .message?: return .message(withoutLeadingDot(field.typeName))
    case .enum?: return .enumeration(withoutLeadingDot(field.typeName))
    default:
      throw ContractError(.malformedContract, "\(place) has a type that proto3 does not know")
    }
  }

  // MARK: Enums

  private mutating func read(_ enumeration: EnumDescriptorProto, scope: String, path: [Int32]) {
    let values = enumeration.value.enumerated().map { position, value in
      EnumDescription.Value(
        name: value.name ?? "", number: value.number ?? 0,
        documentation: comments[path + [Step.enumValue, Int32(position)]])
    }
    enumerations.append(
      EnumDescription(
        fullName: Self.join(scope, enumeration.name), values: values,
        reserved: Reservations(
          numbers: enumeration.reservedRange.compactMap { Self.range($0.start, $0.end) },
          names: enumeration.reservedName), documentation: comments[path], file: file))
  }

  private static func range(_ first: Int32?, _ last: Int32?) -> ClosedRange<Int32>? {
    guard let first, let last, first <= last else { return nil }
    return first...last
  }

  // MARK: Names

  private static func join(_ scope: String, _ name: String?) -> String {
    scope.isEmpty ? name ?? "" : "\(scope).\(name ?? "")"
  }

  /// Types are referred to as `.kith.risk.v1.Channel`.
  private static func withoutLeadingDot(_ name: String?) -> String {
    let name = name ?? ""
    return name.hasPrefix(".") ? String(name.dropFirst()) : name
  }
}
