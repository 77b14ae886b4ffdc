import FallDetectorDomain
import FallsContract

/// What apps are told to sample, from the configuration and the state of their battery.
struct SamplingAdvice {
  let settings: FallsSettings

  /// Bursts as bursts are detected: 3 s of every 10, 10 samples a second.
  private static let burst = (rateHz: 10.0, milliseconds: UInt32(3_000), every: UInt32(10_000))

  func policy(placement: FallsContract.Placement, battery: Double?) -> SamplingPolicy {
    let within = UInt32(clamping: settings.policy.confirmWithin.inMilliseconds)
    // Impacts at a wrist are higher than those at the trunk.
    let range = placement == .wrist ? 16.0 : 8.0
    switch settings.sampling {
    case .events:
      return SamplingPolicy(
        mode: .events, rangeG: range, confirmWithinMs: within,
        reason: "This product relies on devices that notice falls themselves; nothing is sampled.")
    case .continuous:
      guard let battery, battery < settings.burstsBelow else {
        return SamplingPolicy(
          mode: .continuous, rateHz: settings.rateHz, rangeG: range, confirmWithinMs: within,
          reason: "An impact lasts less than a tenth of a second: only samples without pauses are "
            + "sure to see it.")
      }
      return bursts(
        within, range,
        "The battery is nearly empty: short bursts leave it time for a call. They can miss an "
          + "impact, and notice somebody who lies still.")
    case .bursts:
      return bursts(
        within, range,
        "This product samples in short bursts to save the battery. They can miss an impact, and "
          + "notice somebody who lies still.")
    }
  }

  private func bursts(_ within: UInt32, _ range: Double, _ reason: String) -> SamplingPolicy {
    SamplingPolicy(
      mode: .bursts, rateHz: Self.burst.rateHz, burstMs: Self.burst.milliseconds,
      burstEveryMs: Self.burst.every, rangeG: range, confirmWithinMs: within, reason: reason)
  }
}
