extension PluginManifest {
  enum Keys {
    static let name = Key<String>(
      required: "plugin", type: "name", missing: "the plugin's name: risk-engine",
      doc: "The plugin's name."
    ) { $0.kebabName($1) }
    static let version = Key<String>(
      required: "version", type: "three numbers", missing: "a version: 1.0.0",
      doc: "Its version: 1.0.0, 1.0.0-beta.1."
    ) { $0.name($1, "three numbers: 1.0.0, or 1.0.0-beta.1", where: Names.isVersion) }
    static let executable = Key<String>(
      required: "executable", type: "file name",
      missing: "a program's file name: risk-engine-worker",
      doc: "The program, in bin beside plugin.yaml or in the folder of kithd."
    ) {
      $0.name(
        $1, "a file name without a folder: risk-engine-worker", where: Names.isFileName)
    }
    static let provides = Key<[String]>(
      "provides", type: "list of services", standard: [], shown: "none",
      doc: "The full names of the services that it serves."
    ) { services($0, $1, read: { $1.providedService($0) }, name: { $0 }) }
    static let requires = Key<[Requirement]>(
      "requires", type: "list of services", standard: [], shown: "none", section: "requires",
      doc: "The services that it calls, by full name or as a mapping."
    ) { services($0, $1, read: { Requirement($0, scalars: $1) }, name: \.name) }
    static let postures = Key<[Posture]>(
      "postures", type: "list of \(Posture.allCases.map(\.rawValue).joined(separator: ", "))",
      standard: Posture.allCases, shown: "both",
      doc: "The persistence that it supports; a product with another one is refused."
    ) { scalars, value in
      scalars.list(value, "a list: [ephemeral, personal]") { scalars.word($0, Posture.self) }
    }
    static let overlap = Key.flag(
      "overlap", doc: "Two generations may serve at once, so that a replacement loses no call.")
    static let network = Key.nested(
      "network", type: "none, outbound, or a mapping", shown: "none", section: "network",
      doc: "What it may connect to.")
    static let actsFor = Key<ActsFor>.word(
      "acts_for", standard: .caller,
      doc: "For whom it may speak to other workers: the person whose call it handles, or any.")
    static let startTimeout = Key.duration(
      "start_timeout", .milliseconds(100)...(.seconds(3_600)), standard: standardTimeout,
      doc: "From the start of its process until it is ready.")
    static let stopTimeout = Key.duration(
      "stop_timeout", .zero...(.seconds(3_600)), standard: standardTimeout,
      doc: "From the order to drain until its process has ended.")
    static let watchdog = Key<Duration?>(
      "watchdog", type: "duration, or off", range: "200ms to 1h", standard: standardWatchdog,
      shown: standardWatchdog.short,
      doc: "How long it may show no progress before it counts as hung and is replaced."
    ) { scalars, value in
      if case .scalar("off", isPlain: true) = value.content { return .some(nil) }
      return scalars.duration(value, .milliseconds(200)...(.seconds(3_600))).map(Optional.some)
    }
    static let configuration = Key.nested(
      "config", type: "mapping of names", shown: "none", section: "config",
      doc: "The keys of its configuration; a product gives values for them.")
  }

  static let section = ManifestSection(
    "plugin", "What a plugin states about itself in its plugin.yaml.",
    form: "the keys of a plugin: plugin, version, executable, ...",
    keys: [
      Keys.name.manifest, Keys.version.manifest, Keys.executable.manifest,
      Keys.provides.manifest, Keys.requires.manifest, Keys.postures.manifest,
      Keys.overlap.manifest, RestartPolicy.key.manifest, ResourceLimits.key.manifest,
      StoreSettings.key.manifest, Keys.network.manifest, HTTPGrant.key.manifest,
      ProgramsGrant.key.manifest,
      Keys.actsFor.manifest, Keys.startTimeout.manifest, Keys.stopTimeout.manifest,
      Keys.watchdog.manifest, Keys.configuration.manifest,
    ])

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
