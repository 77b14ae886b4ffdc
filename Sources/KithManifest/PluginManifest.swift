/// What a plugin says about itself in its `plugin.yaml`.
///
/// ```yaml
/// plugin: risk-engine                 # required
/// version: 1.0.0                      # required
/// executable: risk-engine-worker      # required
/// provides: [kith.risk.v1.RiskEngine]
/// requires: []
/// postures: [ephemeral, personal]
/// overlap: true
/// restart: { type: permanent, strategy: one_for_one, intensity: 5, period: 30s }
/// limits: { memory: 256MiB, open_files: 256 }
/// store: { when_damaged: refuse, keep_events: 30d, keep_events_size: 64MiB }
/// network: none                       # or outbound, or { hosts: [api.example.com], ports: [443] }: NetworkGrant
/// http: { port: 8080 }                # HTTPGrant
/// acts_for: caller                    # or users: ActsFor
/// start_timeout: 10s
/// stop_timeout: 10s
/// watchdog: 10s
/// config:
///   label_high: { type: double, range: 0..1, default: 0.70, doc: "Scores from here on are labelled high." }
/// ```
public struct PluginManifest: Sendable, Equatable {
  /// The plugin's name: `risk-engine`.
  public let name: String
  /// Its version: `1.0.0`.
  public let version: String
  /// The file name of its program; ``ManifestReader`` says where it is looked for.
  public let executable: String
  /// The full names of the services that it serves. None unless told.
  public let provides: [String]
  /// The services that it calls; the workers that serve them start before it. None unless told. ``Requirement`` has the
  /// long form.
  public let requires: [Requirement]
  /// The postures of a product that it supports. All unless told.
  public let postures: [Posture]
  /// Whether two generations may serve at once, so that a new one can start beside the old. No unless told.
  public let overlap: Bool
  /// When it is started again. ``RestartPolicy/standard`` unless told.
  public let restart: RestartPolicy
  /// What its process may use. No limits unless told.
  public let limits: ResourceLimits
  /// How its store is kept, if it has one. ``StoreSettings`` has what stands unless told.
  public let store: StoreSettings
  /// What it may reach. Nothing unless told.
  public let network: NetworkGrant
  /// The port at which it may listen for HTTP; nil for none.
  public let http: HTTPGrant?
  /// For whom it may speak to other workers. Defaults to the person whose call it handles.
  public let actsFor: ActsFor
  /// How long it may take from the start of its process until it is ready. 10 s unless told, 100 ms to 1 hour.
  public let startTimeout: Duration
  /// How long it may take from the order to drain until its process has ended. 10 s unless told, 0 to 1 hour.
  public let stopTimeout: Duration
  /// How long it may show no progress before it counts as stuck and is replaced; nil (`off`) for never. 10 s unless told,
  /// 200 ms to 1 hour.
  public let watchdog: Duration?
  /// The configuration that it understands. None unless told.
  public let configuration: ConfigurationSchema

  /// What it was read from.
  public let source: ManifestText
  /// Where its name stands.
  public let location: SourceLocation
  /// Where the name of its program stands.
  public let executableLocation: SourceLocation
  /// Where what it requires stands.
  public let requiresLocation: SourceLocation

