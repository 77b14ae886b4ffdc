package import KithJSON
package import KithReflection

/// Contracts as JSON, for `kith describe --json`.
package enum ContractJSON {
  /// A service with its methods.
  package static func json(_ service: ServiceDescription) -> JSONValue {
    [
      "name": .string(service.fullName), "documentation": .string(service.documentation),
      "file": .string(service.file), "methods": .array(service.methods.map(json)),
    ]
  }

  /// A method with its types.
  package static func json(_ method: MethodDescription) -> JSONValue {
    let idempotency =
      switch method.idempotency {
      case .unknown: "IDEMPOTENCY_UNKNOWN"
      case .noSideEffects: "NO_SIDE_EFFECTS"
      case .idempotent: "IDEMPOTENT"
      }
    return [
      "name": .string(method.fullName), "documentation": .string(method.documentation),
      "request": .string(method.requestType), "response": .string(method.responseType),
      "idempotency": .string(idempotency), "clientStreaming": .bool(method.isClientStreaming),
      "serverStreaming": .bool(method.isServerStreaming),
    ]
  }

  /// A message with its fields.
  package static func json(_ message: MessageTypeDescription) -> JSONValue {
    [
      "name": .string(message.fullName), "documentation": .string(message.documentation),
      "file": .string(message.file), "fields": .array(message.fields.map(json)),
    ]
  }

  /// An enumeration with its names.
  package static func json(_ enumeration: EnumDescription) -> JSONValue {
    [
      "name": .string(enumeration.fullName), "documentation": .string(enumeration.documentation),
      "file": .string(enumeration.file),
      "values": .array(
        enumeration.values.map {
          [
            "name": .string($0.name), "number": .integer(Int64($0.number)),
            "documentation": .string($0.documentation),
          ]
        }),
    ]
  }

  private static func json(_ field: FieldDescription) -> JSONValue {
    var object: JSONObject = [
      "name": .string(field.name), "jsonName": .string(field.jsonName),
      "number": .integer(Int64(field.number)), "type": .string(type(field.type)),
    ]
    switch field.cardinality {
    case .implicit: object["cardinality"] = "implicit"
    case .explicit: object["cardinality"] = "explicit"
    case .repeated: object["cardinality"] = "repeated"
    case .map(let key):
      object["cardinality"] = "map"
      object["key"] = .string(key.name)
    }
    if let oneof = field.oneof { object["oneof"] = .string(oneof) }
    if field.isSensitive { object["sensitive"] = true }
    if !field.documentedDefault.isEmpty { object["default"] = .string(field.documentedDefault) }
    if field.isDeprecated { object["deprecated"] = true }
    object["documentation"] = .string(field.documentation)
    return .object(object)
  }

  private static func type(_ type: FieldType) -> String {
    switch type {
    case .message(let name), .enumeration(let name): name
    default: type.name
    }
  }
}
