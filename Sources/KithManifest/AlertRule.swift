/// A rule of a product's `alerts`: a figure of its workers' calls, or of their states, that must
/// not exceed a bound.
///
/// ```yaml
/// alerts:
///   errors:   { measure: error_rate, above: 5%, window: 5m, severity: page }
///   slow:     { measure: p95, above: 5s }
///   gone:     { measure: down, above: 30s, severity: page }
///   stopped:  { measure: quarantined, severity: page }
///   unsteady: { measure: restarts, above: 3, window: 10m }
///   limping:  { measure: degraded, above: 5m }
///   dispatch: { measure: error_rate, above: 2%, window: 15m, severity: page, methods: [kith.notify.v1.Notifier/Send] }
/// ```
/// Each worker that a rule watches is looked at by itself.
public struct AlertRule: Sendable, Hashable {
  /// What is measured.
  public enum Measure: String, Sendable, Hashable, CaseIterable {
    /// The share of the calls that failed by the worker's fault.
    case errorRate = "error_rate"
    /// The time that half of the calls did not exceed.
    case p50
    /// The time that 95 of 100 calls did not exceed.
    case p95
    /// The time that 99 of 100 calls did not exceed.
    case p99
    /// How long a worker that is wanted has not been ready.
    case down
    /// How long a worker has been in quarantine.
    case quarantined
    /// How long a worker has served with a part missing.
    case degraded
    /// How often a worker was restarted within the window.
    case restarts

    /// Whether it is a figure of calls; else it is one of the worker's state.
    public var isOfCalls: Bool {
      switch self {
      case .errorRate, .p50, .p95, .p99: true
      case .down, .quarantined, .degraded, .restarts: false
      }
    }

    /// The bound of a rule that states none; nil where it must state one.
    var standardBound: Double? {
      switch self {
      case .down: 30
      case .quarantined: 0
      case .degraded: 60
      case .errorRate, .p50, .p95, .p99, .restarts: nil
      }
    }
  }

  /// What an alert calls for.
  public enum Severity: String, Sendable, Hashable, CaseIterable {
    /// Somebody should look when there is time.
    case warning
    /// Somebody must look now.
    case page
  }

  /// Its name in the manifest.
  public let name: String
  /// Where its name stands.
  public let location: SourceLocation
  /// What is measured.
  public let measure: Measure
  /// The bound: a share from 0 to 1, seconds, or a number of restarts. Defaults to 30 seconds for
  /// `down`, 0 for `quarantined`, 60 for `degraded`.
  public let bound: Double
  /// Over how long it is measured. Five minutes unless told.
  public let window: Duration
  /// What it calls for. A warning unless told.
  public let severity: Severity
  /// The workers that it watches; empty for all.
  public let workers: [String]
  /// The methods whose calls count, by full name; empty for all.
  public let methods: [String]
  /// How many calls there must be within the window before it can fire. 20 unless told.
  public let minimumCalls: Int

  private enum Keys {
    static let measure = Key<Measure>(
      required: "measure", type: Measure.allCases.map(\.rawValue).joined(separator: ", "),
      missing: "one of \(Measure.allCases.map(\.rawValue).joined(separator: ", "))",
      doc: "The figure: of calls, of the worker's state, or how often it was restarted."
    ) { $0.word($1) }
    static let above = Key.nested(
      "above", type: "5% for error_rate, 3 for restarts, else a duration",
      shown: "down 30s, quarantined 0s, degraded 60s; else required",
      doc: "The threshold.")
    static let window = Key.duration(
      "window", .seconds(10)...(.seconds(86_400)), standard: .seconds(300),
      doc: "Over how long calls and restarts are measured. Only for measures of these.")
    static let severity = Key<Severity>.word(
      "severity", standard: .warning, doc: "How urgent it is: page goes to the pager.")
    static let workers = Key<[String]>(
      "workers", type: "list of names", standard: [], shown: "all",
      doc: "The workers that are watched, each by itself."
    ) { scalars, value in
      scalars.list(value, "a list of workers: [risk-engine]") { scalars.kebabName($0) }
    }
    static let methods = Key<[String]>(
      "methods", type: "list of service/Method", standard: [], shown: "all",
      doc: "The methods whose calls count. Only for measures of calls."
    ) { scalars, value in
      scalars.list(value, "a list of methods: [kith.risk.v1.RiskEngine/Analyze]") {
        scalars.name(
          $0, "a method's full name: kith.risk.v1.RiskEngine/Analyze", where: isMethod)
      }
    }
    static let minimumCalls = Key.integer(
      "minimum_calls", 1...1_000_000, standard: 20,
      doc: "The calls that the window must hold before the alert can fire.")
  }

  static let section = ManifestSection(
    "alerts", "A figure of each watched worker that must not exceed a threshold.",
    form: "a mapping: { measure: error_rate, above: 5%, window: 5m, severity: page }",
    keys: [
      Keys.measure.manifest, Keys.above.manifest, Keys.window.manifest, Keys.severity.manifest,
      Keys.workers.manifest, Keys.methods.manifest, Keys.minimumCalls.manifest,
    ])

  /// A rule; what is not told is as in a manifest.
  public init(
    name: String, measure: Measure, above bound: Double, window: Duration = .seconds(300),
    severity: Severity = .warning, workers: [String] = [], methods: [String] = [],
    minimumCalls: Int = 20, location: SourceLocation = SourceLocation(file: "")
  ) {
    self.name = name
    self.location = location
    self.measure = measure
    self.bound = bound
    self.window = window
    self.severity = severity
    self.workers = workers
    self.methods = methods
    self.minimumCalls = minimumCalls
  }

