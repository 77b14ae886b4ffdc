/// The contracts of some services, ready to be asked: what an encoded
/// `google.protobuf.FileDescriptorSet` says.
public struct ContractSet: Sendable {
  /// The services, file by file.
  public private(set) var services: [ServiceDescription]
  /// The messages, file by file, nested ones behind the one that they are nested in.
  public private(set) var messages: [MessageTypeDescription]
  /// The enums, file by file.
  public private(set) var enumerations: [EnumDescription]

  private var messageIndex: [String: Int] = [:]
  private var enumerationIndex: [String: Int] = [:]

  /// The contracts made of these descriptions.
  /// - Throws: ``ContractError`` `.malformedContract` when a field or method names a type that is
  ///   not among them, or two have one name.
  public init(
    services: [ServiceDescription], messages: [MessageTypeDescription],
    enumerations: [EnumDescription]
  ) throws(ContractError) {
    self.services = services
    self.messages = messages
    self.enumerations = enumerations
    for (position, message) in messages.enumerated() {
      messageIndex[message.fullName] = position
    }
    for (position, enumeration) in enumerations.enumerated() {
      enumerationIndex[enumeration.fullName] = position
    }
    try check()
  }

  /// The service of that full name.
  public func service(named fullName: String) -> ServiceDescription? {
    services.first { $0.fullName == fullName }
  }

  /// The message of that full name.
  public func message(named fullName: String) -> MessageTypeDescription? {
    messageIndex[fullName].map { messages[$0] }
  }

  /// The enum of that full name.
  public func enumeration(named fullName: String) -> EnumDescription? {
    enumerationIndex[fullName].map { enumerations[$0] }
  }

  /// The method addressed as `kith.risk.v1.RiskEngine/Analyze`.
  public func method(named fullName: String) -> MethodDescription? {
    guard let slash = fullName.lastIndex(of: "/") else { return nil }
    return service(named: String(fullName[..<slash]))?
      .method(named: String(fullName[fullName.index(after: slash)...]))
  }

  // MARK: Checks

  private func check() throws(ContractError) {
    guard messageIndex.count == messages.count, enumerationIndex.count == enumerations.count else {
      throw ContractError(.malformedContract, "the contracts have two types of one name")
    }
    for message in messages {
      for field in message.fields {
        switch field.type {
        case .message(let name) where messageIndex[name] == nil,
          .enumeration(let name) where enumerationIndex[name] == nil:
          throw Self.missing(name, for: "\(message.fullName).\(field.name)")
        case .enumeration(let name) where enumeration(named: name)?.values.isEmpty ?? true:
          throw ContractError(.malformedContract, "the enum \(name) has no values")
        default: break
        }
      }
    }
    for service in services {
      for method in service.methods {
        for name in [method.requestType, method.responseType] where messageIndex[name] == nil {
          throw Self.missing(name, for: method.fullName)
        }
      }
    }
  }

  private static func missing(_ name: String, for user: String) -> ContractError {
    ContractError(
      .malformedContract, "\(user) needs \(name), which the contracts do not describe")
  }
}
