import KithJSON
import KithManifest
import KithPlanning

extension Plan {
  /// Asks the workers' programs, through `kithd check`, whether they take their configuration.
  /// - Parameters:
  ///   - product: the product as the command line names it.
  ///   - folders: the folders of `--plugins`.
  /// - Returns: why a configuration could not be checked, a line for each worker where that is so.
  /// - Throws: `ManifestErrors` with what the workers refuse; ``CommandFailure`` when `kithd` is
  ///   missing.
  func checkConfiguration(
    product: String, folders: [String], root: String?, environment: [String: String]
  ) throws -> [String] {
    var arguments = ["check", "--product", Surroundings.productArgument(product)]
    for folder in folders { arguments += ["--plugins", Surroundings.absolutePath(folder)] }
    if let root { arguments += ["--root", root] }
    let verdicts: [ConfigurationVerdict]
    switch try HostProcess.find().start(
      arguments, environment: Surroundings.environmentOfHost(environment))
    {
    case .ended(0, let lines):
      verdicts = lines.compactMap {
        (try? JSONValue(parsing: $0)).flatMap(ConfigurationVerdict.init)
      }
    case .ended(let code, let lines):
      return [
        "no configuration was checked: \(lines.first ?? "kithd ended with exit code \(code)")"
      ]
    case .listening, .silent:
      return ["no configuration was checked: kithd did not answer in time"]
    }
    if let errors = ManifestErrors(errors(of: verdicts)) { throw errors }
    let answered = Set(verdicts.map(\.worker))
    return notes(on: verdicts)
      + workers.map(\.name).filter { !answered.contains($0) }.map {
        "the configuration of \($0) was not checked: kithd did not speak of it"
      }
  }
}