  init?(_ entry: ManifestValue.Entry, findings: Findings) {
    let before = findings.errors.count
    if !Names.isKebab(entry.key) {
      findings.add(
        ManifestError(
          .outOfRange, "the alert's name is '\(entry.key.prefix(80))'", at: entry.location,
          expected: Scalars.kebabForm))
    }
    guard let fields = FieldDecoder(entry.value, Self.section, findings: findings) else {
      return nil
    }
    let measure = fields.read(Keys.measure)
    let bound = Self.bound(fields, of: measure)
    let window = fields.read(Keys.window) ?? .seconds(300)
    let severity = fields.read(Keys.severity) ?? .warning
    let workers = fields.read(Keys.workers) ?? []
    let methods = fields.read(Keys.methods) ?? []
    let minimumCalls = fields.read(Keys.minimumCalls) ?? 20
    if let measure, !measure.isOfCalls {
      let foreign = ["methods", "minimum_calls"] + (measure == .restarts ? [] : ["window"])
      Self.refuse(foreign, in: entry.value, of: measure, findings)
    }
    guard findings.errors.count == before, let measure, let bound else { return nil }
    self.init(
      name: entry.key, measure: measure, above: bound, window: window, severity: severity,
      workers: workers, methods: methods, minimumCalls: minimumCalls, location: entry.location)
  }

  @Sendable private static func isMethod(_ text: String) -> Bool {
    let halves = text.split(separator: "/", omittingEmptySubsequences: false)
    return halves.count == 2 && Names.isService(String(halves[0])) && !halves[1].isEmpty
      && halves[1].utf8.allSatisfy {
        (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20)
      }
  }

  /// Keys that say nothing of a measure are mistakes: whoever wrote them expects something else.
  private static func refuse(
    _ keys: [String], in value: ManifestValue, of measure: Measure, _ findings: Findings
  ) {
    guard case .mapping(let entries) = value.content else { return }
    for entry in entries where keys.contains(entry.key) {
      findings.add(
        ManifestError(
          .unknownKey, "'\(entry.key)' says nothing about \(measure.rawValue)", at: entry.location,
          expected: "a rule without it: it belongs to measures of calls"
            + (entry.key == "window" ? " and to restarts" : "")))
    }
  }

  /// The threshold that a rule states, or the measure's own; nil, with an error, where there is
  /// neither.
  private static func bound(_ fields: FieldDecoder, of measure: Measure?) -> Double? {
    guard let measure else { return nil }
    guard let value = fields.read(Keys.above) else {
      if measure.standardBound == nil {
        fields.findings.add(
          ManifestError(
            .missingKey, "the key 'above' is missing", at: fields.location,
            expected: "the bound: 5% for a rate, 5s for a time, 3 for restarts"))
      }
      return measure.standardBound
    }
    return bound(value, of: measure, Scalars(name: "'above'", findings: fields.findings))
  }

  private static func bound(
    _ value: ManifestValue, of measure: Measure, _ scalars: Scalars
  ) -> Double? {
    switch measure {
    case .restarts: return scalars.integer(value, 0...1_000_000).map { Double($0) }
    case .down, .quarantined, .degraded:
      return scalars.duration(value, .zero...(.seconds(86_400))).map(Self.seconds)
    case .p50, .p95, .p99:
      return scalars.duration(value, .microseconds(1)...(.seconds(3600))).map(Self.seconds)
    case .errorRate: break
    }
    let expected = "a share of the calls with its sign, above 0% and below 100%: 5%"
    guard case .scalar(let text, _) = value.content, text.hasSuffix("%"),
      text.dropLast().utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E }),
      let percent = Double(text.dropLast())
    else { return scalars.wrongType(value, expected) }
    guard percent > 0, percent < 100 else { return scalars.outOfRange(value, expected) }
    return percent / 100
  }
}

extension AlertRule: CustomStringConvertible {
  /// The rule in plain words: `error rate above 5 % over 5 min`, `down for 30 s`.
  public var description: String {
    switch measure {
    case .down, .quarantined, .degraded:
      return bound > 0 ? "\(measure.rawValue) for \(words(bound))" : measure.rawValue
    case .restarts: return "more than \(words(bound)) over \(Self.words(window))"
    case .errorRate, .p50, .p95, .p99: break
    }
    let what = measure == .errorRate ? "error rate" : measure.rawValue
    let calls = methods.isEmpty ? "" : " of \(methods.joined(separator: ", "))"
    return "\(what)\(calls) above \(words(bound)) over \(Self.words(window))"
  }

  /// A figure of this rule in plain words: `7.2 %`, `5.4 s`.
  public func words(_ figure: Double) -> String {
    switch measure {
    case .errorRate: return "\(Self.decimal(figure * 100)) %"
    case .restarts: return figure == 1 ? "1 restart" : "\(Self.decimal(figure)) restarts"
    case .down, .quarantined, .degraded:
      let seconds = Int64(min(figure, 1e12))
      // From two minutes on, whole minutes.
      if seconds >= 60 { return Self.words(.seconds(seconds < 120 ? seconds : seconds / 60 * 60)) }
    case .p50, .p95, .p99: break
    }
    return figure < 1 ? "\(Self.decimal(figure * 1000)) ms" : "\(Self.decimal(figure)) s"
  }

  /// With one digit behind the point, and none where that is zero.
  private static func decimal(_ value: Double) -> String {
    let tenths = Int64((min(abs(value), 1e15) * 10).rounded())
    return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
  }

  private static func words(_ window: Duration) -> String {
    let seconds = window.components.seconds
    if seconds % 3600 == 0, seconds > 0 { return "\(seconds / 3600) h" }
    return seconds % 60 == 0 && seconds > 0 ? "\(seconds / 60) min" : "\(seconds) s"
  }

  private static func seconds(_ duration: Duration) -> Double {
    Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
  }
}
