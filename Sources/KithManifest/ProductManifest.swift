/// Which workers form a product, and how they are configured.
///
/// ```yaml
/// product: boomer-buddy          # required
/// title: Boomer Buddy
/// posture: ephemeral
/// extends: base.yaml             # another product, beside this file; one level deep
/// workers:
///   risk-engine:
///     config: { label_high: 0.75 }
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

  private let statedTitle: String?
  private let statedPosture: Posture?

  /// The base of a product.
  public struct Extension: Sendable, Equatable {
    /// A path, relative to the folder of the manifest.
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
    guard
      var fields = FieldDecoder(
        root, "the keys of a product: product, title, posture, workers, ...", findings: findings)
    else {
      try findings.throwIfAny()
      throw ManifestErrors(
        ManifestError(.syntax, "the file is no product", at: SourceLocation(file: file)))
    }
    let nameEntry = fields.require("product", "the product's name: boomer-buddy")
    let name = nameEntry.flatMap {
      Scalars(name: "'product'", findings: findings).kebabName($0.value)
    }
    let title: String? = fields.value("title", default: nil) { $0.string($1) }
    let posture: Posture? = fields.value("posture", default: nil) { $0.word($1) }
    let extends: Extension? = fields.take("extends").flatMap { entry in
      Scalars(name: "'extends'", findings: findings)
        .name(entry.value, "a path: base.yaml") { !$0.isEmpty && !$0.contains("\0") }
        .map { Extension(path: $0, location: entry.value.location) }
    }
    let workersEntry = fields.take("workers")
    let workers = workersEntry.map { Self.workers($0.value, findings: findings) } ?? []
    let remote =
      fields.take("remote").map { Self.remoteServices($0.value, findings: findings) } ?? []
    let metrics = fields.take("metrics").flatMap {
      MetricsEndpoint($0.value, findings: findings)
    }
    let alerts = fields.take("alerts").map { Self.alerts($0.value, findings: findings) } ?? []
    let pager = fields.take("pager").flatMap { Pager($0.value, findings: findings) }
    fields.finish()
    if extends == nil, workers.isEmpty, findings.errors.isEmpty {
      findings.add(
        ManifestError(
          .missingKey, "the product has no workers", at: workersEntry?.location ?? root.location,
          expected: "at least one under 'workers'"))
    }
    try findings.throwIfAny()
    self.init(
      name: name ?? "", title: title, posture: posture, workers: workers,
      remoteServices: remote, metrics: metrics, alerts: alerts, pager: pager,
      location: nameEntry?.value.location ?? root.location, extends: extends,
      sources: [ManifestText(file: file, text: text)])
  }

  private init(
    name: String, title: String?, posture: Posture?, workers: [WorkerEntry],
    remoteServices: [RemoteService], metrics: MetricsEndpoint?, alerts: [AlertRule],
    pager: Pager?, location: SourceLocation, extends: Extension?, sources: [ManifestText]
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
    self.sources = sources
    statedTitle = title
    statedPosture = posture
  }

  /// The product over its base: what it states stands, the rest is the base's. A worker of both has the keys of both,
  /// a configuration key of both has this product's value.
  /// - Throws: when the base extends a further one.
  public func extending(_ base: ProductManifest) throws(ManifestErrors) -> ProductManifest {
    if let further = base.extends {
      throw ManifestErrors(
        ManifestError(
          .outOfRange, "the base of \(name) extends '\(further.path)' itself",
          at: further.location, expected: "one level: name that base directly"))
    }
    var merged = base.workers.map { entry in
      workers.first { $0.name == entry.name }.map { $0.over(entry) } ?? entry
    }
    merged += workers.filter { entry in !base.workers.contains { $0.name == entry.name } }
    return ProductManifest(
      name: name, title: statedTitle, posture: statedPosture ?? base.statedPosture,
      workers: merged,
      remoteServices: base.remoteServices.filter { old in
        !remoteServices.contains { $0.service == old.service }
      } + remoteServices, metrics: metrics ?? base.metrics,
      alerts: base.alerts.filter { old in !alerts.contains { $0.name == old.name } } + alerts,
      pager: pager ?? base.pager, location: location, extends: nil, sources: sources + base.sources)
  }

  private static func remoteServices(
    _ value: ManifestValue, findings: Findings
  ) -> [RemoteService] {
    guard case .mapping(let entries) = value.content else {
      findings.add(
        ManifestError(
          .wrongType, "'remote' is \(value.kindDescription)", at: value.location,
          expected: "a mapping of services to where they are: "
            + "'kith.risk.v1.RiskEngine: { address: tls+tcp://host:port, ... }'"))
      return []
    }
    return entries.compactMap { entry in
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

  private static func alerts(_ value: ManifestValue, findings: Findings) -> [AlertRule] {
    switch value.content {
    case .null: return []
    case .mapping(let entries): return entries.compactMap { AlertRule($0, findings: findings) }
    case .scalar, .list:
      findings.add(
        ManifestError(
          .wrongType, "'alerts' is \(value.kindDescription)", at: value.location,
          expected: "a mapping of names to rules: 'errors: { measure: error_rate, above: 5% }'"))
      return []
    }
  }

  private static func workers(_ value: ManifestValue, findings: Findings) -> [WorkerEntry] {
    switch value.content {
    case .null: return []
    case .mapping(let entries): return entries.compactMap { WorkerEntry($0, findings: findings) }
    case .scalar, .list:
      findings.add(
        ManifestError(
          .wrongType, "'workers' is \(value.kindDescription)", at: value.location,
          expected: "a mapping of names to settings: 'risk-engine: {}'"))
      return []
    }
  }
}
