import FallDetectorDomain
import Glibc

/// The impacts of one recording.
struct Impacts {
  var isFall: Bool
  var subject: String
  var impacts: [ImpactEvidence]
}

/// Fits the weights: a logistic regression over impacts.
///
/// A recording of a fall has one impact that is the fall: the one that scores highest, which the
/// fit finds in a few rounds. All impacts of the others are no falls. Each fall counts again with a
/// part of its change of posture, as of a device that slips or of somebody who falls against
/// something: otherwise posture alone tells the recorded falls, and a fall without it is missed.
enum Fit {
  /// The parts of the change of posture with which each fall counts again, each with `weight`.
  private static let slips = (parts: [0.3, 0.6], weight: 0.25)
  private static let features = ImpactEvidence.Feature.allCases
  /// The share of the falls that are found on the subjects that the weights are fitted on.
  static let sensitivity = 0.995

  static func weights(for recordings: [Impacts], scoreBar: Double) -> EvidenceWeights {
    let rows = recordings.map { $0.impacts.map(row) }
    var beta = [Double](repeating: 0, count: features.count + 1)
    beta[0] = 1
    for _ in 0..<5 { beta = round(rows, recordings: recordings, beta: beta) }
    let scores = zip(rows, recordings).compactMap { impacts, recording in
      recording.isFall ? impacts.map { dot($0, beta) }.max() ?? -.infinity : nil
    }.sorted()
    let threshold = scores[Int(Double(scores.count) * (1 - sensitivity))]
    let shift = log(scoreBar / (1 - scoreBar)) - threshold
    return terms(beta, shift: shift, rows: rows, recordings: recordings)
  }

  private static func row(_ impact: ImpactEvidence) -> [Double] {
    features.map { impact.value(of: $0) } + [1]
  }

  /// One round: the best impact of each fall by `beta`, then a regression.
  private static func round(
    _ rows: [[[Double]]], recordings: [Impacts], beta: [Double]
  ) -> [Double] {
    var inputs: [[Double]] = []
    var isFall: [Bool] = []
    var weights: [Double] = []
    for (impacts, recording) in zip(rows, recordings) where !impacts.isEmpty {
      let scores = impacts.map { dot($0, beta) }
      let best = scores.indices.max { scores[$0] < scores[$1] } ?? 0
      if recording.isFall {
        inputs.append(impacts[best])
        isFall.append(true)
        weights.append(1)
        for part in slips.parts {
          var slipped = recording.impacts[best]
          slipped.postureDegrees = slipped.postureDegrees.map { $0 * part }
          inputs.append(row(slipped))
          isFall.append(true)
          weights.append(slips.weight)
        }
      } else {
        for (index, impact) in impacts.enumerated() {
          inputs.append(impact)
          isFall.append(false)
          weights.append(index == best ? 1 : 0.3)
        }
      }
    }
    let falls = zip(weights, isFall).reduce(0) { $0 + ($1.1 ? $1.0 : 0) }
    let others = zip(weights, isFall).reduce(0) { $0 + ($1.1 ? 0 : $1.0) }
    for index in weights.indices where isFall[index] { weights[index] *= others / falls }
    return regression(inputs, isFall, weights)
  }

