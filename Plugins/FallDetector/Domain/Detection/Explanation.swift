/// What speaks for a fall and against one at an impact, in numbers and in plain words.
///
/// The score's log-odds are the sum of the phases' weights minus the weights of the
/// counter-evidence: nothing else goes into it.
struct Explanation {
  private(set) var phases: [Phase] = []
  private(set) var counterEvidence: [CounterEvidence] = []
  private let evidence: ImpactEvidence

  init(of evidence: ImpactEvidence, counts: Counts) {
    self.evidence = evidence
    addPhases(counts)
    addCounterEvidence(counts)
  }

  // MARK: For a fall

  private mutating func addPhases(_ counts: Counts) {
    let end = evidence.nanoseconds &+ 600_000_000
    if evidence.fallSpeed > 0 {
      phases.append(
        Phase(
          kind: .freeFall, startNanoseconds: evidence.fallStart,
          endNanoseconds: evidence.fallEnd, value: evidence.lowestG,
          weight: max(0, counts.fallSpeed)))
    }
    phases.append(
      Phase(
        kind: .impact, startNanoseconds: evidence.nanoseconds &- 120_000_000,
        endNanoseconds: evidence.nanoseconds &+ 160_000_000, value: evidence.peakG,
        weight: max(0, counts.impulse)))
    phases.append(
      Phase(
        kind: .settling, startNanoseconds: evidence.nanoseconds &+ 160_000_000,
        endNanoseconds: max(end, evidence.afterStart), value: evidence.shake,
        weight: max(0, counts.shake)))
    if let degrees = evidence.postureDegrees {
      phases.append(
        Phase(
          kind: .postureChange, startNanoseconds: evidence.beforeEnd,
          endNanoseconds: evidence.afterStart, value: degrees, weight: max(0, counts.posture)))
    }
    phases.append(
      Phase(
        kind: .inactivity, startNanoseconds: evidence.afterStart,
        endNanoseconds: evidence.afterEnd, value: evidence.deviationAfter,
        weight: max(0, counts.stillness)))
    phases.sort { $0.startNanoseconds < $1.startNanoseconds }
  }

  // MARK: Against one

  private mutating func addCounterEvidence(_ counts: Counts) {
    add(
      .deviceDrop, evidence.weightlessSeconds, -counts.drop,
      "the device fell freely for \(Self.text(evidence.weightlessSeconds)) s and then lay as "
        + "still as a thing")
    add(
      .deviceDrop, evidence.impulse, -counts.shortBlow,
      "a blow of \(Self.text(evidence.impulse * 9.80665)) m/s moves a device and stops no body")
    add(
      .sittingDown, evidence.impulse,
      max(0, -counts.impulse) + max(0, -counts.shake) + max(0, -counts.fallSpeed),
      "the body was stopped by \(Self.text(evidence.impulse * 9.80665)) m/s, as softly as by "
        + "sitting or lying down")
    if let degrees = evidence.postureDegrees {
      add(
        .recovery, degrees, -counts.posture,
        "the posture afterwards is within \(Int(degrees.rounded())) degrees of the one before")
    } else {
      add(.recovery, 0, -counts.posture, "the posture before is not known")
    }
    let moving = -counts.stillness
    let deviation = Self.text(evidence.deviationAfter)
    if evidence.periodicity >= 0.5 {
      add(
        .gait, evidence.periodicity, moving,
        "the movement afterwards repeats itself as steps do (correlation "
          + "\(Self.text(evidence.periodicity)))")
    } else if isAsInVehicle {
      add(
        .vehicle, evidence.deviationAfter, moving,
        "the device shakes by \(deviation) g before and after, as in a vehicle")
    } else {
      add(
        .recovery, evidence.deviationAfter, moving,
        "there is movement of \(deviation) g afterwards")
    }
  }

  /// Whether the same light shaking goes on before and after, in one posture.
  private var isAsInVehicle: Bool {
    let light = 0.04...0.35
    return light.contains(evidence.deviationBefore) && light.contains(evidence.deviationAfter)
      && evidence.postureDegrees.map { $0 < 20 } ?? true
  }

  private mutating func add(
    _ kind: CounterEvidence.Kind, _ value: Double, _ weight: Double, _ reason: String
  ) {
    guard weight > 0 else { return }
    counterEvidence.append(
      CounterEvidence(kind: kind, value: value, weight: weight, reason: reason))
  }

  // MARK: Words

  /// The decision in a sentence.
  func reason(verdict: Finding.Verdict) -> String {
    let peak =
      (evidence.isClipped ? "an impact above the sensor's range" : "an impact")
      + " of \(Self.text(evidence.peakG)) g"
    switch verdict {
    case .deviceDrop:
      return "the device was dropped: "
        + (counterEvidence.first { $0.kind == .deviceDrop }?.reason ?? peak)
    case .candidate:
      var parts = [peak]
      if let degrees = evidence.postureDegrees {
        parts.append("a change of posture by \(Int(degrees.rounded())) degrees")
      }
      parts.append("then movement of \(Self.text(evidence.deviationAfter)) g")
      return "looks like a fall: " + parts.joined(separator: ", ")
    case .activity, .possibleLongLie:
      let strongest = counterEvidence.max { $0.weight < $1.weight }
      return "no fall: \(peak), but "
        + (strongest?.reason ?? "the evidence together is too weak")
    }
  }

  /// A number with two decimals.
  static func text(_ value: Double) -> String {
    let hundredths = Int((min(max(value, -1e6), 1e6) * 100).rounded())
    let decimals = abs(hundredths) % 100
    return "\(hundredths < 0 ? "-" : "")\(abs(hundredths) / 100).\(decimals < 10 ? "0" : "")"
      + "\(decimals)"
  }
}
