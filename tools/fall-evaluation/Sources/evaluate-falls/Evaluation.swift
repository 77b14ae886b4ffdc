import FallDetectorDomain
import Glibc

/// The measurements over the recordings, with weights that were fitted on other subjects.
struct Evaluation {
  let recordings: [Recording]
  /// The group of subjects of each recording.
  let folds: [Int]
  let foldCount: Int
  /// The weights of each group: fitted without it.
  private(set) var weights: [EvidenceWeights] = []
  /// The impacts of each recording.
  private(set) var impacts: [Impacts] = []

  /// Fits the weights of each group.
  init(_ recordings: [Recording], foldCount: Int) {
    self.recordings = recordings
    self.foldCount = foldCount
    // Older and younger subjects are spread over all groups.
    let subjects = Set(recordings.map(\.subject)).sorted()
    folds = recordings.map { (subjects.firstIndex(of: $0.subject) ?? 0) % foldCount }
    impacts = recordings.map { recording in
      Impacts(
        isFall: recording.isFall, subject: recording.subject,
        impacts: Self.impacts(of: recording.trace))
    }
    for fold in 0..<foldCount {
      let others = zip(impacts, folds).filter { $0.1 != fold }.map(\.0)
      weights.append(Fit.weights(for: others, scoreBar: DetectorSettings.standard.waist.scoreBar))
    }
  }

  private static func impacts(of trace: Trace) -> [ImpactEvidence] {
    let settings = DetectorSettings.standard
    var stream = ImpactStream(
      threshold: settings.waist.impactG, weightless: settings.weightlessG, rangeG: nil)
    var found: [ImpactEvidence] = []
    for sample in trace.samples { stream.add(sample) { found.append($0) } }
    stream.finish { found.append($0) }
    return found
  }

  /// Whether the detector finds a candidate.
  static func findsFall(
    _ samples: [AccelerationSample], weights: EvidenceWeights, rangeG: Double? = nil
  ) -> Bool {
    verdicts(samples, weights: weights, rangeG: rangeG).contains(.candidate)
  }

  /// What the detector decides.
  static func verdicts(
    _ samples: [AccelerationSample], weights: EvidenceWeights, rangeG: Double? = nil
  ) -> [Finding.Verdict] {
    var settings = DetectorSettings.standard
    settings.weights = weights
    var detection = FallDetection(
      profile: SensorProfile(placement: .waist, rangeG: rangeG), settings: settings)
    var verdicts = samples.compactMap { detection.add($0)?.verdict }
    if let verdict = detection.finish()?.verdict { verdicts.append(verdict) }
    return verdicts
  }

  /// What the detector finds in each recording after a change, with the weights of its group.
  func detections(
    rangeG: Double? = nil, _ change: (Trace) -> [AccelerationSample] = { $0.samples }
  ) -> [Bool] {
    zip(recordings, folds).map { recording, fold in
      Self.findsFall(change(recording.trace), weights: weights[fold], rangeG: rangeG)
    }
  }

  /// What a detector from the literature finds. A threshold that is fitted is the one with the
  /// highest sum of sensitivity and specificity on the other subjects.
  func detections(of baseline: Baseline, _ change: (Trace) -> Trace) -> [Bool] {
    let values = recordings.map { baseline.value(change($0.trace)) }
    let thresholds = (0..<foldCount).map { fold in
      baseline.threshold ?? threshold(values, without: fold)
    }
    return zip(values, folds).map { $0 > thresholds[$1] }
  }

  private func threshold(_ values: [Double], without fold: Int) -> Double {
    let known = values.indices.filter { folds[$0] != fold }
      .map { (value: values[$0], isFall: recordings[$0].isFall) }.sorted { $0.value < $1.value }
    let falls = Double(known.count { $0.isFall })
    let others = Double(known.count) - falls
    var (missed, quiet, best, found) = (0.0, 0.0, -1.0, 0.0)
    for (value, isFall) in known {
      if isFall { missed += 1 } else { quiet += 1 }
      let sum = 1 - missed / falls + quiet / others
      if sum > best { (best, found) = (sum, value) }
    }
    return found
  }

  /// Whether each recording has a candidate when no change of posture is larger than some degrees.
  /// Judged by the weights alone.
  func detections(postureUpTo degrees: Double) -> [Bool] {
    let bar = DetectorSettings.standard.waist.scoreBar
    let logOdds = log(bar / (1 - bar))
    return zip(impacts, folds).map { recording, fold in
      recording.impacts.contains { impact in
        var impact = impact
        impact.postureDegrees = impact.postureDegrees.map { min($0, degrees) }
        return ImpactEvidence.Feature.allCases.reduce(0) {
          $0 + weights[fold].contribution(of: $1, in: impact)
        } >= logOdds
      }
    }
  }

  /// A line of the table: sensitivity, and specificity of all, of younger and of older subjects.
  func row(_ name: String, _ detections: [Bool]) -> String {
    func share(_ isFall: Bool, _ belongs: (Recording) -> Bool = { _ in true }) -> Share {
      Share(
        zip(recordings, detections).filter { $0.0.isFall == isFall && belongs($0.0) }
          .map { $0.1 == isFall })
    }
    return "| \(name) | \(share(true)) | \(share(false)) | \(share(false) { !$0.isOlder }) | "
      + "\(share(false) { $0.isOlder }) |"
  }

  /// The head of the table.
  static let head = """
    | | sensitivity | specificity | specificity, younger | specificity, older |
    |---|---|---|---|---|
    """
}
