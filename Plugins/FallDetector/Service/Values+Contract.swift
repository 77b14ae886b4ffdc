import FallDetectorDomain
import FallsContract

// The domain's values as the contract has them.

extension CaseProgress.State {
  var message: CaseState {
    switch self {
    case .awaitingConfirmation: .awaitingConfirmation
    case .alerted: .alerted
    case .closed: .closed
    }
  }

  /// The state of a contract's value; nil for one that names none.
  init?(_ state: CaseState) {
    guard let known = Self.allCases.first(where: { $0.message == state }) else { return nil }
    self = known
  }
}

extension CaseResolution {
  var message: Resolution {
    switch self {
    case .wearerOK: .wearerOk
    case .recovered: .recovered
    case .allClear: .allClear
    case .expired: .expired
    }
  }
}

extension SensorProfile {
  /// What a batch or a trace says of its sensor.
  init(_ placement: FallsContract.Placement, rangeG: Float) {
    let known: FallDetectorDomain.Placement =
      switch placement {
      case .wrist: .wrist
      case .pocket: .pocket
      default: .waist
      }
    self.init(placement: known, rangeG: rangeG > 0 ? Double(rangeG) : nil)
  }
}

extension FallDetectorDomain.Finding {
  /// As the contract has it.
  var message: FallsContract.Finding {
    FallsContract.Finding(
      verdict: verdict.message, score: score, reason: reason, phases: phases.map(\.message),
      counterEvidence: counterEvidence.map(\.message), atNs: nanoseconds, isClipped: isClipped)
  }
}

extension FallDetectorDomain.Finding.Verdict {
  fileprivate var message: FallsContract.Verdict {
    switch self {
    case .candidate: .candidate
    case .deviceDrop: .deviceDrop
    case .activity: .activity
    case .possibleLongLie: .possibleLongLie
    }
  }
}

extension FallDetectorDomain.Phase {
  fileprivate var message: FallsContract.Phase {
    let kind: PhaseKind =
      switch kind {
      case .freeFall: .freeFall
      case .impact: .impact
      case .settling: .settling
      case .postureChange: .postureChange
      case .inactivity: .inactivity
      }
    return FallsContract.Phase(
      kind: kind, startNs: startNanoseconds, endNs: endNanoseconds, value: value, weight: weight)
  }
}

extension FallDetectorDomain.CounterEvidence {
  fileprivate var message: FallsContract.CounterEvidence {
    FallsContract.CounterEvidence(
      kind: kind.rawValue, value: value, weight: weight, reason: reason)
  }
}
