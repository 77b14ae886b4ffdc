import KithManifest
import KithPlanning
import KithSupervision

/// The alert rules in force, and what they have come to.
struct AlertWatch {
  private var evaluator: AlertEvaluator
  /// The number of the rules in force. A task that looks at workers for earlier rules ends when it
  /// is another.
  private(set) var round = 0

  init(_ plan: Plan) {
    evaluator = Self.evaluator(of: plan)
  }

  /// Puts the rules of another plan in force.
  mutating func replaceRules(by plan: Plan) {
    evaluator = Self.evaluator(of: plan)
    round += 1
  }

  private static func evaluator(of plan: Plan) -> AlertEvaluator {
    AlertEvaluator(rules: plan.alerts, workers: plan.workers.map(\.name))
  }

  /// How often the rules want the workers' counts; nil for never.
  var interval: Duration? { evaluator.interval }
  /// Whether a rule is about the states of workers.
  var watchesStates: Bool { evaluator.watchesStates }
  /// What each rule has come to for each worker.
  var standings: [AlertEvaluator.Standing] { evaluator.standings }

  /// Takes the workers' counts; answers what is otherwise since.
  mutating func take(
    _ readings: [AlertEvaluator.Reading], at now: Moment
  ) -> [AlertEvaluator.Change] {
    evaluator.take(readings, at: now)
  }

  /// Takes the workers' states; answers what is otherwise since.
  mutating func take(
    conditions: [AlertEvaluator.Condition], at now: Moment
  ) -> [AlertEvaluator.Change] {
    evaluator.take(conditions: conditions, at: now)
  }
}
