package import KithAccess
import KithJSON
import KithManifest
package import KithRPC
package import KithReflection
import KithTime
package import KithTerminal

/// What stands behind a worker's verb on the command line: the request that the flags build, and
/// the options of Kith's own.
///
/// A flag belongs to the request where the request has such a field, even when Kith has an option
/// of that name; Kith's is then given in front of the worker's name.
package struct VerbArguments {
  /// The request; empty when help is wanted.
  package var request: DynamicMessage
  /// Kith's own options.
  package var settings: CallSettings
  /// The files that parts of the answer are written to, and their paths.
  package var files: [(file: AnswerFile, path: String)] = []
  /// Whether help was asked for; nothing else counts then.
  package var wantsHelp = false

  /// Kith's own options, by name, and whether each takes a value.
  private static let ownOptions: [(name: String, takesValue: Bool)] = [
    ("json", false), ("json-request", true), ("timeout", true), ("idempotency-key", true),
    ("as", true), ("product", true), ("root", true), ("help", false),
  ]

  /// Reads the arguments behind a verb.
  /// - Parameters:
  ///   - answer: the type of the answer, for what of it can be written to files.
  ///   - command: what was typed before, for errors: `kith risk-engine analyze`.
  ///   - settings: what was given in front of the worker's name.
  ///   - reader: what reads files and standard input.
  /// - Throws: ``CommandFailure`` with exit code 64 for wrong usage and 65 for a value that the
  ///   request cannot hold.
  package init(
    _ arguments: [String], request type: MessageTypeDescription,
    answer: MessageTypeDescription? = nil, contracts: ContractSet, command: String,
    settings: CallSettings = CallSettings(), reader: some ValueReader
  ) throws(CommandFailure) {
    let flags = RequestFlag.flags(of: type, in: contracts)
    var parser = VerbArgumentParser(
      contracts: contracts, flags: flags,
      answerFiles: AnswerFile.files(of: answer, beside: flags), command: command, reader: reader,
      settings: settings, request: DynamicMessage(type))
    try parser.parse(arguments)
    request = parser.request
    self.settings = parser.settings
    files = parser.files
    wantsHelp = parser.wantsHelp
  }

  /// Reads the options of Kith's own that stand before a worker's name or a verb. Answers what is
  /// left.
  package static func leadingOptions(
    _ arguments: [String], settings: inout CallSettings, command: String
  ) throws(CommandFailure) -> (rest: [String], wantsHelp: Bool) {
    var rest = arguments[...]
    while let argument = rest.first, argument.hasPrefix("-"), argument != "-" {
      rest = rest.dropFirst()
      if argument == "-h" || argument == "--help" { return (Array(rest), true) }
      let (name, inline) = OptionSyntax.split(argument)
      guard let option = ownOptions.first(where: { $0.name == name }), name != "json-request" else {
        throw OptionSyntax.unknown(
          name, among: ownOptions.map(\.name).filter { $0 != "json-request" }, command: command)
      }
      let value = try OptionSyntax.value(
        of: option, inline: inline, rest: &rest, isKnown: { _ in false }, command: command)
      try settings.set(name, value, command: command)
    }
    return (Array(rest), false)
  }

  /// The option of Kith's own with that name; nil when there is none.
  package static func ownOption(_ name: String) -> (name: String, takesValue: Bool)? {
    ownOptions.first { $0.name == name }
  }

  /// The names of Kith's own options.
  package static var ownOptionNames: [String] { ownOptions.map(\.name) }
}

extension CallSettings {
  /// Sets an option of Kith's own.
  ///
  /// - Throws: ``CommandFailure`` with exit code 64 if the value is not as expected.
  package mutating func set(_ name: String, _ value: String, command: String) throws(CommandFailure)
  {
    switch name {
    case "json": isJSON = true
    case "product": product = value
    case "root": root = value
    case "timeout":
      do throws(CommandFailure) {
        timeout = try TimeLimit(option: value).duration
      } catch {
        throw CommandFailure(.usage, "--timeout: \(error.message)")
      }
    case "as": user = try UserID(option: value)
    case "idempotency-key":
      do throws(CommandFailure) {
        idempotencyKey = try IdempotencyKey(option: value)
      } catch {
        throw CommandFailure(.usage, "--idempotency-key: \(error.message)")
      }
    default: break
    }
  }
}

extension UserID {
  /// A person as `--as` names one.
  package init(option text: String) throws(CommandFailure) {
    guard let user = UserID(text) else {
      throw CommandFailure(
        .usage,
        "--as: expected a user's id, \(Self.form)")
    }
    self = user
  }
}

extension IdempotencyKey {
  /// A key as it stands on the command line.
  package init(option text: String) throws(CommandFailure) {
    do throws(RPCError) {
      try self.init(text)
    } catch {
      throw CommandFailure(.usage, error.message)
    }
  }
}

