extension ManifestHelp {
  /// A whole manifest, which a test decodes.
  var example: String {
    switch self {
    case .manifest: Self.productExample
    case .plugin: Self.pluginExample
    }
  }

  private static let productExample = """
    product: evening-calls
    title: Evening calls
    extends: milo                    # its workers, alerts and persistence
    workers:
      personal-data: none            # dropped
      risk-engine:
        config: { label_high: 0.75 }
        limits: { memory: 512MiB }
        restart: { intensity: 3, backoff: { longest: 10s } }
      second-opinion:                # a second process of the same plugin
        plugin: risk-engine
        watchdog: off
        listen:
          address: tls+tcp://0.0.0.0:7443
          authorities: tls/authorities.pem
          certificate: tls/opinion.pem
          private_key: tls/opinion.key
    metrics: { port: 9464 }
    alerts:
      unsteady: none
      late: { measure: p95, above: 2s, severity: page, workers: [reminders] }
    pager: { command: [/usr/local/bin/page-oncall, --team, care] }

    """

  private static let pluginExample = """
    plugin: pill-box
    version: 0.1.0
    executable: pill-box-worker
    provides: [kith.pillbox.v1.PillBox]
    requires:
      - kith.reminders.v1.Reminders
      - { service: kith.access.v1.FamilyLinks, optional: true }
    postures: [personal]
    overlap: true
    restart:
      intensity: 5
      period: 30s
      budgets: { out_of_memory: { intensity: 1, period: 10m } }
    limits: { memory: 256MiB, memory_high: 192MiB, open_files: 256 }
    store: { keep_events: 7d }
    network: { hosts: [api.example.com], ports: [443] }
    start_timeout: 5s
    config:
      refill_at: { type: int, range: 0..100, default: 7, doc: "Doses left." }
      api_key: { type: string, sensitive: true, doc: "Of the pharmacy." }

    """
}
