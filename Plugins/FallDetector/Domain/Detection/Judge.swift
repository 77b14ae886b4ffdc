import func Glibc.exp

/// Decides what an impact was.
struct Judge: Sendable {
  let settings: DetectorSettings
  let placement: Placement

  /// The decision about an impact; nil for one that is too soft to be mentioned.
  func finding(of evidence: ImpactEvidence) -> Finding? {
    let explanation = Explanation(of: evidence, settings: settings)
    let score = 1 / (1 + exp(-explanation.logOdds))
    let isDrop = explanation.isDeviceDrop
    let isFall = !isDrop && score >= settings.settings(of: placement).scoreBar
    guard isFall || isDrop || evidence.meanPeakG >= settings.activityG else { return nil }
    let verdict: Finding.Verdict = isDrop ? .deviceDrop : (isFall ? .candidate : .activity)
    return Finding(
      verdict: verdict, score: score, reason: explanation.reason(verdict: verdict),
      phases: explanation.phases, counterEvidence: explanation.counterEvidence,
      nanoseconds: evidence.nanoseconds, isClipped: evidence.isClipped, peakG: evidence.peakG)
  }
}