/// How options are written.
package enum OptionSyntax {
  /// `--text=x` as name and value; `--text` as name alone.
  package static func split(_ argument: String) -> (name: String, value: String?) {
    let body = argument.drop { $0 == "-" }
    guard let equals = body.firstIndex(of: "=") else { return (String(body), nil) }
    return (String(body[..<equals]), String(body[body.index(after: equals)...]))
  }

  /// The value of an option: inline, or the next argument. Empty for an option that takes none.
  package static func value(
    of option: (name: String, takesValue: Bool), inline: String?, rest: inout ArraySlice<String>,
    isKnown: (String) -> Bool, command: String
  ) throws(CommandFailure) -> String {
    guard option.takesValue else {
      guard inline == nil else { throw takesNoValue(option.name) }
      return ""
    }
    if let inline { return inline }
    guard let next = rest.first else {
      throw CommandFailure(
        .usage, "--\(option.name) needs a value; `\(command) --help` shows what it takes")
    }
    if next.hasPrefix("--"), isKnown(split(next).name) {
      throw CommandFailure(
        .usage,
        "--\(option.name) needs a value, and \(split(next).name) is a flag; "
          + "to give that very text write --\(option.name)=\(next)")
    }
    rest = rest.dropFirst()
    return next
  }

  /// The failure of a flag that is given a value and takes none.
  package static func takesNoValue(_ name: String) -> CommandFailure {
    CommandFailure(.usage, "--\(name) takes no value; write it without '='")
  }

  /// The failure of a flag that does not exist; it names the nearest one.
  package static func unknown(
    _ name: String, among names: [String], command: String
  ) -> CommandFailure {
    let shown = SafeText.line(String(name.prefix(60)))
    if let nearest = nearestName(to: name, among: names) {
      return CommandFailure(.usage, "unknown flag --\(shown); did you mean --\(nearest)?")
    }
    return CommandFailure(.usage, "unknown flag --\(shown); `\(command) --help` lists the flags")
  }
}

private struct VerbArgumentParser<Reader: ValueReader> {
  let contracts: ContractSet
  let flags: [RequestFlag]
  let answerFiles: [AnswerFile]
  let command: String
  let reader: Reader
  var settings: CallSettings
  var request: DynamicMessage
  var files: [(file: AnswerFile, path: String)] = []
  var wantsHelp = false

  private var readsStandardInput: String?
  private var given: Set<String> = []

  init(
    contracts: ContractSet, flags: [RequestFlag], answerFiles: [AnswerFile], command: String,
    reader: Reader, settings: CallSettings, request: DynamicMessage
  ) {
    self.contracts = contracts
    self.flags = flags
    self.answerFiles = answerFiles
    self.command = command
    self.reader = reader
    self.settings = settings
    self.request = request
  }