  /// Reads the text of a `plugin.yaml`.
  /// - Parameter file: its path, for errors.
  /// - Throws: all that is wrong with it.
  public init(parsing text: String, file: String) throws(ManifestErrors) {
    let root = try YAMLReader.read(text, file: file)
    let findings = Findings()
    guard
      var fields = FieldDecoder(
        root, "the keys of a plugin: plugin, version, executable, ...", findings: findings)
    else {
      try findings.throwIfAny()
      throw ManifestErrors(
        ManifestError(.syntax, "the file is no plugin", at: SourceLocation(file: file)))
    }
    let nameEntry = fields.require("plugin", "the plugin's name: risk-engine")
    let versionEntry = fields.require("version", "a version: 1.0.0")
    let executableEntry = fields.require("executable", "a program's file name: risk-engine-worker")
    let name = nameEntry.flatMap {
      Scalars(name: "'plugin'", findings: findings).kebabName($0.value)
    }
    let version = versionEntry.flatMap {
      Scalars(name: "'version'", findings: findings)
        .name($0.value, "three numbers: 1.0.0, or 1.0.0-beta.1", where: Names.isVersion)
    }
    let executable = executableEntry.flatMap {
      Scalars(name: "'executable'", findings: findings)
        .name($0.value, "a file name without a folder: risk-engine-worker", where: Names.isFileName)
    }
    provides = fields.value("provides", default: []) {
      Self.services($0, $1) {
        $1.providedService($0)
      } name: {
        $0
      }
    }
    let requiresEntry = fields.take("requires")
    requires =
      requiresEntry.flatMap {
        Self.services(Scalars(name: "'requires'", findings: findings), $0.value) {
          Requirement($0, scalars: $1)
        } name: {
          $0.name
        }
      } ?? []
    postures = fields.value("postures", default: Posture.allCases) { scalars, value in
      scalars.list(value, "a list: [ephemeral, personal]") { scalars.word($0, Posture.self) }
    }
    overlap = fields.value("overlap", default: false) { $0.bool($1) }
    restart =
      fields.take("restart").flatMap {
        RestartPolicy($0.value, over: .standard, findings: findings)
      } ?? .standard
    limits =
      fields.take("limits").flatMap {
        ResourceLimits($0.value, over: ResourceLimits(), findings: findings)
      } ?? ResourceLimits()
    store =
      fields.take("store").flatMap {
        StoreSettings($0.value, over: StoreSettings(), findings: findings)
      } ?? StoreSettings()
    network =
      fields.take("network").flatMap { NetworkGrant($0.value, findings: findings) } ?? .none
    http = fields.take("http").flatMap { HTTPGrant($0.value, findings: findings) }
    actsFor = fields.value("acts_for", default: .caller) { $0.word($1) }
    startTimeout = fields.value("start_timeout", default: .seconds(10)) {
      $0.duration($1, Self.startTimeouts)
    }
    stopTimeout = fields.value("stop_timeout", default: .seconds(10)) {
      $0.duration($1, Self.stopTimeouts)
    }
    watchdog = fields.value("watchdog", default: Self.standardWatchdog) { Self.watchdog($0, $1) }
    configuration =
      fields.take("config").flatMap { ConfigurationSchema($0.value, findings: findings) }
      ?? ConfigurationSchema()
    fields.finish()
    try findings.throwIfAny()

    source = ManifestText(file: file, text: text)
    let whole = SourceLocation(file: file)
    self.name = name ?? ""
    self.version = version ?? ""
    self.executable = executable ?? ""
    location = nameEntry?.value.location ?? whole
    executableLocation = executableEntry?.value.location ?? whole
    requiresLocation = requiresEntry?.value.location ?? whole
  }

  /// The name that the text of a `plugin.yaml` gives, also when the text is no YAML; `nil` when it gives no right one.
  static func statedName(in text: String) -> String? {
    let key = "plugin:"
    let text = YAMLReader.withoutByteOrderMark(text)
    for line in text.split(whereSeparator: \.isNewline) where line.hasPrefix(key) {
      let value = line.dropFirst(key.count).prefix { $0 != "#" }
        .filter { !$0.isWhitespace && $0 != "\"" && $0 != "'" }
      return Names.isKebab(value) ? value : nil
    }
    return nil
  }

  static let startTimeouts: ClosedRange<Duration> = .milliseconds(100)...(.seconds(3_600))
  static let stopTimeouts: ClosedRange<Duration> = .zero...(.seconds(3_600))
  static let standardWatchdog = Duration.seconds(10)

  /// A watchdog time, or `off`.
  static func watchdog(_ scalars: Scalars, _ value: ManifestValue) -> Duration?? {
    if case .scalar("off", isPlain: true) = value.content { return .some(nil) }
    return scalars.duration(value, .milliseconds(200)...(.seconds(3_600))).map(Optional.some)
  }

  /// A list of services, each once.
  private static func services<Element>(
    _ scalars: Scalars, _ value: ManifestValue, read: (ManifestValue, Scalars) -> Element?,
    name: (Element) -> String
  ) -> [Element]? {
    var seen: Set<String> = []
    return scalars.list(value, "a list of services: [kith.risk.v1.RiskEngine]") { entry in
      guard let element = read(entry, scalars) else { return nil }
      guard seen.insert(name(element)).inserted else {
        scalars.findings.add(
          ManifestError(
            .duplicateService, "\(scalars.name) names \(name(element)) twice", at: entry.location,
            expected: "each service once"))
        return nil
      }
      return element
    }
  }
}
