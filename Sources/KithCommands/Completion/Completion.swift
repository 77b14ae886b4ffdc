import HostContract
import KithReflection
import KithVerbs

/// Finds what may stand at the end of a command line of `kith`: for all shells alike, which only
/// show it.
struct Completion {
  typealias Option = CommandShape.Option

  /// The commands.
  let kith: CommandShape
  /// What is known of products and workers.
  let source: any CompletionSource

  /// What may stand in the place of the last of these words, the ones behind `kith`. The last is
  /// what has been typed of it so far, empty when nothing has.
  func candidates(_ words: [String]) async -> [CompletionCandidate] {
    let current = words.last ?? ""
    var line = Line(words.dropLast(), options: Self.leadingOptions)
    let all: [CompletionCandidate]
    if let first = line.nextWord() {
      all = await candidates(first, &line, current)
    } else {
      all = await candidates(line, current) {
        await self.commands() + self.workers(line.place)
      }
    }
    return all.filter { candidate in
      guard case .word(let text, _) = candidate else { return true }
      return text.hasPrefix(current)
    }
  }

  /// What may stand behind the first word.
  private func candidates(
    _ first: String, _ line: inout Line, _ current: String
  ) async -> [CompletionCandidate] {
    if first == "help" {
      guard let topic = line.nextWord() else {
        return await commands() + workers(line.place)
      }
      if kith.subcommands.contains(where: { $0.name == topic }) || line.nextWord() != nil {
        return []
      }
      return await verbs(of: topic, line.place).map { .word($0.name, summary($0)) }
    }
    guard var command = kith.subcommands.first(where: { $0.name == first }) else {
      return await candidates(worker: first, &line, current)
    }
    line.prefer(command.options)
    if !command.subcommands.isEmpty {
      guard let name = line.nextWord() else {
        return command.subcommands.map { .word($0.name, $0.summary) }
      }
      guard let found = command.subcommands.first(where: { $0.name == name }) else { return [] }
      command = found
      line.prefer(command.options)
    }
    var given: [String] = []
    while let word = line.nextWord() { given.append(word) }
    return await candidates(line, current) {
      await self.arguments(of: command, given: given, current, line)
    }
  }

  /// What may stand behind a worker's name.
  private func candidates(
    worker: String, _ line: inout Line, _ current: String
  ) async -> [CompletionCandidate] {
    guard let name = line.nextWord() else {
      let verbs = await verbs(of: worker, line.place)
      // A word that nobody knows has no options either.
      guard !verbs.isEmpty || current.hasPrefix("-") || line.waiting != nil else { return [] }
      return await candidates(line, current) { verbs.map { .word($0.name, summary($0)) } }
    }
    guard let described = await source.contracts(of: worker, line.place),
      let verb = Verb.verbs(of: described.ownServices).first(where: {
        $0.name == name || $0.method.name == name
      }), let request = described.contracts.message(named: verb.method.requestType)
    else { return [] }
    let asked = RequestFlag.flags(of: request, in: described.contracts)
    let files = AnswerFile.files(
      of: described.contracts.message(named: verb.method.responseType), beside: asked)
    let flags =
      asked.filter { flag in !files.contains { $0.name == flag.name } }.flatMap(Self.options)
      + files.map {
        Option(
          names: ["--\($0.name)"], valueName: "FILE",
          summary: Prose.firstSentence(of: $0.field.documentation))
      }
    let takesFile = asked.contains { $0.isPositional && $0.kind == .file }
    line.prefer([Self.requestOption])
    line.prefer(flags)
    while line.nextWord() != nil {}
    return await candidates(line, current) { takesFile ? [.files] : [] }
  }