  mutating func parse(_ arguments: [String]) throws(CommandFailure) {
    // Help is for those who do not know the flags yet: it counts wherever it stands, except as
    // another flag's value.
    var values: [(flag: RequestFlag, text: String)] = []
    var json: String?
    let positional = flags.first(where: \.isPositional)
    var words: [String] = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "-h" {
        wantsHelp = true
        return
      }
      if argument == "--", positional != nil {
        words += rest
        break
      }
      guard argument.hasPrefix("--") else {
        guard positional != nil, argument == "-" || !argument.hasPrefix("-") else {
          throw unexpected(argument)
        }
        // `--urgent true`: a yes-or-no flag takes no word, and nobody means that word for the text.
        if words.isEmpty, rest.isEmpty || rest.first?.hasPrefix("--") == true,
          values.last?.flag.kind == .bool, ["true", "false"].contains(argument)
        {
          throw unexpected(argument)
        }
        words.append(argument)
        continue
      }
      let (name, inline) = OptionSyntax.split(argument)
      if let file = answerFiles.first(where: { $0.name == name }) {
        try takePath(of: file, inline: inline, rest: &rest)
        if let flag = flags.first(where: { $0.name == name }) { values.append((flag, "true")) }
      } else if let flag = flags.first(where: { $0.name == name }) {
        values.append((flag, try value(of: flag, inline: inline, rest: &rest)))
      } else if let flag = negated(name) {
        guard inline == nil else { throw OptionSyntax.takesNoValue(name) }
        values.append((flag, "false"))
      } else if let option = VerbArguments.ownOption(name) {
        let value = try OptionSyntax.value(
          of: option, inline: inline, rest: &rest, isKnown: isKnown, command: command)
        switch name {
        case "help":
          wantsHelp = true
          return
        case "json-request": json = value
        default: try settings.set(name, value, command: command)
        }
      } else {
        throw OptionSyntax.unknown(name, among: knownNames, command: command)
      }
    }
    // As a person would say it: add Pills at 8 pm
    if let positional, !words.isEmpty {
      values.append((positional, words.joined(separator: " ")))
    }
    if let json { try setRequest(json) }
    for (flag, text) in values { try set(flag, text) }
  }

  // MARK: Splitting

  private var knownNames: [String] {
    flags.map(\.name) + answerFiles.map(\.name) + VerbArguments.ownOptionNames
  }

  /// Takes the path of a file that a part of the answer is written to.
  private mutating func takePath(
    of file: AnswerFile, inline: String?, rest: inout ArraySlice<String>
  ) throws(CommandFailure) {
    let path = try OptionSyntax.value(
      of: (file.name, true), inline: inline, rest: &rest, isKnown: isKnown, command: command)
    guard !files.contains(where: { $0.file == file }) else {
      throw CommandFailure(.usage, "--\(file.name) is given twice; it takes one value")
    }
    files.append((file, path))
  }

  private func isKnown(_ name: String) -> Bool {
    flags.contains { $0.name == name } || answerFiles.contains { $0.name == name }
      || VerbArguments.ownOption(name) != nil
      || negated(name) != nil
  }

  /// The yes-or-no flag that `--no-NAME` means.
  private func negated(_ name: String) -> RequestFlag? {
    guard name.hasPrefix("no-") else { return nil }
    return flags.first {
      $0.name == name.dropFirst("no-".count) && $0.kind == .bool && !$0.field.holdsMany
    }
  }

  private func value(
    of flag: RequestFlag, inline: String?, rest: inout ArraySlice<String>
  ) throws(CommandFailure) -> String {
    if flag.kind == .bool, !flag.field.holdsMany { return inline ?? "true" }
    return try OptionSyntax.value(
      of: (flag.name, true), inline: inline, rest: &rest, isKnown: isKnown, command: command)
  }

  private func unexpected(_ argument: String) -> CommandFailure {
    if argument == "true" || argument == "false" {
      return CommandFailure(
        .usage,
        "unexpected '\(argument)': write a yes-or-no flag as --flag, --no-flag or "
          + "--flag=\(argument)")
    }
    // The argument itself may be personal, and a person sees what was typed.
    let flag = flags.first { $0.kind == .text && !$0.isRepeatable }?.name ?? "FLAG"
    return CommandFailure(
      .usage,
      "there is a word that belongs to no flag; values are given as --\(flag) \"...\", "
        + "with quotes around what has spaces. `\(command) --help` lists the flags")
  }

  // MARK: Values

  private mutating func setRequest(_ argument: String) throws(CommandFailure) {
    let text = argument == "-" ? try standardInputText(for: "json-request") : argument
    let json: JSONValue
    do throws(JSONError) {
      json = try JSONValue(parsing: text)
    } catch {
      throw CommandFailure(.badInput, "--json-request: \(error)")
    }
    do throws(ContractError) {
      request = try contracts.message(request.type.fullName, from: json)
    } catch {
      throw CommandFailure(error, .badInput, option: "json-request")
    }
  }

  private mutating func set(_ flag: RequestFlag, _ argument: String) throws(CommandFailure) {
    if !flag.isRepeatable, !given.insert(flag.name).inserted {
      throw CommandFailure(.usage, "--\(flag.name) is given twice; it takes one value")
    }
    if let oneof = flag.field.oneof {
      let choice = flag.path.dropLast().map(\.name).joined(separator: ".") + "/" + oneof
      if !given.insert(choice).inserted {
        throw CommandFailure(
          .usage, "--\(flag.name): only one of the flags of '\(oneof)' may be given")
      }
    }
    var text = argument
    var key: DynamicValue?
    if case .map(let keyType) = flag.field.cardinality {
      guard let equals = argument.firstIndex(of: "=") else {
        throw CommandFailure(.usage, "--\(flag.name): expected KEY=VALUE")
      }
      key = try scalar(keyType, String(argument[..<equals]), flag)
      text = String(argument[argument.index(after: equals)...])
    }
    let value = try self.value(of: flag, text)
    request = set(value, key: key, at: flag.path[...], in: request)
  }

  private mutating func value(
    of flag: RequestFlag, _ text: String
  ) throws(CommandFailure) -> DynamicValue {
    switch flag.kind {
    case .text:
      switch ValueSource(text) {
      case .literal(let text): return .string(text)
      case .file(let path): return .string(try self.text(reader.bytes(ofFile: path), flag.name))
      case .standardInput: return .string(try standardInputText(for: flag.name))
      }
    case .bytes:
      switch ValueSource(text) {
      case .literal(let text): return try scalar(.bytes, text, flag)
      case .file(let path): return .bytes(try reader.bytes(ofFile: path))
      case .standardInput: return .bytes(try standardInput(for: flag.name))
      }
    case .file:
      if text == "-" { return .bytes(try standardInput(for: flag.name)) }
      return .bytes(try reader.bytes(ofFile: text))
    case .message:
      let source = text == "-" ? try standardInputText(for: flag.name) : text
      let json: JSONValue
      do throws(JSONError) {
        json = try JSONValue(parsing: source)
      } catch {
        throw CommandFailure(.badInput, "--\(flag.name): \(error)")
      }
      do throws(ContractError) {
        return try contracts.value(of: flag.field, from: json, path: "")
      } catch {
        throw CommandFailure(error, .badInput, option: flag.name)
      }
    case .time(let unit):
      return try scalar(flag.field.type, try count(unit, text, flag), flag)
    case .bool, .number, .choice: return try scalar(flag.field.type, text, flag)
    }
  }

  /// A time as the contract counts it. What is a plain number already counts so.
  private func count(
    _ unit: FieldDescription.Unit, _ text: String, _ flag: RequestFlag
  ) throws(CommandFailure) -> String {
    if Int64(text) != nil { return text }
    switch unit {
    case .instant:
      if let instant = Instant(text) { return "\(instant.milliseconds)" }
      throw CommandFailure(
        .usage, "--\(flag.name): expected a time with its offset such as 2026-11-21T20:00:00Z")
    case .duration, .nanoseconds:
      if let duration = Duration(inManifest: text) {
        let milliseconds = duration.inMilliseconds
        return unit == .duration ? "\(milliseconds)" : "\(milliseconds * 1_000_000)"
      }
      throw CommandFailure(
        .usage, "--\(flag.name): expected a length of time such as 90s, 3h or 1d12h")
    }
  }

  private func scalar(
    _ type: FieldType, _ text: String, _ flag: RequestFlag
  ) throws(CommandFailure) -> DynamicValue {
    do throws(ContractError) {
      return try contracts.value(of: type, from: text, path: "")
    } catch {
      throw CommandFailure(error, .usage, option: flag.name)
    }
  }

  /// The request with a value at the end of a path; messages on the way are made where there is
  /// none.
  private func set(
    _ value: DynamicValue, key: DynamicValue?, at path: ArraySlice<FieldDescription>,
    in message: DynamicMessage
  ) -> DynamicMessage {
    var message = message
    guard let field = path.first else { return message }
    guard path.count == 1 else {
      var inner: DynamicMessage?
      if case .message(let known)? = message[field] {
        inner = known
      } else if case .message(let name) = field.type {
        inner = contracts.message(named: name).map { DynamicMessage($0) }
      }
      if let inner {
        message[field] = .message(set(value, key: key, at: path.dropFirst(), in: inner))
      }
      return message
    }
    switch field.cardinality {
    case .implicit, .explicit: message[field] = value
    case .repeated:
      var values: [DynamicValue] = []
      if case .list(let known)? = message[field] { values = known }
      message[field] = .list(values + [value])
    case .map:
      guard let key else { return message }
      var entries: [DynamicValue.Entry] = []
      if case .map(let known)? = message[field] { entries = known.filter { $0.key != key } }
      message[field] = .map(entries + [DynamicValue.Entry(key: key, value: value)])
    }
    return message
  }

  // MARK: Files and standard input

  private mutating func standardInput(for name: String) throws(CommandFailure) -> [UInt8] {
    if let other = readsStandardInput {
      throw CommandFailure(
        .usage, "standard input can be read once, and --\(other) reads it; --\(name) cannot too")
    }
    readsStandardInput = name
    return try reader.standardInput()
  }

  private mutating func standardInputText(for name: String) throws(CommandFailure) -> String {
    try text(try standardInput(for: name), name)
  }

  /// Bytes as text. One line break at the end is dropped, as a shell does for `$(...)`: editors and
  /// `echo` add it.
  private func text(_ bytes: [UInt8], _ name: String) throws(CommandFailure) -> String {
    guard var text = String(validating: bytes, as: UTF8.self) else {
      throw CommandFailure(
        .badInput,
        "--\(name): byte \(UTF8Check.firstInvalidByte(in: bytes)) is not valid UTF-8; "
          + "expected text in UTF-8")
    }
    // "\r\n" is one character.
    if let last = text.last, last == "\n" || last == "\r\n" { text.removeLast() }
    return text
  }
}

extension CommandFailure {
  /// A value that does not fit the contract, with the name that was probably meant.
  package init(_ error: ContractError, _ status: ExitStatus, option: String? = nil) {
    var message = option.map { "--\($0): \(error)" } ?? error.description
    if let name = error.unknownName, let nearest = nearestName(to: name, among: error.candidates) {
      message += "; did you mean '\(nearest)'?"
    }
    self.init(status, message)
  }
}
