/// Which workers form a product, and how they are configured.
///
/// ``ManifestSection/ofProducts`` lists the keys, and `kith help manifest` prints them.
/// ```yaml
/// product: boomer-buddy          # required
/// title: Boomer Buddy
/// posture: ephemeral
/// extends: milo                  # another product, by name or by path (base.yaml); one level deep
/// workers:
///   risk-engine:
///     config: { label_high: 0.75 }
///   family-links: none           # drops a worker of the base
///   second-opinion:
///     plugin: risk-engine        # the worker's name unless told
///     restart: { type: temporary }
///     limits: { memory: 128MiB }
///     start_timeout: 2s
///     stop_timeout: 2s
///     watchdog: 30s              # or off
///     listen: { address: tls+tcp://0.0.0.0:7443, ... }   # see NetworkEndpoint
/// remote:                        # services of workers on other machines
///   kith.risk.v1.RiskEngine: { address: tls+tcp://engine.local:7443, ... }
/// metrics: { port: 9464 }        # see MetricsEndpoint
/// pager: { webhook: https://hooks.example.org/kith }   # see Pager
/// alerts:                        # see AlertRule
///   errors: { measure: error_rate, above: 5%, window: 5m, severity: page }
/// ```
public struct ProductManifest: Sendable, Equatable {
  /// The product's name: `boomer-buddy`. It names its folders.
  public let name: String
  /// Its title for people. Its name unless told.
  public let title: String
  /// What it keeps. The base's unless told, else ephemeral.
  public let posture: Posture
  /// Its workers in the order of the manifest, those of the base first.
  public let workers: [WorkerEntry]
  /// The services that workers on other machines serve, those of the base first.
  public let remoteServices: [RemoteService]
  /// Where its metrics are to be had; the base's unless told, nil for nowhere.
  public let metrics: MetricsEndpoint?
  /// Its alert rules, those of the base first; of two with one name this product's stands.
  public let alerts: [AlertRule]
  /// Where alerts of severity `page` are sent; nil for nowhere.
  public let pager: Pager?
  /// Where its name stands.
  public let location: SourceLocation
  /// The product that it extends as it was written, and where. Gone once it has been extended.
  public let extends: Extension?

  /// What it was read from: its own file, then that of its base.
  public let sources: [ManifestText]

  /// What it drops of its base.
  let dropped: Dropped
  private let statedTitle: String?
  private let statedPosture: Posture?

  /// The base of a product.
  public struct Extension: Sendable, Equatable {
    /// The name of a product on the search path, or a path, relative to the folder of the manifest.
    public let path: String
    /// Where it stands.
    public let location: SourceLocation
  }

  /// Reads the text of a product's manifest, its base apart.
  /// - Parameter file: its path, for errors.
  /// - Throws: all that is wrong with it. What only its plugins know is checked by ``Plan``.
  public init(parsing text: String, file: String) throws(ManifestErrors) {
    let root = try YAMLReader.read(text, file: file)
    let findings = Findings()
    guard let fields = FieldDecoder(root, Self.section, findings: findings) else {
      try findings.throwIfAny()
      throw ManifestErrors(
        ManifestError(.syntax, "the file is no product", at: SourceLocation(file: file)))
    }
    let name = fields.stated(Keys.name)
    let title = fields.read(Keys.title)
    let posture = fields.read(Keys.posture)
    let extends = fields.stated(Keys.extends).map {
      Extension(path: $0.value, location: $0.location)
    }
    let workersValue = fields.read(Keys.workers)
    let workers = NamedEntries(workersValue, Self.workersForm, "'workers'", findings) {
      WorkerEntry($0, findings: findings)
    }
    let remote = NamedEntries(fields.read(Keys.remote), Self.remoteForm, "'remote'", findings) {
      Self.remoteService($0, findings: findings)
    }
    let metrics = fields.read(Keys.metrics).flatMap { MetricsEndpoint($0, findings: findings) }
    let alerts = NamedEntries(fields.read(Keys.alerts), Self.alertsForm, "'alerts'", findings) {
      AlertRule($0, findings: findings)
    }
    let pager = fields.read(Keys.pager).flatMap { Pager($0, findings: findings) }
    let dropped = Dropped(
      workers: workers.dropped, remoteServices: remote.dropped, alerts: alerts.dropped)
    if extends == nil { dropped.refuse(because: "there is no base", findings) }
    if extends == nil, workers.values.isEmpty, findings.errors.isEmpty {
      findings.add(
        ManifestError(
          .missingKey, "the product has no workers", at: workersValue?.location ?? root.location,
          expected: "at least one under 'workers'"))
    }
    try findings.throwIfAny()
    self.init(
      name: name?.value ?? "", title: title, posture: posture, workers: workers.values,
      remoteServices: remote.values, metrics: metrics, alerts: alerts.values, pager: pager,
      location: name?.location ?? root.location, extends: extends, dropped: dropped,
      sources: [ManifestText(file: file, text: text)])
  }