  /// Newton's method with a small ridge on standardised inputs.
  private static func regression(
    _ inputs: [[Double]], _ isFall: [Bool], _ weights: [Double]
  ) -> [Double] {
    let count = features.count + 1
    let total = weights.reduce(0, +)
    var means = [Double](repeating: 0, count: count)
    var scales = [Double](repeating: 1, count: count)
    for feature in 0..<(count - 1) {
      means[feature] = inputs.reduce(0) { $0 + $1[feature] } / Double(inputs.count)
      let variance = inputs.reduce(0) { $0 + pow($1[feature] - means[feature], 2) }
      scales[feature] = max(1e-6, (variance / Double(inputs.count)).squareRoot())
    }
    let standard = inputs.map { row in
      row.indices.map { $0 == count - 1 ? 1 : (row[$0] - means[$0]) / scales[$0] }
    }
    var beta = [Double](repeating: 0, count: count)
    for _ in 0..<30 {
      var gradient = [Double](repeating: 0, count: count)
      var hessian = [[Double]](
        repeating: [Double](repeating: 0, count: count), count: count)
      for (index, row) in standard.enumerated() {
        let probability = 1 / (1 + exp(-min(30, max(-30, dot(row, beta)))))
        let error = weights[index] * (probability - (isFall[index] ? 1 : 0))
        let curvature = weights[index] * probability * (1 - probability) + 1e-9
        for i in 0..<count {
          gradient[i] += row[i] * error
          for j in 0..<count { hessian[i][j] += row[i] * row[j] * curvature }
        }
      }
      for i in 0..<(count - 1) {
        gradient[i] += 1e-3 * total * beta[i]
        hessian[i][i] += 1e-3 * total
      }
      let step = solve(hessian, gradient)
      for i in 0..<count { beta[i] -= step[i] }
      if step.allSatisfy({ abs($0) < 1e-8 }) { break }
    }
    var raw = [Double](repeating: 0, count: count)
    raw[count - 1] = beta[count - 1]
    for i in 0..<(count - 1) {
      raw[i] = beta[i] / scales[i]
      raw[count - 1] -= raw[i] * means[i]
    }
    return raw
  }

  /// Gauss's elimination with pivots.
  private static func solve(_ matrix: [[Double]], _ right: [Double]) -> [Double] {
    var rows = zip(matrix, right).map { $0 + [$1] }
    let count = right.count
    for column in 0..<count {
      let pivot = (column..<count).max { abs(rows[$0][column]) < abs(rows[$1][column]) } ?? column
      rows.swapAt(column, pivot)
      for row in 0..<count where row != column {
        let factor = rows[row][column] / rows[column][column]
        for place in column...count { rows[row][place] -= factor * rows[column][place] }
      }
    }
    return (0..<count).map { rows[$0][count] / rows[$0][$0] }
  }

  /// The weights with their neutral values: midway between the means of falls and of others, moved
  /// so that all terms share the constant alike.
  private static func terms(
    _ beta: [Double], shift: Double, rows: [[[Double]]], recordings: [Impacts]
  ) -> EvidenceWeights {
    var sums = [[Double]](
      repeating: [Double](repeating: 0, count: features.count), count: 2)
    var counts = [0.0, 0.0]
    for (impacts, recording) in zip(rows, recordings) {
      guard let best = impacts.max(by: { dot($0, beta) < dot($1, beta) }) else { continue }
      let group = recording.isFall ? 1 : 0
      counts[group] += 1
      for feature in features.indices { sums[group][feature] += best[feature] }
    }
    let middle = features.indices.map { (sums[0][$0] / counts[0] + sums[1][$0] / counts[1]) / 2 }
    let constant = beta[features.count] + shift
    let rest = features.indices.reduce(constant) { $0 + beta[$1] * middle[$1] }
    func term(_ feature: ImpactEvidence.Feature) -> EvidenceWeights.Term {
      let index = features.firstIndex(of: feature) ?? 0
      func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }
      return EvidenceWeights.Term(
        weight: rounded(beta[index]),
        neutral: rounded(middle[index] - rest / (Double(features.count) * beta[index])))
    }
    return EvidenceWeights(
      impulse: term(.impulse), shake: term(.shake), fallSpeed: term(.fallSpeed),
      posture: term(.posture), samePosture: term(.samePosture), stillness: term(.stillness))
  }

  private static func dot(_ first: [Double], _ second: [Double]) -> Double {
    var sum = 0.0
    for index in first.indices { sum += first[index] * second[index] }
    return sum
  }

  /// The weights as a source file.
  static func source(of weights: EvidenceWeights, subjectCount: Int) -> String {
    let terms = features.map { feature in
      let term = weights[feature]
      return "    \(feature): Term(weight: \(term.weight), neutral: \(term.neutral))"
    }
    return """
      // Written by tools/eval-falls --write. Do not edit by hand.

      extension EvidenceWeights {
        /// What ships: fitted on the recordings of \(subjectCount) subjects. FIGURES.md has the method.
        public static let standard = EvidenceWeights(
      \(terms.joined(separator: ",\n")))
      }

      """
  }
}
