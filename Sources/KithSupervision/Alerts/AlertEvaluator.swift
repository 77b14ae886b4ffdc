public import KithManifest
public import KithMetrics

/// Decides which alerts fire: readings of the workers' counts, their states and time in, changes
/// out.
///
/// Each rule looks at each worker that it watches through a window that ends now. A reading adds
/// the calls since the one before; a process that took over from another counts from zero. The
/// calls between a worker's last reading and its death are not known and count as none.
public struct AlertEvaluator: Sendable {
  /// The counts of one process of a worker, by the full names of its methods.
  public struct Reading: Sendable {
    /// Which process.
    public var incarnation: Incarnation
    /// Since the process started.
    public var methods: [String: CallCounts]
    /// Whether the process was started before the evaluator was made: then it is not known when
    /// what is in its first reading happened.
    public var isOlder: Bool

    /// A reading.
    public init(
      _ incarnation: Incarnation, methods: [String: CallCounts], isOlder: Bool = false
    ) {
      self.incarnation = incarnation
      self.methods = methods
      self.isOlder = isOlder
    }
  }

  /// How a worker is, for the rules about states.
  public struct Condition: Sendable, Hashable {
    /// The worker's name.
    public var worker: String
    /// Whether it is wanted up and does not serve.
    public var isDown: Bool
    /// Whether it is in quarantine.
    public var isQuarantined: Bool
    /// Whether it serves with a part missing.
    public var isDegraded: Bool
    /// How often it was restarted, ever more.
    public var restarts: UInt64

    /// A condition.
    public init(
      worker: String, isDown: Bool = false, isQuarantined: Bool = false, isDegraded: Bool = false,
      restarts: UInt64 = 0
    ) {
      self.worker = worker
      self.isDown = isDown
      self.isQuarantined = isQuarantined
      self.isDegraded = isDegraded
      self.restarts = restarts
    }
  }

  /// Whether an alert fires.
  public enum State: Sendable, Hashable {
    /// The figure is within its bound.
    case quiet
    /// There were too few calls within the window.
    case tooFewCalls
    /// The figure is above its bound.
    case firing
  }

  /// A rule as it stands for one worker.
  public struct Standing: Sendable, Hashable {
    /// The rule.
    public let rule: AlertRule
    /// The worker.
    public let worker: String
    /// Whether it fires.
    public internal(set) var state: State
    /// Since when it is in this state.
    public internal(set) var since: Moment
    /// The figure: a share from 0 to 1, seconds, or a number of restarts. Nil when there were too
    /// few calls.
    public internal(set) var figure: Double?
    /// How many calls there were within the window.
    public internal(set) var calls: UInt64
  }

  /// A standing whose state changed.
  public struct Change: Sendable, Hashable {
    /// As it is now.
    public let standing: Standing
    /// The state before.
    public let previous: State
  }

  /// The calls between two readings.
  private struct Slice: Sendable {
    /// When the later one was taken.
    var end: Moment
    var counts: CallCounts
  }

  /// Into how many slices a window is cut at most; what comes closer together is added up.
  static let slicesInWindow = 60

  /// One for each rule and each worker that it watches, in the order of the rules.
  public private(set) var standings: [Standing]
  private var slices: [[Slice]]
  /// Since when a worker is as a rule about states says, by the standing; and when its restarts
  /// were, one for each.
  private var begun: [Moment?]
  private var restarts: [[Moment]]
  private var lastRestarts: [String: UInt64] = [:]
  private var last: [String: Reading] = [:]

  /// Nothing has been measured yet.
  public init(rules: [AlertRule], workers: [String], at now: Moment = .start) {
    standings = rules.flatMap { rule in
      workers.filter { rule.workers.isEmpty || rule.workers.contains($0) }.map {
        Standing(
          rule: rule, worker: $0, state: rule.measure.isOfCalls ? .tooFewCalls : .quiet, since: now,
          figure: rule.measure.isOfCalls ? nil : 0, calls: 0)
      }
    }
    begun = Array(repeating: nil, count: standings.count)
    restarts = Array(repeating: [], count: standings.count)
    slices = Array(repeating: [], count: standings.count)
  }

  /// How often readings should be taken: ten to the shortest window. Nil without rules about calls.
  public var interval: Duration? {
    standings.filter(\.rule.measure.isOfCalls).map(\.rule.window).min()
      .map { min(max($0 / 10, .seconds(1)), .seconds(15)) }
  }

  /// Whether there are rules about states: then conditions are to be taken each second.
  public var watchesStates: Bool { standings.contains { !$0.rule.measure.isOfCalls } }

