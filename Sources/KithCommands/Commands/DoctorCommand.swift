import ArgumentParser
import HostContract
import KithClient
import KithJSON
import KithManifest
import KithRPC
import KithTerminal

/// `kith doctor`
struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Examines a product and this machine, and says what to do about what it finds.",
    discussion: """
      Looks at the host and its workers, alerts, logs, room on the disks, permissions of folders and keys, damaged files, \
      the sandbox of this kernel, control groups, and the clock. Changes nothing. ACTION is what somebody must see to, \
      notice is what to know of. Ends with exit code 3 when something needs action, also when no host answers.

      EXAMPLES
        kith doctor
        kith doctor --product milo --json | jq '.findings[] | select(.state == "action")'
      """)

  @OptionGroup var product: ProductOptions
  @OptionGroup var time: TimeoutOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let surroundings = Surroundings.current
    let (host, places) = try await find(surroundings)
    let findings = Diagnosis(
      examination: Examiner(places: places).examine(host), options: product.words
    ).findings
    var name = places?.product ?? ""
    if case .answers(let status) = host { name = status.product }
    let report = DoctorReport(product: name, findings: findings)
    if output.json {
      try Output.line(report.json.text(pretty: true))
    } else {
      try Output.lines(report.lines(surroundings.terminal))
    }
    if report.needsAction { throw ExitCode(ExitStatus.action.number) }
  }

  /// The host, and the places of its product as far as they are known.
  /// - Throws: ``CommandFailure`` with exit code 64 when several products might be meant.
  private func find(
    _ surroundings: Surroundings
  ) async throws -> (host: Examination.Host, places: ProductPlaces?) {
    do {
      let running = try await product.running(surroundings)
      defer { running.connection.close() }
      let status = try await running.status(within: time.callOptions.timeout)
      return (.answers(status), running.places)
    } catch {
      guard let failure = CommandFailure(known: error), failure.status != .usage else {
        throw error
      }
      return (.missing(failure.message), try knownPlaces(surroundings))
    }
  }

  /// The places of the product that is meant where no host says so: those that were named, else
  /// those of the only product that has a folder.
  private func knownPlaces(_ surroundings: Surroundings) throws -> ProductPlaces? {
    let environment = surroundings.environment
    let root = try Surroundings.root(product.root)
    let variable = environment["KITH_PRODUCT"].flatMap { $0.isEmpty ? nil : $0 }
    if let name = product.product ?? variable {
      return try ProductPlaces(product: name, root: root, environment: environment)
    }
    if let root {
      return try ProductPlaces(product: "unnamed", root: root, environment: environment)
    }
    let names = ProductFolders(environment: environment).names
    guard names.count == 1 else { return nil }
    return try ProductPlaces(product: names[0], environment: environment)
  }
}
