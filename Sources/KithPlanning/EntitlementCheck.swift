import KithJSON
public import KithManifest
public import KithReflection

/// Whether the plans that a product sells are about what its contracts have.
///
/// The worker that serves `kith.billing.v1.Entitlements` is configured with them, under the keys
/// `features` and `limits`: `plus: digest sms`, `free: ask_daily 10 a day`.
public enum EntitlementCheck {
  /// The service that the SDK asks for whoever calls.
  public static let service = "kith.billing.v1.Entitlements"

  /// What does not fit: a feature or a quota of a plan that no contract of the product consumes,
  /// and a worker whose contract consumes one and that may not ask.
  /// - Parameter contracts: the contracts of a worker's program; nil when it does not tell them.
  public static func errors(
    in plan: Plan, contracts: (PlannedWorker) -> ContractSet?
  ) -> [ManifestError] {
    guard let seller = plan.workers.first(where: { $0.provides.contains(service) }) else {
      return []
    }
    var (features, quotas): (Set<String>, Set<String>) = ([], [])
    var errors: [ManifestError] = []
    var areAllKnown = true
    for worker in plan.workers {
      guard let set = contracts(worker) else {
        areAllKnown = false
        continue
      }
      let uses = set.services.filter { worker.provides.contains($0.fullName) }
        .flatMap(\.methods).compactMap(\.entitlement)
      features.formUnion(uses.map(\.feature))
      quotas.formUnion(uses.map(\.quota).filter { !$0.isEmpty })
      if !uses.isEmpty, !worker.requires.contains(where: { $0.name == service }) {
        errors.append(
          ManifestError(
            .missingService,
            "\(worker.name) has methods that consume plans, and may not ask \(service)",
            at: SourceLocation(file: "\(worker.pluginDirectory)/plugin.yaml"),
            expected: "under 'requires': - { service: \(service), optional: true }"))
      }
    }
    // A worker that does not tell its contracts may have any.
    guard areAllKnown else { return errors }
    for (key, known, what) in [("features", features, "feature"), ("limits", quotas, "quota")] {
      let lines = seller.configuration[key]?.arrayValue?.compactMap(\.stringValue) ?? []
      for line in lines {
        for name in names(in: line, ofLimits: key == "limits") where !known.contains(name) {
          errors.append(
            ManifestError(
              .outOfRange, "'\(line)' names the \(what) '\(name)', which no contract has",
              at: plan.configurationPlaces[seller.name]?[key],
              expected: known.isEmpty
                ? "a worker whose contract has it: option (kith.entitlement)"
                : "one of \(known.sorted().joined(separator: ", "))",
              suggestion: nearestName(to: name, among: known.sorted())))
        }
      }
    }
    return errors
  }

  private static func names(in line: String, ofLimits: Bool) -> [String] {
    guard let colon = line.firstIndex(of: ":") else { return [] }
    let words = line[line.index(after: colon)...].split { $0 == " " || $0 == "," }.map(String.init)
    return ofLimits ? Array(words.prefix(1)) : words
  }
}

extension Plan {
  /// What a worker does with calls while entitlements are away, `allow` or `refuse`; nil for one
  /// that does not ask them.
  public func entitlements(for worker: PlannedWorker) -> String? {
    let service = EntitlementCheck.service
    guard worker.requires.contains(where: { $0.name == service }) else { return nil }
    if let seller = workers.first(where: { $0.provides.contains(service) }) {
      return seller.configuration["when_away"]?.stringValue ?? "allow"
    }
    return remoteServices.contains { $0.service == service } ? "allow" : nil
  }
}