  /// Takes in how workers are. Answers which standings changed their state.
  public mutating func take(conditions: [Condition], at now: Moment) -> [Change] {
    let byName = Dictionary(conditions.map { ($0.worker, $0) }) { first, _ in first }
    var fresh: [String: UInt64] = [:]
    for condition in conditions {
      let before = lastRestarts.updateValue(condition.restarts, forKey: condition.worker)
      // What a host counted before the evaluator was made happened at a time that is not known.
      fresh[condition.worker] = before.map {
        condition.restarts >= $0 ? condition.restarts - $0 : condition.restarts
      }
    }
    var changed: [Change] = []
    for index in standings.indices where !standings[index].rule.measure.isOfCalls {
      guard let condition = byName[standings[index].worker] else { continue }
      let previous = standings[index].state
      let isFiring = take(condition, fresh[condition.worker] ?? 0, index, at: now)
      let state: State = isFiring ? .firing : .quiet
      guard state != previous else { continue }
      standings[index].state = state
      standings[index].since = now
      changed.append(Change(standing: standings[index], previous: previous))
    }
    return changed
  }

  /// Takes in how a worker is for one rule; answers whether that fires.
  private mutating func take(
    _ condition: Condition, _ restarted: UInt64, _ index: Int, at now: Moment
  ) -> Bool {
    let rule = standings[index].rule
    let holds: Bool
    switch rule.measure {
    case .down: holds = condition.isDown
    case .quarantined: holds = condition.isQuarantined
    case .degraded: holds = condition.isDegraded
    case .restarts:
      // As many as can matter: a worker cannot fill the memory with its deaths.
      let most = Int(rule.bound) + 1
      restarts[index].removeAll { now - $0 >= rule.window }
      restarts[index] += Array(repeating: now, count: Int(min(restarted, UInt64(most))))
      restarts[index] = restarts[index].suffix(most)
      standings[index].figure = Double(restarts[index].count)
      return Double(restarts[index].count) > rule.bound
    case .errorRate, .p50, .p95, .p99: return false
    }
    guard holds else {
      begun[index] = nil
      standings[index].figure = 0
      return false
    }
    let since = begun[index] ?? now
    begun[index] = since
    let seconds = (now - since) / .seconds(1)
    standings[index].figure = seconds
    return seconds >= rule.bound
  }

  /// Takes in what workers counted; one that did not say is left out. Answers which standings
  /// changed their state.
  public mutating func take(_ readings: [Reading], at now: Moment) -> [Change] {
    var fresh: [String: [String: CallCounts]] = [:]
    for reading in readings {
      let worker = reading.incarnation.worker
      let before = last.updateValue(reading, forKey: worker)
      guard let before, before.incarnation == reading.incarnation else {
        if !reading.isOlder { fresh[worker] = reading.methods }
        continue
      }
      fresh[worker] = reading.methods.reduce(into: [:]) { fresh, entry in
        fresh[entry.key] = entry.value.since(before.methods[entry.key] ?? CallCounts())
      }
    }
    var changed: [Change] = []
    for index in standings.indices where standings[index].rule.measure.isOfCalls {
      let rule = standings[index].rule
      if let methods = fresh[standings[index].worker] {
        let counts = methods.filter { rule.methods.isEmpty || rule.methods.contains($0.key) }
          .values.reduce(CallCounts(), +)
        add(Slice(end: now, counts: counts), to: index)
      }
      slices[index].removeAll { now - $0.end >= rule.window }
      let previous = standings[index].state
      if evaluate(index, at: now) {
        changed.append(Change(standing: standings[index], previous: previous))
      }
    }
    return changed
  }

  private mutating func add(_ slice: Slice, to index: Int) {
    guard slice.counts.calls > 0 else { return }
    let shortest = standings[index].rule.window / Self.slicesInWindow
    // The slice before last says where the last one begins.
    if let newest = slices[index].last, let older = slices[index].dropLast().last,
      slice.end - older.end < shortest
    {
      slices[index][slices[index].count - 1] = Slice(
        end: slice.end, counts: newest.counts + slice.counts)
    } else {
      slices[index].append(slice)
    }
  }

  /// Sets the standing anew; answers whether its state changed.
  private mutating func evaluate(_ index: Int, at now: Moment) -> Bool {
    let rule = standings[index].rule
    let counts = slices[index].map(\.counts).reduce(CallCounts(), +)
    standings[index].calls = counts.calls
    standings[index].figure =
      counts.calls >= UInt64(rule.minimumCalls) ? Self.figure(rule.measure, counts) : nil
    let state: State =
      standings[index].figure.map { $0 > rule.bound ? .firing : .quiet } ?? .tooFewCalls
    guard state != standings[index].state else { return false }
    standings[index].state = state
    standings[index].since = now
    return true
  }

  private static func figure(_ measure: AlertRule.Measure, _ counts: CallCounts) -> Double? {
    let share: Double
    switch measure {
    case .errorRate: return counts.errorRate
    case .p50: share = 0.5
    case .p95: share = 0.95
    case .p99: share = 0.99
    case .down, .quarantined, .degraded, .restarts: return nil
    }
    return counts.latencies.quantile(share).map { Double($0) / 1e6 }
  }
}
