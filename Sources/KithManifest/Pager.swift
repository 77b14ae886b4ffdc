/// Where the host sends an alert of severity `page` when it begins to fire and when it ends.
///
/// ```yaml
/// pager:
///   command: [/usr/local/bin/page-oncall, --team, care]
///   webhook: https://hooks.example.org/kith
/// ```
/// Both get one JSON object: the command on its standard input, the webhook as the body of a POST,
/// which `curl` sends. Each is tried three times. The host runs them outside any sandbox, so the
/// key stands in a product's manifest only.
public struct Pager: Sendable, Hashable {
  /// The program, by its absolute path, and its arguments; empty for none.
  public let command: [String]
  /// The URL, `https://` or `http://`; nil for none.
  public let webhook: String?

  /// A pager.
  public init(command: [String] = [], webhook: String? = nil) {
    self.command = command
    self.webhook = webhook
  }

  private enum Keys {
    static let command = Key<[String]>(
      "command", type: "list of texts", standard: [], shown: "none",
      doc: "A program by its absolute path, and its arguments. It reads the alert as JSON."
    ) { scalars, value in
      scalars.list(value, "a list: [/usr/local/bin/page-oncall, --team, care]") {
        scalars.name($0, "a text without a zero byte") { !$0.contains("\0") }
      }
    }
    static let webhook = Key<String>(
      "webhook", type: "URL", shown: "none",
      doc: "Gets the alert as the body of a POST, which curl sends."
    ) { $0.name($1, "a URL: https://hooks.example.org/kith", where: isURL) }
  }

  static let section = ManifestSection(
    "pager", "Where alerts of severity page are sent. The host runs both ways outside any sandbox.",
    form: "a mapping: { command: [/usr/local/bin/page] }, { webhook: https://... } or both",
    keys: [Keys.command.manifest, Keys.webhook.manifest])

  init?(_ value: ManifestValue, findings: Findings) {
    let before = findings.errors.count
    guard let fields = FieldDecoder(value, Self.section, findings: findings) else { return nil }
    command = fields.read(Keys.command) ?? []
    webhook = fields.read(Keys.webhook)
    guard findings.errors.count == before else { return nil }
    if let program = command.first, !program.hasPrefix("/") {
      findings.add(
        ManifestError(
          .outOfRange, "the pager's command is '\(program.prefix(80))'", at: value.location,
          expected: "the absolute path of a program: /usr/local/bin/page-oncall"))
    }
    if command.isEmpty, webhook == nil {
      findings.add(
        ManifestError(
          .missingKey, "'pager' says nothing", at: value.location,
          expected: "'command: [/usr/local/bin/page-oncall]' or 'webhook: https://...'"))
    }
    guard findings.errors.count == before else { return nil }
  }

  /// A URL that is one word on a line, and no option of `curl`.
  fileprivate static func isURL(_ text: String) -> Bool {
    guard text.hasPrefix("https://") || text.hasPrefix("http://"), text.utf8.count <= 2048 else {
      return false
    }
    return text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
  }
}

extension Pager: CustomStringConvertible {
  /// The command's words and the webhook's host: a path or query may hold a secret.
  public var description: String {
    let parts = webhook.map {
      "webhook \($0.split(separator: "/").prefix(2).joined(separator: "//"))"
    }
    return ((command.isEmpty ? [] : [command.joined(separator: " ")]) + [parts].compactMap(\.self))
      .joined(separator: ", ")
  }
}
