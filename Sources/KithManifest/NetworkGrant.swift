/// What a worker may reach as a client beside the sockets of its product.
///
/// ```yaml
/// network: none                                           # the default
/// network: outbound                                       # any host, any port
/// network: { hosts: [api.example.com, "*.push.example.com", 10.0.0.0/8], ports: [443, 8443] }
/// network: { hosts: [api.example.com] }                   # port 443
/// network: { ports: [25, 587] }                           # any host
/// ```
/// The kernel (Landlock, Linux 6.7) keeps a process to its TCP ports. It knows no names: hosts are
/// what the plugin's author states, an operator reads in `kith plan`, and the worker is handed to
/// keep itself to.
public enum NetworkGrant: Sendable, Hashable {
  /// Nothing.
  case none
  /// Other machines, whichever and at whichever port.
  case outbound
  /// These hosts, or any host where there are none, at these TCP ports. Ports are never empty.
  case limited(hosts: [String], ports: [UInt16])

  /// The port where hosts are granted and no ports: that of HTTPS.
  public static let standardPort: UInt16 = 443

  /// The most hosts, and the most ports, that a grant names.
  static let most = 64

  private static let form =
    "none, outbound, or { hosts: [api.example.com], ports: [443] }"
  private static let hostForm =
    "a host's name, one with *. in front for all below it, an IP address, or a network: "
    + "api.example.com, \"*.example.com\", 192.0.2.7, 10.0.0.0/8"

  /// Reads a grant; what is wrong is noted.
  init?(_ value: ManifestValue, findings: Findings) {
    let scalars = Scalars(name: "'network'", findings: findings)
    switch value.content {
    case .scalar("none", _): self = .none
    case .scalar("outbound", _): self = .outbound
    case .scalar(let text, _):
      findings.add(
        ManifestError(
          .outOfRange, "'network' is '\(text.prefix(80))'", at: value.location,
          expected: Self.form, suggestion: nearestName(to: text, among: ["none", "outbound"])))
      return nil
    case .mapping:
      guard let grant = Self.limited(value, findings) else { return nil }
      self = grant
    case .null, .list:
      _ = scalars.wrongType(value, Self.form) as Never?
      return nil
    }
  }

  private enum Keys {
    static let hosts = Key<[String]>(
      "hosts", type: "list of hosts", shown: "any host",
      doc: "Names, *.names, addresses, networks. kith plan shows them; the worker keeps to them."
    ) { scalars, value in
      list(value, "a list of hosts: [api.example.com]", scalars) {
        scalars.name($0, hostForm, where: isHost)
      }
    }
    static let ports = Key<[UInt16]>(
      "ports", type: "list of ports", shown: "443",
      doc: "The TCP ports that it may connect to, which the kernel enforces."
    ) { scalars, value in
      list(value, "a list of TCP ports: [443]", scalars) {
        scalars.integer($0, 1...65_535).map { UInt16($0) }
      }
    }
  }

  static let section = ManifestSection(
    "network", "What a worker may connect to. At most \(most) hosts and ports.", form: form,
    keys: [Keys.hosts.manifest, Keys.ports.manifest])

  private static func limited(_ value: ManifestValue, _ findings: Findings) -> NetworkGrant? {
    let before = findings.errors.count
    guard let fields = FieldDecoder(value, section, findings: findings) else { return nil }
    let hosts = fields.read(Keys.hosts)
    let ports = fields.read(Keys.ports)
    guard findings.errors.count == before else { return nil }
    guard hosts != nil || ports != nil else {
      findings.add(
        ManifestError(
          .missingKey, "'network' names neither hosts nor ports", at: value.location,
          expected: form))
      return nil
    }
    return .limited(hosts: hosts ?? [], ports: ports ?? [standardPort])
  }

