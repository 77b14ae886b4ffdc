extension ProductManifest {
  enum Keys {
    static let name = Key<String>(
      required: "product", type: "name", missing: "the product's name: boomer-buddy",
      doc: "Its name, which names its folders and sockets."
    ) { $0.kebabName($1) }
    static let title = Key<String>(
      "title", type: "text", shown: "its name", doc: "Its title for people."
    ) { $0.string($1) }
    static let posture = Key<Posture>.word(
      "posture", shown: "the base's, or ephemeral",
      doc: "The persistence: in memory, or on disk and encrypted.")
    static let extends = Key<String>(
      "extends", type: "name, or path", shown: "none",
      doc: "The product that it extends, by name or by a path from this file's folder."
    ) {
      $0.name($1, "a product's name or a path: milo, ./base.yaml") {
        !$0.isEmpty && !$0.contains("\0")
      }
    }
    static let workers = Key.nested(
      "workers", type: "mapping of names", shown: "the base's", section: "workers",
      doc: "The workers by name. none drops one of the base.")
    static let remote = Key.nested(
      "remote", type: "mapping of services", shown: "none", section: "remote",
      doc: "Services of workers on other machines. none drops one of the base.")
    static let metrics = Key.nested(
      "metrics", shown: "none", section: "metrics", doc: "Where Prometheus text is served.")
    static let alerts = Key.nested(
      "alerts", type: "mapping of names", shown: "none", section: "alerts",
      doc: "The alert rules by name. none drops one of the base.")
    static let pager = Key.nested(
      "pager", shown: "none", section: "pager",
      doc: "Where alerts of severity page are sent.")
  }

  static let section = ManifestSection(
    "product", "Which workers form a product, and how they are configured.",
    form: "the keys of a product: product, title, posture, workers, ...",
    keys: [
      Keys.name.manifest, Keys.title.manifest, Keys.posture.manifest, Keys.extends.manifest,
      Keys.workers.manifest, Keys.remote.manifest, Keys.metrics.manifest, Keys.alerts.manifest,
      Keys.pager.manifest,
    ])

  static let workersForm = "a mapping of names to settings: 'risk-engine: {}'"
  static let alertsForm =
    "a mapping of names to rules: 'errors: { measure: error_rate, above: 5% }'"
  static let remoteForm =
    "a mapping of services to where they are: "
    + "'kith.risk.v1.RiskEngine: { address: tls+tcp://host:port, ... }'"
}
