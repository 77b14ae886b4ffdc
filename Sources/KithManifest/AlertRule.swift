/// A rule of a product's `alerts`: a figure of its workers' calls that must not exceed a bound over a window of time.
///
/// ```yaml
/// alerts:
///   errors:   { measure: error_rate, above: 5%, window: 5m, severity: page }
///   slow:     { measure: p95, above: 5s }
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
  /// The bound: a share from 0 to 1, or seconds.
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

  /// The windows that a rule may have.
  static let windows: ClosedRange<Duration> = .seconds(10)...(.seconds(86_400))

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
    guard
      var fields = FieldDecoder(
        entry.value, "a mapping: { measure: error_rate, above: 5%, window: 5m, severity: page }",
        findings: findings)
    else { return nil }
    let measure: Measure? = fields.require(
      "measure", "one of \(Measure.allCases.map(\.rawValue).joined(separator: ", "))"
    ).flatMap { Scalars(name: "'measure'", findings: findings).word($0.value) }
    let bound = fields.require("above", "the bound: 5% for a rate, 5s for a time").flatMap {
      entry in
      measure.flatMap {
        Self.bound(entry.value, of: $0, Scalars(name: "'above'", findings: findings))
      }
    }
    let window = fields.value("window", default: .seconds(300)) { $0.duration($1, Self.windows) }
    let severity: Severity = fields.value("severity", default: .warning) { $0.word($1) }
    let workers = fields.value("workers", default: []) { scalars, value in
      scalars.list(value, "a list of workers: [risk-engine]") { scalars.kebabName($0) }
    }
    let methods = fields.value("methods", default: []) { scalars, value in
      scalars.list(value, "a list of methods: [kith.risk.v1.RiskEngine/Analyze]") {
        scalars.name(
          $0, "a method's full name: kith.risk.v1.RiskEngine/Analyze", where: Self.isMethod)
      }
    }
    let minimumCalls = fields.value("minimum_calls", default: 20) { $0.integer($1, 1...1_000_000) }
    fields.finish()
    guard findings.errors.count == before, let measure, let bound else { return nil }
    self.init(
      name: entry.key, measure: measure, above: bound, window: window, severity: severity,
      workers: workers, methods: methods, minimumCalls: minimumCalls, location: entry.location)
  }

  private static func isMethod(_ text: String) -> Bool {
    let halves = text.split(separator: "/", omittingEmptySubsequences: false)
    return halves.count == 2 && Names.isService(String(halves[0])) && !halves[1].isEmpty
      && halves[1].utf8.allSatisfy {
        (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20)
      }
  }

  private static func bound(
    _ value: ManifestValue, of measure: Measure, _ scalars: Scalars
  ) -> Double? {
    guard measure == .errorRate else {
      return scalars.duration(value, .microseconds(1)...(.seconds(3600))).map { bound in
        Double(bound.components.seconds) + Double(bound.components.attoseconds) / 1e18
      }
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
  /// The rule in plain words: `error rate above 5 % over 5 min`.
  public var description: String {
    let what = measure == .errorRate ? "error rate" : measure.rawValue
    let calls = methods.isEmpty ? "" : " of \(methods.joined(separator: ", "))"
    return "\(what)\(calls) above \(words(bound)) over \(Self.words(window))"
  }

  /// A figure of this rule in plain words: `7.2 %`, `5.4 s`.
  public func words(_ figure: Double) -> String {
    guard measure != .errorRate else { return "\(Self.decimal(figure * 100)) %" }
    return figure < 1 ? "\(Self.decimal(figure * 1000)) ms" : "\(Self.decimal(figure)) s"
  }

  /// With one digit behind the point, and none where that is zero.
  private static func decimal(_ value: Double) -> String {
    let tenths = Int64((min(abs(value), 1e15) * 10).rounded())
    return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
  }

  private static func words(_ window: Duration) -> String {
    let seconds = window.components.seconds
    if seconds % 3600 == 0 { return "\(seconds / 3600) h" }
    return seconds % 60 == 0 ? "\(seconds / 60) min" : "\(seconds) s"
  }
}