  /// The value that an option waits for; else names of options where a dash stands, or nothing else
  /// may; else `words`.
  private func candidates(
    _ line: Line, _ current: String, _ words: () async -> [CompletionCandidate]
  ) async -> [CompletionCandidate] {
    if let option = line.waiting { return await values(of: option, line.place) }
    if current.hasPrefix("-"), let equals = current.firstIndex(of: "="),
      let option = line.option(String(current[..<equals]))
    {
      return await values(of: option, line.place).map { candidate in
        guard case .word(let text, let summary) = candidate else { return candidate }
        return .word(current[...equals] + text, summary)
      }
    }
    let found = current.hasPrefix("-") ? [] : await words()
    guard found.isEmpty else { return found }
    return line.options.filter { option in !option.names.contains { line.given.contains($0) } }
      .compactMap { option in option.names.first.map { .word($0, option.summary) } }
  }

  // MARK: Words

  private func commands() -> [CompletionCandidate] {
    kith.subcommands.map { .word($0.name, $0.summary) }
  }

  private func workers(_ place: CallSettings) async -> [CompletionCandidate] {
    await source.workers(place).map { .word($0, "worker") }
  }

  private static let levels = LogLevel.known.map { CompletionCandidate.word($0.word, "") }

  private func verbs(of worker: String, _ place: CallSettings) async -> [Verb] {
    await source.contracts(of: worker, place).map { Verb.verbs(of: $0.ownServices) } ?? []
  }

  private func summary(_ verb: Verb) -> String {
    Prose.firstSentence(of: verb.method.documentation)
  }

  /// What may be told by its place behind a command.
  private func arguments(
    of command: CommandShape, given: [String], _ current: String, _ line: Line
  ) async -> [CompletionCandidate] {
    let place = line.place
    let position = min(given.count, command.arguments.count - 1)
    guard position >= 0,
      given.count < command.arguments.count || command.arguments[position].isRepeating
    else { return [] }
    let known = command.arguments[position].values
    guard known.isEmpty else { return known.map { .word($0, "") } }
    switch command.name {
    case "up", "plan", "apply", "systemd":
      return await source.products().map { .word($0, "product") } + [.files]
    case "start", "stop", "restart", "upgrade":
      return await workers(place).filter { !$0.isAmong(given) }
    case "events", "backup":
      return await workers(place).filter { !$0.isAmong(given) }
    case "restore":
      return given.isEmpty ? [.files] : await workers(place).filter { !$0.isAmong(given) }
    case "logs":
      return (await workers(place) + [.word("kithd", "the host")])
        .filter { !$0.isAmong(given) }
    case "log-level":
      return given.isEmpty ? await workers(place) : Self.levels
    case "call" where given.isEmpty:
      return shortened(await contracts(line).methods, current)
    case "describe":
      let contracts = await contracts(line)
      return await workers(place)
        + shortened(contracts.services + contracts.methods + contracts.types, current)
    default: return []
    }
  }

  /// What the workers of a product, or the one that `--worker` names, have in their contracts, by
  /// full names.
  private func contracts(
    _ line: Line
  ) async -> (services: [String], methods: [String], types: [String]) {
    var services: [String] = []
    var methods: [String] = []
    var types: Set<String> = []
    let workers =
      if let worker = line.values["--worker"] { [worker] } else { await source.workers(line.place) }
    for worker in workers {
      guard let described = await source.contracts(of: worker, line.place) else { continue }
      // Services that every worker has need `--worker`.
      let own =
        line.values["--worker"] == nil
        ? described.ownServices
        : described.services.compactMap { described.contracts.service(named: $0) }
      services += own.map(\.fullName)
      methods += own.flatMap(\.methods).map(\.fullName)
      types.formUnion(
        (described.contracts.messages.map(\.fullName)
          + described.contracts.enumerations.map(\.fullName))
          .filter { name in
            !name.hasPrefix("google.")
              && (line.values["--worker"] != nil || !WorkerContracts.isCommon(name))
          })
    }
    return (services, methods, types.sorted())
  }

