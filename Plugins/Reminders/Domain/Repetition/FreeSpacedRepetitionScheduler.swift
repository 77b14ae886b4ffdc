import func Glibc.exp
import func Glibc.pow
public import KithTime

/// FSRS-6: when a card is shown again, from how stable its memory is, how hard it is, and how
/// likely it is remembered.
///
/// The formulas and default weights are those of open-spaced-repetition (py-fsrs). The intervals
/// are not varied at random: the same reviews always give the same dates.
public struct FreeSpacedRepetitionScheduler: Sendable, Hashable {
  /// The weights that fit most people, w0 to w20.
  public static let standardWeights: [Double] = [
    0.212, 1.2931, 2.3065, 8.2956, 6.4133, 0.8334, 3.0194, 0.001, 1.8722, 0.1666, 0.796, 1.4835,
    0.0614, 0.2629, 1.6483, 0.6014, 1.8729, 0.5425, 0.0912, 0.0658, 0.1542,
  ]

  private static let learningSteps: [Duration] = [.seconds(60), .seconds(600)]
  private static let relearningSteps: [Duration] = [.seconds(600)]
  private static let intervals = 1.0...36_500.0
  private static let day = 86_400_000

  private let weights: [Double]
  private let desiredRetention: Double
  private let decay: Double
  private let factor: Double

  /// A scheduler.
  /// - Parameters:
  ///   - weights: w0 to w20; the standard ones where these are not 21 numbers.
  ///   - desiredRetention: how likely a card is to be remembered when it is shown again, above 0
  ///     and below 1.
  public init(
    weights: [Double] = standardWeights, desiredRetention: Double = 0.9
  ) {
    self.weights = weights.count == 21 ? weights : Self.standardWeights
    self.desiredRetention = min(max(desiredRetention, 0.01), 0.99)
    decay = -self.weights[20]
    factor = pow(0.9, 1 / decay) - 1
  }

  // MARK: Reviews

  /// The card after a review.
  public func card(_ card: RepeatedCard, after review: Review) -> RepeatedCard {
    var card = card
    let days = card.lastReview.map {
      max(0, floorDivide(review.at.milliseconds - $0.milliseconds, Self.day))
    }
    remember(&card, review.grade, days: days)
    card.due = review.at + interval(&card, review.grade)
    card.lastReview = review.at
    return card
  }

  /// The card that all its reviews lead to, the oldest first.
  public func card(replaying reviews: some Sequence<Review>, from due: Instant) -> RepeatedCard {
    reviews.reduce(RepeatedCard(due: due)) { card($0, after: $1) }
  }

  /// How likely it is that a card is remembered at an instant, 0 to 1; 0 for one that was never
  /// shown.
  public func retrievability(of card: RepeatedCard, at instant: Instant) -> Double {
    guard let stability = card.stability, let last = card.lastReview else { return 0 }
    let days = max(0, floorDivide(instant.milliseconds - last.milliseconds, Self.day))
    return retrievability(stability, days: days)
  }

  // MARK: Memory

  private func remember(_ card: inout RepeatedCard, _ grade: Grade, days: Int?) {
    guard let stability = card.stability, let difficulty = card.difficulty else {
      card.stability = max(weights[grade.rawValue - 1], 0.001)
      card.difficulty = min(max(initialDifficulty(grade), 1), 10)
      return
    }
    card.stability = max(
      (days ?? 0) < 1
        ? sameDay(stability, grade)
        : grade == .again
          ? forgotten(stability, difficulty, days: days ?? 0)
          : recalled(stability, difficulty, grade, days: days ?? 0), 0.001)
    let change = -weights[6] * Double(grade.rawValue - 3)
    let damped = difficulty + (10 - difficulty) * change / 9
    card.difficulty = min(
      max(weights[7] * initialDifficulty(.easy) + (1 - weights[7]) * damped, 1), 10)
  }

  private func initialDifficulty(_ grade: Grade) -> Double {
    weights[4] - exp(weights[5] * Double(grade.rawValue - 1)) + 1
  }

  private func retrievability(_ stability: Double, days: Int) -> Double {
    pow(1 + factor * Double(days) / stability, decay)
  }

  private func sameDay(_ stability: Double, _ grade: Grade) -> Double {
    let growth =
      exp(weights[17] * (Double(grade.rawValue - 3) + weights[18])) * pow(stability, -weights[19])
    return stability * (grade == .good || grade == .easy ? max(growth, 1) : growth)
  }

  private func recalled(
    _ stability: Double, _ difficulty: Double, _ grade: Grade, days: Int
  ) -> Double {
    let forgetting = exp((1 - retrievability(stability, days: days)) * weights[10]) - 1
    let growth = exp(weights[8]) * (11 - difficulty) * pow(stability, -weights[9]) * forgetting
    let bonus = grade == .hard ? weights[15] : grade == .easy ? weights[16] : 1
    return stability * (1 + growth * bonus)
  }

  private func forgotten(_ stability: Double, _ difficulty: Double, days: Int) -> Double {
    let left =
      weights[11] * pow(difficulty, -weights[12]) * (pow(stability + 1, weights[13]) - 1)
      * exp((1 - retrievability(stability, days: days)) * weights[14])
    return min(left, stability / exp(weights[17] * weights[18]))
  }

  // MARK: Dates

  /// How long until the card is shown again; takes the card on its way.
  private func interval(_ card: inout RepeatedCard, _ grade: Grade) -> Duration {
    switch card.stage {
    case .learning(let step):
      return self.step(&card, grade, step, Self.learningSteps) { .learning(step: $0) }
    case .relearning(let step):
      return self.step(&card, grade, step, Self.relearningSteps) { .relearning(step: $0) }
    case .review:
      guard grade == .again else { return inDays(card) }
      card.stage = .relearning(step: 0)
      return Self.relearningSteps[0]
    }
  }

  private func step(
    _ card: inout RepeatedCard, _ grade: Grade, _ step: Int, _ steps: [Duration],
    _ stage: (Int) -> RepeatedCard.Stage
  ) -> Duration {
    switch grade {
    case .again:
      card.stage = stage(0)
      return steps[0]
    case .hard:
      card.stage = stage(step)
      guard step == 0 else { return steps[min(step, steps.count - 1)] }
      return steps.count == 1 ? steps[0] * 3 / 2 : (steps[0] + steps[1]) / 2
    case .good where step + 1 < steps.count:
      card.stage = stage(step + 1)
      return steps[step + 1]
    case .good, .easy:
      card.stage = .review
      return inDays(card)
    }
  }

  private func inDays(_ card: RepeatedCard) -> Duration {
    let days = (card.stability ?? 0) / factor * (pow(desiredRetention, 1 / decay) - 1)
    let whole = min(
      max(days.rounded(.toNearestOrEven), Self.intervals.lowerBound), Self.intervals.upperBound)
    return .seconds(Int64(whole) * 86_400)
  }
}