  private init(
    name: String, title: String?, posture: Posture?, workers: [WorkerEntry],
    remoteServices: [RemoteService], metrics: MetricsEndpoint?, alerts: [AlertRule],
    pager: Pager?, location: SourceLocation, extends: Extension?, dropped: Dropped,
    sources: [ManifestText]
  ) {
    self.name = name
    self.title = title ?? name
    self.posture = posture ?? .ephemeral
    self.workers = workers
    self.remoteServices = remoteServices
    self.metrics = metrics
    self.alerts = alerts
    self.pager = pager
    self.location = location
    self.extends = extends
    self.dropped = dropped
    self.sources = sources
    statedTitle = title
    statedPosture = posture
  }

  /// The product over its base: what it states stands, the rest is the base's. A worker of both has
  /// the keys of both, a configuration key of both has this product's value, and what it drops
  /// (`reminders: none`) is gone.
  /// - Throws: when the base extends a further one, or has no worker, service or alert that is
  ///   dropped.
  public func extending(_ base: ProductManifest) throws(ManifestErrors) -> ProductManifest {
    if let further = base.extends {
      throw ManifestErrors(
        ManifestError(
          .outOfRange, "the base of \(name) extends '\(further.path)' itself",
          at: further.location, expected: "one level: name that base directly"))
    }
    let findings = Findings()
    dropped.refuse(whatLacks: base, findings)
    try findings.throwIfAny()
    let gone = dropped.names
    var merged = base.workers.filter { !gone.workers.contains($0.name) }.map { entry in
      workers.first { $0.name == entry.name }.map { $0.over(entry) } ?? entry
    }
    merged += workers.filter { entry in !base.workers.contains { $0.name == entry.name } }
    let services = gone.remoteServices.union(remoteServices.map(\.service))
    let rules = gone.alerts.union(alerts.map(\.name))
    return ProductManifest(
      name: name, title: statedTitle, posture: statedPosture ?? base.statedPosture,
      workers: merged,
      remoteServices: base.remoteServices.filter { !services.contains($0.service) }
        + remoteServices, metrics: metrics ?? base.metrics,
      alerts: base.alerts.filter { !rules.contains($0.name) } + alerts,
      pager: pager ?? base.pager, location: location, extends: nil, dropped: Dropped(),
      sources: sources + base.sources)
  }

  private static func remoteService(
    _ entry: ManifestValue.Entry, findings: Findings
  ) -> RemoteService? {
    guard Names.isService(entry.key) else {
      findings.add(
        ManifestError(
          .outOfRange, "the service's name is '\(entry.key.prefix(80))'", at: entry.location,
          expected: "a service's full name: kith.risk.v1.RiskEngine"))
      return nil
    }
    return NetworkEndpoint(entry.value, isDialled: true, findings: findings).map {
      RemoteService(service: entry.key, endpoint: $0, location: entry.location)
    }
  }
}