  /// Full names; without their packages where that is how the name was begun.
  private func shortened(_ names: [String], _ current: String) -> [CompletionCandidate] {
    names.map { name in
      let package = name.prefix { $0 != "/" }.split(separator: ".").dropLast().joined(
        separator: ".")
      let short = String(name.dropFirst(package.count + 1))
      let isShort = !current.isEmpty && !name.hasPrefix(current) && short.hasPrefix(current)
      return .word(isShort ? short : name, "")
    }
  }

  // MARK: Options

  private func values(of option: Option, _ place: CallSettings) async -> [CompletionCandidate] {
    guard option.values.isEmpty else { return option.values.map { .word($0, "") } }
    switch (option.names.first, option.valueName) {
    case ("--product", _): return await source.runningProducts().map { .word($0, "product") }
    case ("--worker", _): return await workers(place)
    case (_, "dir"): return [.folders]
    case (_, "FILE"): return [.files]
    case (_, "level"): return Self.levels
    default: return []
    }
  }

  /// The options that may stand in front of a worker or a command.
  private static let leadingOptions = [
    Option(names: ["--json"], summary: "Write JSON, also for errors."),
    Option(
      names: ["--timeout"], valueName: "time", summary: "How long it may take: 500ms, 5s, 2m."),
    Option(names: ["--product"], valueName: "name", summary: "The product, when several run."),
    Option(
      names: ["--root"], valueName: "dir", summary: "The root that a product was started with."),
    Option(names: ["--help", "-h"], summary: "Show help."),
  ]

  private static let requestOption = Option(
    names: ["--json-request"], valueName: "json", summary: "The request as proto3 JSON.")

  /// A flag of a verb as an option, and its opposite where it is one of yes or no.
  private static func options(_ flag: RequestFlag) -> [Option] {
    let summary = Prose.firstSentence(of: flag.field.documentation)
    var option = Option(names: ["--\(flag.name)"], valueName: flag.valueName, summary: summary)
    if case .choice(let names) = flag.kind, !flag.field.isMap { option.values = names }
    guard flag.kind == .bool, !flag.field.holdsMany else { return [option] }
    return [option, Option(names: ["--no-\(flag.name)"], summary: "Not: \(summary)")]
  }
}

extension CompletionCandidate {
  fileprivate func isAmong(_ words: [String]) -> Bool {
    guard case .word(let text, _) = self else { return false }
    return words.contains(text)
  }
}

/// The words in front of the one that is completed, read one after the other.
private struct Line {
  /// The options that are known at this point.
  private(set) var options: [CommandShape.Option]
  /// The option whose value comes next.
  private(set) var waiting: CommandShape.Option?
  /// The options that were given.
  private(set) var given: Set<String> = []
  /// The values of options, by the first of their names.
  private(set) var values: [String: String] = [:]

  private var rest: ArraySlice<String>

  init(_ words: ArraySlice<String>, options: [CommandShape.Option]) {
    rest = words
    self.options = options
  }

  /// The product that is meant.
  var place: CallSettings {
    CallSettings(product: values["--product"], root: values["--root"])
  }

  /// Knows these options too; one of a name that is known already means the new one from here on.
  mutating func prefer(_ new: [CommandShape.Option]) {
    options =
      new + options.filter { old in !new.contains { $0.names.first == old.names.first } }
  }

  func option(_ name: String) -> CommandShape.Option? {
    options.first { $0.names.contains(name) }
  }

  /// The next word that is no option and no value of one; `nil` at the end.
  mutating func nextWord() -> String? {
    while let word = rest.popFirst() {
      guard word.hasPrefix("-"), word != "-" else { return word }
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let option = option(String(parts[0])), let name = option.names.first else { continue }
      given.insert(name)
      guard option.valueName != nil else { continue }
      if parts.count == 2 {
        values[name] = String(parts[1])
      } else if let value = rest.popFirst() {
        values[name] = value
      } else {
        waiting = option
      }
    }
    return nil
  }
}
