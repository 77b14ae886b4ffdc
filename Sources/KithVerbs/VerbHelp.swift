package import KithReflection
package import KithTerminal

/// The help of a worker and of its verbs, made from the contract: flags from the request's fields,
/// words from the comments.
package struct VerbHelp {
  /// Where the types of the requests are.
  package let contracts: ContractSet
  /// The worker's name.
  package let worker: String
  /// What it is shown on.
  package let terminal: Terminal

  /// Help for the verbs of a worker.
  package init(contracts: ContractSet, worker: String, terminal: Terminal) {
    self.contracts = contracts
    self.worker = worker
    self.terminal = terminal
  }

  private var width: Int { terminal.width }

  /// The help of a worker: its services and verbs.
  package func text(services: [ServiceDescription], verbs: [Verb]) -> String {
    var lines = ["Usage: kith \(worker) VERB [FLAGS]", ""]
    for service in services where !service.documentation.isEmpty {
      lines += Prose.wrapped(service.documentation, width: width) + [""]
    }
    lines.append(terminal.text("Verbs:", .bold))
    lines += entries(
      verbs.map { verb in
        (
          verb.name, Prose.firstSentence(of: verb.method.documentation),
          verb.method.streamsInWords.map { [$0] } ?? []
        )
      })
    lines += ["", "`kith \(worker) VERB --help` shows the flags of a verb."]
    return lines.joined(separator: "\n")
  }

  /// The help of a verb.
  package func text(_ verb: Verb) -> String {
    let flags =
      contracts.message(named: verb.method.requestType)
      .map { RequestFlag.flags(of: $0, in: contracts) } ?? []
    let files = AnswerFile.files(
      of: contracts.message(named: verb.method.responseType), beside: flags)
    let positional = flags.first(where: \.isPositional).map { " [\(positionalName($0))]" } ?? ""
    var lines = [
      "Usage: kith \(worker) \(verb.name)\(positional)\(flags.isEmpty ? "" : " [FLAGS]")", "",
    ]
    if !verb.method.documentation.isEmpty {
      lines += Prose.wrapped(verb.method.documentation, width: width) + [""]
    }
    let streams = streams(verb.method)
    if !streams.isEmpty { lines += Prose.wrapped(streams, width: width) + [""] }
    if let use = verb.method.entitlement {
      lines += Prose.wrapped(entitlement(use), width: width) + [""]
    }
    // What is written to a file has one flag, which also asks for it.
    let asked = flags.filter { flag in !files.contains { $0.name == flag.name } }
    if !flags.isEmpty || !files.isEmpty {
      lines.append(terminal.text("Flags:", .bold))
      lines += entries(
        asked.map { (title(of: $0), description(of: $0), notes(on: $0)) }
          + files.map { ("--\($0.name) FILE", description(of: $0), []) })
      lines.append("")
    }
    lines.append(terminal.text("Of every call:", .bold))
    let names = Set(flags.map(\.name) + files.map(\.name))
    lines += entries(
      Self.ownOptions(of: verb.method).filter { !names.contains($0.name) }
        .map { ("--\($0.title)", $0.text, []) })
    if flags.contains(where: { $0.kind == .text || $0.kind == .bytes }) {
      lines.append("")
      lines += Prose.wrapped(
        "A text or bytes can come from a file (@FILE) or from standard input (-); a text that "
          + "begins with @ is written with two (@@).", width: width)
    }
    lines += ["", terminal.text("Example:", .bold), "  " + example(verb, flags)]
    return lines.joined(separator: "\n")
  }

  private func entitlement(_ use: MethodDescription.Entitlement) -> String {
    if use.isSafety {
      return "Uses the feature '\(use.feature)', which is a matter of safety and refused to nobody."
    }
    let quota = use.quota.isEmpty ? "" : ", and \(use.cost) of the quota '\(use.quota)'"
    return "Uses the feature '\(use.feature)' of the person's plan\(quota)."
  }

  private func streams(_ method: MethodDescription) -> String {
    var sentences: [String] = []
    if method.isClientStreaming {
      sentences.append(
        "Takes a stream: without flags, each line of standard input is a message in proto3 JSON; a line that is none "
          + "cancels the call.")
    }
    if method.isServerStreaming {
      sentences.append(
        "Answers with a stream: a line of JSON for each answer, as it comes; ctrl-C ends it.")
    }
    return sentences.joined(separator: " ")
  }

  // MARK: Flags

  private func positionalName(_ flag: RequestFlag) -> String {
    ContractNames.upperSnake(flag.field.name)
  }

  private func title(of flag: RequestFlag) -> String {
    if flag.isPositional {
      return "\(positionalName(flag)), --\(flag.name) \(flag.valueName ?? "")"
    }
    if flag.kind == .bool, !flag.field.holdsMany { return "--[no-]\(flag.name)" }
    return "--\(flag.name) \(flag.valueName ?? "")"
  }

  /// What a flag of the request is, in a few words.
  package func description(of flag: RequestFlag) -> String {
    var text = flag.field.documentation
    let enclosing = flag.path.dropLast().compactMap(\.oneof)
    if flag.field.isDeprecated { text = "No longer to be used. " + text }
    if let oneof = flag.field.oneof ?? enclosing.last {
      text += (text.isEmpty ? "" : " ") + "One of the flags of '\(oneof)'."
    }
    return text
  }

  /// What a file of the answer is, in a few words.
  package func description(of file: AnswerFile) -> String {
    "Writes to this file: " + file.field.documentation
  }

  private func notes(on flag: RequestFlag) -> [String] {
    var notes: [String] = []
    if case .choice(let names) = flag.kind {
      notes.append("one of " + names.joined(separator: ", "))
    }
    if case .number(let type) = flag.kind, type != "double", type != "float" {
      notes.append(type.hasPrefix("u") || type.hasPrefix("fixed") ? "whole, from 0" : "whole")
    }
    if !flag.field.documentedDefault.isEmpty {
      notes.append("default \(flag.field.documentedDefault)")
    }
    if flag.isRepeatable { notes.append("may be repeated") }
    return notes
  }

  /// The options of Kith's own, with what they are.
  package static func ownOptions(
    of method: MethodDescription
  ) -> [(name: String, title: String, text: String)] {
    ownOptions.compactMap { option in
      switch option.name {
      // Only a call of one request and one answer can be repeated.
      case "idempotency-key" where method.isStreaming: return nil
      case "timeout":
        let standard = method.isStreaming ? "no end" : "30s"
        return (option.name, option.title, "\(option.text) (default \(standard)).")
      default: return option
      }
    }
  }

  private static let ownOptions: [(name: String, title: String, text: String)] = [
    ("json", "json", "Write the answer as proto3 JSON."),
    (
      "json-request", "json-request JSON",
      "The request as proto3 JSON (- reads it from standard "
        + "input); flags are set on top of it."
    ),
    ("timeout", "timeout TIME", "How long the call may take: 500ms, 5s, 2m"),
    (
      "idempotency-key", "idempotency-key KEY",
      "Names what is meant by this call: a worker that keeps a record carries it out once however often it is made."
    ),
    (
      "as", "as USER",
      "The person in whose name the call is made; without it, it is the product's own."
    ),
    ("product", "product NAME", "The product, when several run."),
    ("root", "root DIR", "The product's root, when it was started with one."),
  ]

  // MARK: Layout

  /// Titles with what they mean: beside each other where the titles are short, else below each
  /// other.
  private func entries(_ entries: [(title: String, text: String, notes: [String])]) -> [String] {
    let longest = entries.map { TextWidth.columns($0.title) }.max() ?? 0
    let column = min(longest, 24) + 4
    var lines: [String] = []
    for entry in entries {
      var text = entry.text
      if !entry.notes.isEmpty {
        text += (text.isEmpty ? "" : " ") + "(" + entry.notes.joined(separator: "; ") + ")"
      }
      let wrapped = Prose.wrapped(text, width: width - column)
      let title = "  \(entry.title)"
      if TextWidth.columns(title) + 2 <= column, let first = wrapped.first {
        lines.append(TextWidth.padded(title, to: column) + first)
        lines += wrapped.dropFirst().map { indent($0, column) }
      } else {
        lines.append(title)
        lines += wrapped.map { indent($0, column) }
      }
    }
    return lines
  }

  private func indent(_ line: String, _ column: Int) -> String {
    line.isEmpty ? "" : String(repeating: " ", count: column) + line
  }

  private func example(_ verb: Verb, _ flags: [RequestFlag]) -> String {
    var words = ["kith", worker, verb.name]
    if verb.method.isClientStreaming {
      return (words + ["< requests.jsonl"]).joined(separator: " ")
    }
    let isGiven = flags.contains(where: \.isPositional)
    for flag in flags where flag.path.count == 1 && !flag.isRepeatable {
      // What has a place of its own comes alone.
      if isGiven, !flag.isPositional { continue }
      switch flag.kind {
      case .text where words.count == 3 && flag.isPositional: words.append("\"...\"")
      case .file where flag.isPositional: words.append("FILE")
      case .text where words.count == 3: words += ["--\(flag.name)", "\"...\""]
      case .choice(let names):
        // The first name is that of the value for "not known".
        if names.count > 1 { words += ["--\(flag.name)", names[1]] }
      default: break
      }
      if words.count >= 7 { break }
    }
    return words.joined(separator: " ")
  }
}
