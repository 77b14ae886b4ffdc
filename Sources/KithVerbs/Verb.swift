import KithManifest
package import KithReflection
package import KithTerminal

/// A method of a worker as a verb on the command line.
package struct Verb: Equatable {
  /// `analyze`: the contract's own word for it (`(kith.verb)`), or its name; with the service in
  /// front where two services have a method of that name: `reminders.add`.
  package let name: String
  /// The method.
  package let method: MethodDescription

  /// The verbs of a worker's own services, in the order of the contracts.
  package static func verbs(of services: [ServiceDescription]) -> [Verb] {
    let methods = services.flatMap(\.methods)
    let names = methods.map { isVerb($0.verb) ? $0.verb : ContractNames.kebab($0.name) }
    return zip(methods, names).map { method, name in
      let isShared = names.count { $0 == name } > 1
      let service = ContractNames.kebab(ContractNames.last(of: method.service))
      return Verb(name: isShared ? "\(service).\(name)" : name, method: method)
    }
  }

  /// Whether a contract's own word for a method can be typed as one.
  private static func isVerb(_ word: String) -> Bool {
    (1...40).contains(word.utf8.count)
      && word.utf8.allSatisfy {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || $0 == UInt8(ascii: "-")
      }
      && !word.hasPrefix("-")
  }

  /// The verb of that name, as it is typed or as the contract has it.
  /// - Throws: ``CommandFailure`` with exit code 64 that names the nearest verb.
  package static func verb(
    named name: String, among verbs: [Verb], worker: String
  ) throws(CommandFailure) -> Verb {
    if let verb = verbs.first(where: { $0.name == name }) { return verb }
    if let verb = verbs.first(where: {
      ContractNames.kebab($0.method.name) == name || $0.method.name == name
    }) {
      return verb
    }
    let shown = SafeText.line(String(name.prefix(60)))
    if let nearest = nearestName(to: name, among: verbs.map(\.name)) {
      throw CommandFailure(
        .usage, "\(worker) has no verb '\(shown)'; did you mean '\(nearest)'?")
    }
    let names = verbs.map(\.name).joined(separator: ", ")
    throw CommandFailure(
      .usage, "\(worker) has no verb '\(shown)'; it has \(names.isEmpty ? "none" : names)")
  }
}
