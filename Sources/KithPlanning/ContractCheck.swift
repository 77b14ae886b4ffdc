public import KithManifest
public import KithReflection

/// Whether the workers of a plan mean the same by the contracts between them.
public enum ContractCheck {
  /// What does not fit: for each worker and each service that it requires of another, what broke
  /// between the contract that it was built with and the other's. Who does not tell its contracts
  /// is not checked.
  /// - Parameter contracts: the contracts of a worker's program; nil when it does not tell them.
  public static func errors(
    in plan: Plan, contracts: (PlannedWorker) -> ContractSet?
  ) -> [ManifestError] {
    var read: [String: ContractSet?] = [:]
    func known(_ worker: PlannedWorker) -> ContractSet? {
      if let known = read[worker.executablePath] { return known }
      let found = contracts(worker)
      read[worker.executablePath] = .some(found)
      return found
    }
    return plan.workers.flatMap { caller in
      caller.requires.flatMap { requirement -> [ManifestError] in
        guard
          let callee = plan.workers.first(where: { $0.provides.contains(requirement.name) }),
          // One program is of one mind.
          callee.executablePath != caller.executablePath,
          let wanted = known(caller), let served = known(callee)
        else { return [] }
        return ContractComparison.breaks(of: requirement.name, caller: wanted, callee: served)
          .map { error($0, requirement.name, caller, callee) }
      }
    }
  }

  private static func error(
    _ broken: ContractBreak, _ service: String, _ caller: PlannedWorker, _ callee: PlannedWorker
  ) -> ManifestError {
    ManifestError(
      .contractMismatch,
      "\(caller.name) was built for another \(service) than \(callee.name) serves: \(broken)",
      at: SourceLocation(file: "\(caller.pluginDirectory)/plugin.yaml"),
      expected: "both built with one contract, or one that only grew (\(broken.rule.rawValue))")
  }
}
