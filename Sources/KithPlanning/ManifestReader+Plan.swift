public import KithManifest

extension ManifestReader {
  /// Reads a product and the plugins, and plans it.
  /// - Throws: all that is wrong.
  public func plan(_ nameOrPath: String) throws(ManifestErrors) -> Plan {
    try Plan(product: try product(nameOrPath), catalogue: catalogue())
  }

  /// Reads a product and its plugins, plans it, and checks the contracts between its workers'
  /// programs.
  /// - Throws: all that is wrong.
  public func checkedPlan(_ nameOrPath: String) throws(ManifestErrors) -> Plan {
    let plan = try plan(nameOrPath)
    let errors = ContractCheck.errors(in: plan) { ProgramContracts.read(from: $0.executablePath) }
    if let errors = ManifestErrors(errors) { throw errors }
    return plan
  }
}
