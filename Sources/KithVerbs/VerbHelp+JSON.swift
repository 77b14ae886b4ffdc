package import KithJSON
package import KithReflection

/// The same help for a program.
extension VerbHelp {
  /// The help of a worker.
  package func json(services: [ServiceDescription], verbs: [Verb]) -> JSONValue {
    [
      "worker": .string(worker),
      "services": .array(
        services.map {
          ["name": .string($0.fullName), "documentation": .string($0.documentation)]
        }),
      "verbs": .array(verbs.map { .object(Self.object(of: $0)) }),
    ]
  }

  /// The help of a verb.
  package func json(_ verb: Verb) -> JSONValue {
    let flags =
      contracts.message(named: verb.method.requestType)
      .map { RequestFlag.flags(of: $0, in: contracts) } ?? []
    var object = Self.object(of: verb)
    object["worker"] = .string(worker)
    let files = AnswerFile.files(
      of: contracts.message(named: verb.method.responseType), beside: flags)
    object["flags"] = .array(
      flags.filter { flag in !files.contains { $0.name == flag.name } }.map(json)
        + files.map { file in
          [
            "name": .string("--\(file.name)"),
            "documentation": .string(description(of: file)), "positional": false,
            "repeatable": false, "valueName": "FILE",
          ]
        })
    let names = Set(flags.map(\.name) + files.map(\.name))
    object["options"] = .array(
      Self.ownOptions(of: verb.method).filter { !names.contains($0.name) }.map {
        ["name": .string("--\($0.name)"), "documentation": .string($0.text)]
      })
    return .object(object)
  }

  private static func object(of verb: Verb) -> JSONObject {
    var object: JSONObject = [
      "verb": .string(verb.name), "method": .string(verb.method.fullName),
      "documentation": .string(verb.method.documentation),
      "clientStreaming": .bool(verb.method.isClientStreaming),
      "serverStreaming": .bool(verb.method.isServerStreaming),
    ]
    if let use = verb.method.entitlement {
      object["entitlement"] = [
        "feature": .string(use.feature), "quota": .string(use.quota),
        "cost": .integer(Int64(use.cost)), "safety": .bool(use.isSafety),
      ]
    }
    return object
  }

  private func json(_ flag: RequestFlag) -> JSONValue {
    var object: JSONObject = [
      "name": .string("--\(flag.name)"), "documentation": .string(description(of: flag)),
      "positional": .bool(flag.isPositional), "repeatable": .bool(flag.isRepeatable),
    ]
    if let value = flag.valueName { object["valueName"] = .string(value) }
    if case .choice(let names) = flag.kind {
      object["values"] = .array(names.map { .string($0) })
    }
    if !flag.field.documentedDefault.isEmpty {
      object["default"] = .string(flag.field.documentedDefault)
    }
    return .object(object)
  }
}
