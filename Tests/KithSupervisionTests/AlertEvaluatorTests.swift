import KithManifest
import KithMetrics
import KithSupervision
import Testing

@Suite struct AlertEvaluatorTests {
  private static let analyze = "kith.risk.v1.RiskEngine/Analyze"
  private static let other = "kith.risk.v1.RiskEngine/GetModel"

  private func at(_ seconds: Int) -> Moment { Moment(sinceStart: .seconds(seconds)) }

  private func reading(
    _ worker: String = "risk", generation: UInt64 = 1, calls: UInt64, errors: UInt64 = 0,
    other: UInt64 = 0, microseconds: UInt64 = 10
  ) -> AlertEvaluator.Reading {
    var latencies = Latencies()
    for _ in 0..<calls { latencies.add(microseconds: microseconds) }
    return AlertEvaluator.Reading(
      Incarnation(worker: worker, generation: generation),
      methods: [
        Self.analyze: CallCounts(calls: calls, errors: errors, latencies: latencies),
        Self.other: CallCounts(calls: other),
      ])
  }

  private let errorRule = AlertRule(
    name: "errors", measure: .errorRate, above: 0.05, window: .seconds(60), severity: .page)

  @Test func anErrorRateAboveItsBoundFiresAndGoesQuietWhenTheWindowHasPassed() throws {
    var alerts = AlertEvaluator(rules: [errorRule], workers: ["risk"])
    #expect(alerts.take([reading(calls: 0)], at: at(0)) == [])
    #expect(
      alerts.take([reading(calls: 100, errors: 5)], at: at(5)).map(\.standing.state) == [.quiet])
    let fired = alerts.take([reading(calls: 200, errors: 11)], at: at(10))
    #expect(fired.map(\.standing.state) == [.firing])
    #expect(fired.first?.standing.since == at(10))
    #expect(fired.first?.standing.figure == 11.0 / 200)
    // Not told again while it stays so.
    #expect(alerts.take([reading(calls: 200, errors: 11)], at: at(15)) == [])
    // The first hundred leave the window, then the others.
    #expect(alerts.take([reading(calls: 200, errors: 11)], at: at(66)) == [])
    #expect(alerts.standings.first?.calls == 100)
    #expect(alerts.take([], at: at(70)).map(\.standing.state) == [.tooFewCalls])
    #expect(alerts.standings.first?.figure == nil)
  }

  @Test func whatAnOlderProcessCountedBeforeTheFirstLookIsLeftOut() {
    var alerts = AlertEvaluator(rules: [errorRule], workers: ["risk"])
    var first = reading(calls: 1000, errors: 1000)
    first.isOlder = true
    #expect(alerts.take([first], at: at(0)) == [])
    #expect(
      alerts.take([reading(calls: 1100, errors: 1000)], at: at(5)).map(\.standing.state) == [.quiet]
    )
  }

  @Test func aNewProcessCountsFromZero() {
    var alerts = AlertEvaluator(rules: [errorRule], workers: ["risk"])
    #expect(
      alerts.take([reading(calls: 1000, errors: 0)], at: at(0)).map(\.previous) == [.tooFewCalls])
    _ = alerts.take([], at: at(60))
    let changed = alerts.take([reading(generation: 2, calls: 40, errors: 20)], at: at(65))
    #expect(changed.map(\.standing.calls) == [40])
    #expect(changed.map(\.standing.state) == [.firing])
  }

  @Test func fewCallsSayNothing() {
    let rule = AlertRule(
      name: "x", measure: .errorRate, above: 0.01, window: .seconds(60), minimumCalls: 10)
    var alerts = AlertEvaluator(rules: [rule], workers: ["risk"])
    _ = alerts.take([reading(calls: 0)], at: at(0))
    #expect(alerts.take([reading(calls: 9, errors: 9)], at: at(5)) == [])
    #expect(
      alerts.take([reading(calls: 10, errors: 9)], at: at(6)).map(\.standing.state) == [.firing])
  }

  @Test func aTimeAboveItsBoundFires() {
    let rule = AlertRule(name: "slow", measure: .p95, above: 5, window: .seconds(300))
    var alerts = AlertEvaluator(rules: [rule], workers: ["risk"])
    _ = alerts.take([reading(calls: 0)], at: at(0))
    _ = alerts.take([reading(calls: 100, microseconds: 4_000_000)], at: at(5))
    #expect(alerts.standings.first?.state == .quiet)
    var latencies = Latencies()
    for _ in 0..<100 { latencies.add(microseconds: 4_000_000) }
    for _ in 0..<6 { latencies.add(microseconds: 9_000_000) }
    let slow = AlertEvaluator.Reading(
      Incarnation(worker: "risk", generation: 1),
      methods: [Self.analyze: CallCounts(calls: 106, latencies: latencies)])
    #expect(alerts.take([slow], at: at(10)).map(\.standing.state) == [.firing])
  }

  @Test func aRuleWatchesItsWorkersAndMethods() {
    let rules = [
      AlertRule(name: "all", measure: .errorRate, above: 0.5),
      AlertRule(name: "one", measure: .errorRate, above: 0.5, workers: ["b"]),
      AlertRule(name: "method", measure: .errorRate, above: 0.5, methods: [Self.analyze]),
    ]
    var alerts = AlertEvaluator(rules: rules, workers: ["a", "b"])
    #expect(
      alerts.standings.map { "\($0.rule.name) \($0.worker)" }
        == ["all a", "all b", "one b", "method a", "method b"])
    _ = alerts.take([reading("a", calls: 0), reading("b", calls: 0)], at: at(0))
    // Of a: 30 failed calls of the method, 100 good ones of another.
    let changed = alerts.take(
      [reading("a", calls: 30, errors: 30, other: 100), reading("b", calls: 30, errors: 30)],
      at: at(5))
    #expect(
      changed.map(\.standing).filter { $0.state == .firing }.map { "\($0.rule.name) \($0.worker)" }
        == ["all b", "one b", "method a", "method b"])
  }

  @Test func memoryIsBoundedHoweverOftenItLooks() {
    let rule = AlertRule(name: "x", measure: .errorRate, above: 0.5, window: .seconds(600))
    var alerts = AlertEvaluator(rules: [rule], workers: ["risk"])
    for second in 0..<3000 {
      _ = alerts.take([reading(calls: UInt64(second))], at: at(second))
      let calls = alerts.standings[0].calls
      // What is added up leaves the window as one: at most two slices' worth more than the window
      // has.
      #expect(calls <= 620 && (second < 620 || calls >= 580), "\(second): \(calls)")
    }
  }

  @Test func howOftenToLookFollowsTheShortestWindow() {
    func interval(_ windows: Int...) -> Duration? {
      AlertEvaluator(
        rules: windows.map {
          AlertRule(name: "x", measure: .p50, above: 1, window: .seconds($0))
        }, workers: ["risk"]
      ).interval
    }
    #expect(interval() == nil)
    #expect(interval(10, 900) == .seconds(1))
    #expect(interval(60, 900) == .seconds(6))
    #expect(interval(900) == .seconds(15))
  }

  // MARK: States

  private func condition(
    down: Bool = false, quarantined: Bool = false, degraded: Bool = false, restarts: UInt64 = 0
  ) -> AlertEvaluator.Condition {
    AlertEvaluator.Condition(
      worker: "risk", isDown: down, isQuarantined: quarantined, isDegraded: degraded,
      restarts: restarts)
  }

  @Test func aWorkerThatIsDownForItsTimeFiresAndIsQuietWhenItIsBack() {
    let rule = AlertRule(name: "gone", measure: .down, above: 30, severity: .page)
    var alerts = AlertEvaluator(rules: [rule], workers: ["risk"])
    #expect(alerts.watchesStates && alerts.interval == nil)
    #expect(alerts.take(conditions: [condition(down: true)], at: at(0)) == [])
    #expect(alerts.take(conditions: [condition(down: true)], at: at(29)) == [])
    let fired = alerts.take(conditions: [condition(down: true)], at: at(30))
    #expect(fired.map(\.standing.state) == [.firing] && fired.first?.standing.figure == 30)
    #expect(alerts.take(conditions: [condition(down: true)], at: at(31)) == [])
    let back = alerts.take(conditions: [condition()], at: at(32))
    #expect(back.map(\.standing.state) == [.quiet] && back.first?.previous == .firing)
    // It counts from its new beginning.
    #expect(alerts.take(conditions: [condition(down: true)], at: at(40)) == [])
    #expect(alerts.take(conditions: [condition(down: true)], at: at(69)) == [])
    #expect(alerts.take(conditions: [condition(down: true)], at: at(70)).count == 1)
  }

  @Test func quarantineFiresAtOnceAndEachRuleLooksAtItsOwnState() {
    let rules = [
      AlertRule(name: "stopped", measure: .quarantined, above: 0),
      AlertRule(name: "limping", measure: .degraded, above: 0),
      AlertRule(name: "gone", measure: .down, above: 0),
    ]
    var alerts = AlertEvaluator(rules: rules, workers: ["risk"])
    func fired(_ condition: AlertEvaluator.Condition, _ second: Int) -> [String] {
      _ = alerts.take(conditions: [condition], at: at(second))
      return alerts.standings.filter { $0.state == .firing }.map(\.rule.name)
    }
    #expect(fired(condition(), 0) == [])
    #expect(fired(condition(quarantined: true), 1) == ["stopped"])
    #expect(fired(condition(degraded: true), 2) == ["limping"])
    #expect(fired(condition(down: true), 3) == ["gone"])
  }

  @Test func restartsAreCountedWithinTheWindow() {
    let rule = AlertRule(name: "unsteady", measure: .restarts, above: 2, window: .seconds(60))
    var alerts = AlertEvaluator(rules: [rule], workers: ["risk"])
    // Those before the first look are of a time that is not known.
    #expect(alerts.take(conditions: [condition(restarts: 9)], at: at(0)) == [])
    #expect(alerts.take(conditions: [condition(restarts: 10)], at: at(10)) == [])
    #expect(alerts.take(conditions: [condition(restarts: 11)], at: at(20)) == [])
    #expect(alerts.standings.first?.figure == 2)
    #expect(alerts.take(conditions: [condition(restarts: 12)], at: at(30)).count == 1)
    // The one of second 10 leaves the window.
    let quiet = alerts.take(conditions: [condition(restarts: 12)], at: at(70))
    #expect(quiet.map(\.standing.state) == [.quiet] && quiet.first?.standing.figure == 2)
    // However many there are, no more are kept than matter.
    _ = alerts.take(conditions: [condition(restarts: .max)], at: at(71))
    #expect(alerts.standings.first?.figure == 3 && alerts.standings.first?.state == .firing)
  }

  @Test func callsSayNothingAboutStatesAndStatesNothingAboutCalls() {
    let down = AlertRule(name: "gone", measure: .down, above: 0)
    var alerts = AlertEvaluator(rules: [errorRule, down], workers: ["risk"])
    #expect(alerts.interval == .seconds(6))
    #expect(
      alerts.take([reading(calls: 100, errors: 100)], at: at(1)).map(\.standing.rule.name) == [
        "errors"
      ])
    #expect(
      alerts.take(conditions: [condition(down: true)], at: at(2)).map(\.standing.rule.name) == [
        "gone"
      ])
    #expect(alerts.standings.map(\.state) == [.firing, .firing])
  }
}
