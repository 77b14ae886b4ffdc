import func Glibc.exp

/// Decides what an impact was.
struct Judge: Sendable {
  /// What was decided about an impact.
  struct Decision {
    var verdict: Finding.Verdict
    var score: Double
    var evidence: ImpactEvidence
  }

  let settings: DetectorSettings
  let scoreBar: Double

  init(settings: DetectorSettings, placement: Placement) {
    self.settings = settings
    scoreBar = settings.settings(of: placement).scoreBar
  }

  /// The decision about an impact; nil for one that is too soft to be mentioned.
  func decision(about evidence: ImpactEvidence) -> Decision? {
    let counts = Counts(of: evidence, settings: settings)
    let score = 1 / (1 + exp(-counts.logOdds))
    let isFall = !counts.isDeviceDrop && score >= scoreBar
    guard isFall || counts.isDeviceDrop || evidence.meanPeakG >= settings.activityG else {
      return nil
    }
    return Decision(
      verdict: counts.isDeviceDrop ? .deviceDrop : (isFall ? .candidate : .activity),
      score: score, evidence: evidence)
  }

  /// A decision with its explanation.
  func finding(of decision: Decision) -> Finding {
    let evidence = decision.evidence
    let explanation = Explanation(
      of: evidence, counts: Counts(of: evidence, settings: settings))
    return Finding(
      verdict: decision.verdict, score: decision.score,
      reason: explanation.reason(verdict: decision.verdict),
      phases: explanation.phases, counterEvidence: explanation.counterEvidence,
      nanoseconds: evidence.nanoseconds, isClipped: evidence.isClipped, peakG: evidence.peakG)
  }
}
