/// What a plugin says about itself in its `plugin.yaml`.
///
/// ``ManifestSection/ofPlugins`` lists the keys, and `kith help plugin` prints them.
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
/// programs: { names: [/usr/games/supertux2] }   # ProgramsGrant
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
  /// The services that it calls; the workers that serve them start before it. None unless told.
  /// ``Requirement`` has the long form.
  public let requires: [Requirement]
  /// The postures of a product that it supports. All unless told.
  public let postures: [Posture]
  /// Whether two generations may serve at once, so that a new one can start beside the old. No
  /// unless told.
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
  /// The programs of a person that it may see and signal; nil for none.
  public let programs: ProgramsGrant?
  /// For whom it may speak to other workers. Defaults to the person whose call it handles.
  public let actsFor: ActsFor
  /// How long it may take from the start of its process until it is ready. 10 s unless told, 100 ms
  /// to 1 hour.
  public let startTimeout: Duration
  /// How long it may take from the order to drain until its process has ended. 10 s unless told, 0
  /// to 1 hour.
  public let stopTimeout: Duration
  /// How long it may show no progress before it counts as stuck and is replaced; nil (`off`) for
  /// never. 10 s unless told, 200 ms to 1 hour.
  public let watchdog: Duration?
  /// The configuration that it understands. None unless told.
  public let configuration: ConfigurationSchema

  /// What it states of restarts; a product's values are laid over these, and so below.
  package let restartOverrides: RestartPolicy.Overrides
  /// What it states of limits.
  package let limitOverrides: ResourceLimits.Overrides
  /// What it states of its store.
  package let storeOverrides: StoreSettings.Overrides

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
    guard let fields = FieldDecoder(root, Self.section, findings: findings) else {
      try findings.throwIfAny()
      throw ManifestErrors(
        ManifestError(.syntax, "the file is no plugin", at: SourceLocation(file: file)))
    }
    let name = fields.stated(Keys.name)
    let version = fields.read(Keys.version)
    let executable = fields.stated(Keys.executable)
    provides = fields.read(Keys.provides) ?? []
    let requires = fields.stated(Keys.requires)
    postures = fields.read(Keys.postures) ?? Posture.allCases
    overlap = fields.read(Keys.overlap) ?? false
    restartOverrides =
      fields.read(RestartPolicy.key).map { RestartPolicy.Overrides($0, findings: findings) }
      ?? RestartPolicy.Overrides()
    restart = RestartPolicy(restartOverrides, plugin: file, findings: findings)
    limitOverrides =
      fields.read(ResourceLimits.key).map { ResourceLimits.Overrides($0, findings: findings) }
      ?? ResourceLimits.Overrides()
    limits = ResourceLimits(limitOverrides, plugin: file, findings: findings)
    storeOverrides =
      fields.read(StoreSettings.key).map { StoreSettings.Overrides($0, findings: findings) }
      ?? StoreSettings.Overrides()
    store = StoreSettings(storeOverrides)
    network =
      fields.read(Keys.network).flatMap { NetworkGrant($0, findings: findings) } ?? .none
    http = fields.read(HTTPGrant.key).flatMap { HTTPGrant($0, findings: findings) }
    programs = fields.read(ProgramsGrant.key).flatMap { ProgramsGrant($0, findings: findings) }
    actsFor = fields.read(Keys.actsFor) ?? .caller
    startTimeout = fields.read(Keys.startTimeout) ?? Self.standardTimeout
    stopTimeout = fields.read(Keys.stopTimeout) ?? Self.standardTimeout
    watchdog = fields.read(Keys.watchdog) ?? Self.standardWatchdog
    configuration =
      fields.read(Keys.configuration).flatMap { ConfigurationSchema($0, findings: findings) }
      ?? ConfigurationSchema()
    try findings.throwIfAny()

    source = ManifestText(file: file, text: text)
    let whole = SourceLocation(file: file)
    self.name = name?.value ?? ""
    self.version = version ?? ""
    self.executable = executable?.value ?? ""
    self.requires = requires?.value ?? []
    location = name?.location ?? whole
    executableLocation = executable?.location ?? whole
    requiresLocation = requires?.location ?? whole
  }

  /// The name that the text of a `plugin.yaml` gives, also when the text is no YAML; `nil` when it
  /// gives no right one.
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

  static let standardTimeout = Duration.seconds(10)
  /// The watchdog of a plugin that states none.
  package static let standardWatchdog = Duration.seconds(10)
}
