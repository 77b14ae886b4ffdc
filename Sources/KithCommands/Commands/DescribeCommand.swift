import ArgumentParser
import HostContract
import KithClient
import KithJSON
import KithManifest
import KithRPC
import KithReflection
import KithTerminal
import KithVerbs

/// `kith describe`
struct DescribeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "describe",
    abstract: "Shows the contracts of the running workers, with their documentation.",
    discussion: """
      Without a name: all workers and their methods. Else a worker, a package, a service, a method, a message or one of \
      its fields, or an enum; the package may be left out.

      EXAMPLES
        kith describe
        kith describe risk-engine
        kith describe kith.risk.v1.RiskEngine/Analyze
        kith describe AnalyzeRequest
        kith describe kith.risk.v1
      """)

  @Argument(
    help: ArgumentHelp(
      "What to show.", valueName: "worker|service|service/method|message"))
  var name: String?

  @Option(
    help: ArgumentHelp(
      "The worker to ask, for services that every worker has.", valueName: "name"))
  var worker: String?

  @OptionGroup var product: ProductOptions
  @OptionGroup var time: TimeoutOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let surroundings = Surroundings.current
    let running = try await product.running(
      surroundings, workers: worker.map { [$0] } ?? [])
    defer { running.connection.close() }
    let options = CallOptions(timeout: time.timeout.duration, waitForReady: true)
    let directory = try await ServiceDirectory.of(running, worker: worker, options: options)
    // As protoc and its relatives write full names.
    guard let name = name.map({ $0.hasPrefix(".") ? String($0.dropFirst()) : $0 }) else {
      try await describeAll(directory, surroundings.terminal)
      return
    }
    if name.contains("/") {
      let (service, method) = try await directory.method(name)
      if output.json {
        try Output.line(ContractJSON.json(method).text(pretty: true))
      } else {
        try Output.line(ContractPrinter(service.contracts).text(of: method))
      }
    } else if directory.workers.contains(where: { $0.name == name }) {
      try await describe(worker: name, directory)
    } else if let service = try await directory.findService(name) {
      if output.json {
        try Output.line(ContractJSON.json(service.description).text(pretty: true))
      } else {
        try Output.line(ContractPrinter(service.contracts).text(of: service.description))
      }
    } else {
      try await describe(type: name, directory)
    }
  }

  // MARK: Overviews

  private func describeAll(_ directory: ServiceDirectory, _ terminal: Terminal) async throws {
    var parts: [String] = []
    var objects: [JSONValue] = []
    for worker in directory.workers {
      guard worker.state == .ready else {
        parts.append(
          "\(terminal.text(worker.name, .bold))  (\(StatusReport.words(worker.state)))")
        objects.append(["worker": .string(worker.name), "services": []])
        continue
      }
      let services = try await directory.contracts(ofWorker: worker.name).ownServices
      objects.append([
        "worker": .string(worker.name), "services": .array(services.map(ContractJSON.json)),
      ])
      let verbs = Verb.verbs(of: services)
      let width = verbs.map { TextWidth.columns($0.method.fullName) }.max() ?? 0
      var lines = [terminal.text(worker.name, .bold)]
      for verb in verbs {
        let summary = Prose.firstSentence(of: verb.method.documentation)
        let full = "  " + TextWidth.padded(verb.method.fullName, to: width) + "  " + summary
        if TextWidth.columns(full) <= terminal.width {
          lines.append(full)
        } else {
          lines.append("  " + verb.method.fullName)
          lines += Prose.wrapped(summary, width: terminal.width - 6).map { "      " + $0 }
        }
      }
      parts.append(lines.joined(separator: "\n"))
    }
    try Output.line(
      output.json
        ? JSONValue.array(objects).text(pretty: true) : parts.joined(separator: "\n\n"))
  }

  private func describe(worker: String, _ directory: ServiceDirectory) async throws {
    let described = try await directory.contracts(ofWorker: worker)
    let services = described.ownServices
    if output.json {
      try Output.line(JSONValue.array(services.map(ContractJSON.json)).text(pretty: true))
      return
    }
    let printer = ContractPrinter(described.contracts)
    try Output.line(services.map { printer.text(of: $0) }.joined(separator: "\n\n"))
  }

  // MARK: Types

  private func describe(type name: String, _ directory: ServiceDirectory) async throws {
    var known: Set<String> = Set(directory.workers.map(\.name))
    let asked = directory.workers.filter { $0.state == .ready && (worker ?? $0.name) == $0.name }
    for worker in asked {
      let contracts = try await directory.contracts(ofWorker: worker.name).contracts
      let printer = ContractPrinter(contracts)
      if let message = contracts.messages.first(where: { isMeant($0, by: name) }) {
        try Output.line(
          output.json
            ? ContractJSON.json(message).text(pretty: true) : printer.text(of: message))
        return
      }
      if let enumeration = contracts.enumerations.first(where: { matches($0.fullName, name) }) {
        try Output.line(
          output.json
            ? ContractJSON.json(enumeration).text(pretty: true) : printer.text(of: enumeration))
        return
      }
      if try describe(package: name, in: contracts) { return }
      for fullName in contracts.messages.map(\.fullName) + contracts.enumerations.map(\.fullName)
      where !fullName.hasPrefix("google.") {
        known.formUnion([fullName, ContractNames.last(of: fullName)])
      }
      for service in contracts.services {
        known.formUnion([service.fullName, service.name])
      }
    }
    let hint =
      nearestName(to: name, among: known).map { "did you mean '\($0)'?" }
      ?? "`kith describe` lists what there is"
    throw CommandFailure(
      .usage, "no worker, service, message or enum is called '\(SafeText.line(name))'; \(hint)")
  }

  /// Shows all that a package declares; answers whether there is such a package.
  private func describe(package: String, in contracts: ContractSet) throws -> Bool {
    func isOf(_ fullName: String) -> Bool {
      fullName.hasPrefix(package + ".") && !fullName.dropFirst(package.count + 1).contains(".")
    }
    let services = contracts.services.filter { isOf($0.fullName) }
    let messages = contracts.messages.filter { isOf($0.fullName) }
    let enumerations = contracts.enumerations.filter { isOf($0.fullName) }
    guard !services.isEmpty || !messages.isEmpty || !enumerations.isEmpty else { return false }
    if output.json {
      let objects: [JSONValue] =
        services.map(ContractJSON.json) + messages.map(ContractJSON.json)
        + enumerations.map(ContractJSON.json)
      try Output.line(JSONValue.array(objects).text(pretty: true))
    } else {
      let printer = ContractPrinter(contracts)
      let texts =
        services.map { printer.text(of: $0) } + messages.map { printer.text(of: $0) }
        + enumerations.map { printer.text(of: $0) }
      try Output.line(texts.joined(separator: "\n\n"))
    }
    return true
  }

  /// Whether a name is that of a message, or of one of its fields: `AnalyzeRequest.text`.
  private func isMeant(_ message: MessageTypeDescription, by name: String) -> Bool {
    if matches(message.fullName, name) { return true }
    guard let dot = name.lastIndex(of: ".") else { return false }
    return matches(message.fullName, String(name[..<dot]))
      && message.fields.contains { $0.name == name[dot...].dropFirst() }
  }

  private func matches(_ fullName: String, _ name: String) -> Bool {
    fullName == name || (ContractNames.last(of: fullName) == name && !fullName.hasPrefix("google."))
  }
}