  /// A list of at least one value, each once.
  private static func list<Element: Hashable>(
    _ value: ManifestValue, _ expected: String, _ scalars: Scalars,
    _ read: (ManifestValue) -> Element?
  ) -> [Element] {
    let findings = scalars.findings
    var seen: Set<Element> = []
    let before = findings.errors.count
    let elements = scalars.list(value, expected) { entry -> Element? in
      guard let element = read(entry) else { return nil }
      guard seen.insert(element).inserted else {
        findings.add(
          ManifestError(
            .outOfRange, "\(scalars.name) names \(element) twice", at: entry.location,
            expected: "each once"))
        return nil
      }
      return element
    }
    if findings.errors.count == before, let elements, !(1...most).contains(elements.count) {
      findings.add(
        ManifestError(
          .outOfRange, "\(scalars.name) has \(elements.count) entries", at: value.location,
          expected: elements.isEmpty
            ? "\(expected), or no \(scalars.name) at all" : "at most \(most)"))
    }
    return elements ?? []
  }

  /// Whether a text is a host's name, `*.` and a name, an IP address, or one with the length of its
  /// prefix.
  static func isHost(_ text: String) -> Bool {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count <= 2 else { return false }
    if let bits = addressBits(parts[0]) {
      guard parts.count == 2 else { return true }
      return parts[1].utf8.allSatisfy { (0x30...0x39).contains($0) }
        && Int(parts[1]).map { (0...bits).contains($0) } == true
    }
    return parts.count == 1 && isName(text.hasPrefix("*.") ? text.dropFirst(2) : text[...])
  }

  /// How many bits an IP address has; nil for what is none.
  private static func addressBits(_ text: Substring) -> Int? {
    let numbers = text.split(separator: ".", omittingEmptySubsequences: false)
    if numbers.count == 4,
      numbers.allSatisfy({ part in
        part.utf8.allSatisfy { (0x30...0x39).contains($0) } && UInt8(part) != nil
          && (part.count == 1 || part.first != "0")
      })
    {
      return 32
    }
    return isVersionSix(text) ? 128 : nil
  }

  /// Up to eight groups of hexadecimal digits, with one gap (`::`) where there are fewer.
  private static func isVersionSix(_ text: Substring) -> Bool {
    guard text.contains(":"), !text.contains(":::") else { return false }
    let groups = text.split(separator: ":", omittingEmptySubsequences: false)
    let gaps = text.indices.dropLast().count {
      text[$0] == ":" && text[text.index(after: $0)] == ":"
    }
    guard gaps <= 1,
      groups.allSatisfy({ $0.count <= 4 && $0.allSatisfy { $0.isASCII && $0.isHexDigit } })
    else { return false }
    let told = groups.count { !$0.isEmpty }
    if gaps == 1 { return told <= 7 }
    return told == 8 && groups.count == 8
  }

  /// A name of the DNS: labels of letters, digits and hyphens, in lower case, the last one no
  /// number.
  private static func isName(_ text: Substring) -> Bool {
    let labels = text.split(separator: ".", omittingEmptySubsequences: false)
    guard text.utf8.count <= 253, let last = labels.last, last.contains(where: { !$0.isNumber })
    else { return false }
    return labels.allSatisfy { label in
      (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
        && label.utf8.allSatisfy {
          (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-")
        }
    }
  }

  /// The TCP ports that a process may connect to; nil for any.
  public var ports: [UInt16]? {
    switch self {
    case .none: []
    case .outbound: nil
    case .limited(_, let ports): ports
    }
  }

  /// The hosts that it states; empty where it states none.
  public var hosts: [String] {
    if case .limited(let hosts, _) = self { hosts } else { [] }
  }
}

extension NetworkGrant: CustomStringConvertible {
  /// `none`, `outbound`, `api.example.com at port 443`, `any host at ports 25, 587`.
  public var description: String {
    switch self {
    case .none: return "none"
    case .outbound: return "outbound"
    case .limited(let hosts, let ports):
      let whose = hosts.isEmpty ? "any host" : hosts.joined(separator: ", ")
      let numbers = ports.map { String($0) }.joined(separator: ", ")
      return "\(whose) at \(ports.count == 1 ? "port" : "ports") \(numbers)"
    }
  }
}
