/// The right to see and signal programs of one person of this machine, those that it names and no
/// others.
///
/// ```yaml
/// programs: { user: ada, names: [/usr/games/supertux2, "/opt/games/*", game.desktop] }
/// ```
/// The worker signals nothing itself: its sandbox stays as it is. It asks its host, which looks at
/// each program again before it acts.
public struct ProgramsGrant: Sendable, Hashable {
  /// The name of the person's account; nil for that of the host.
  public let user: String?
  /// What the programs are known by: the absolute path of an executable, a folder and `/*` for all
  /// below it, the name of a desktop file (`.desktop`), of a unit of systemd (`.scope`, `.service`,
  /// `.slice`). Never empty.
  public let names: [String]

  /// The most names.
  static let most = 64
  private static let nameForm =
    "an absolute path, a folder and /*, or a name that ends in .desktop, .scope, .service or .slice"

  /// A grant.
  package init(user: String?, names: [String]) {
    self.user = user
    self.names = names
  }

  private static let userKey = Key<String>(
    "user", type: "account", shown: "that of the host",
    doc: "Whose programs. Never root."
  ) { $0.name($1, "the name of an account: ada", where: isAccount) }
  private static let namesKey = Key<[String]>(
    required: "names", type: "list of programs", missing: "names: [/usr/games/supertux2]",
    doc: "Paths of executables, folders with /*, desktop files, units of systemd."
  ) { scalars, value in
    scalars.list(value, "a list of programs: [/usr/games/supertux2]") {
      scalars.name($0, nameForm, where: isName)
    }
  }

  static let section = ManifestSection(
    "programs", "The right to see and signal programs of a person. At most \(most) names.",
    form: "{ user: ada, names: [/usr/games/supertux2] }",
    keys: [userKey.manifest, namesKey.manifest])

  static let key = Key.nested(
    "programs", shown: "none", section: "programs",
    doc: "The programs of a person that it may see and signal.")

  /// Reads a grant; what is wrong is noted.
  init?(_ value: ManifestValue, findings: Findings) {
    let before = findings.errors.count
    guard let fields = FieldDecoder(value, Self.section, findings: findings) else { return nil }
    user = fields.read(Self.userKey)
    let names = fields.read(Self.namesKey)
    guard findings.errors.count == before, let names else { return nil }
    guard (1...Self.most).contains(names.count) else {
      findings.add(
        ManifestError(
          .outOfRange, "'names' has \(names.count) entries", at: value.location,
          expected: "1 to \(Self.most)"))
      return nil
    }
    self.names = names
  }

  private static func isAccount(_ text: String) -> Bool {
    (1...32).contains(text.utf8.count) && text != "root"
      && text.utf8.allSatisfy { byte in
        (0x61...0x7A).contains(byte) || (0x41...0x5A).contains(byte)
          || (0x30...0x39).contains(byte) || [0x2D, 0x2E, 0x5F].contains(byte)
      } && text.utf8.first != 0x2D
  }

  private static func isName(_ text: String) -> Bool {
    guard (2...1_000).contains(text.utf8.count), text.utf8.allSatisfy({ $0 >= 0x20 }) else {
      return false
    }
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    if text.hasPrefix("/") {
      // No name that a path in /proc never has, and not all programs.
      return text != "/*"
        && parts.dropFirst().allSatisfy { !["", ".", ".."].contains($0) }
        && !parts.dropLast().contains("*")
    }
    return parts.count == 1
      && [".desktop", ".scope", ".service", ".slice"].contains {
        text.hasSuffix($0) && text.utf8.count > $0.utf8.count
      }
  }

  /// Whether it names an executable.
  public func grants(executable: String) -> Bool {
    names.contains { name in
      name.hasSuffix("/*")
        ? executable.hasPrefix(name.dropLast()) : name == executable && name.hasPrefix("/")
    }
  }

  /// Whether it names programs by more than their executables.
  public var namesUnits: Bool { names.contains { !$0.hasPrefix("/") } }
}

extension ProgramsGrant: CustomStringConvertible {
  /// `of ada: /usr/games/supertux2, /opt/games/*`.
  public var description: String {
    "of \(user ?? "the host's own account"): \(names.joined(separator: ", "))"
  }
}
