public import KithManifest
import KithReflection

extension ManifestReader {
  /// Reads a product and the plugins, and plans it.
  /// - Throws: all that is wrong.
  public func plan(_ nameOrPath: String) throws(ManifestErrors) -> Plan {
    try Plan(product: try product(nameOrPath), catalogue: catalogue())
  }

  /// Reads a product and its plugins, plans it, and checks the contracts between its workers'
  /// programs, and what its plans name of them.
  /// - Throws: all that is wrong.
  public func checkedPlan(_ nameOrPath: String) throws(ManifestErrors) -> Plan {
    let plan = try plan(nameOrPath)
    var read: [String: ContractSet?] = [:]
    func contracts(of worker: PlannedWorker) -> ContractSet? {
      if let known = read[worker.executablePath] { return known }
      let found = ProgramContracts.read(from: worker.executablePath)
      read[worker.executablePath] = .some(found)
      return found
    }
    let errors =
      ContractCheck.errors(in: plan, contracts: contracts)
      + EntitlementCheck.errors(in: plan, contracts: contracts)
    if let errors = ManifestErrors(errors) { throw errors }
    return plan
  }
}
