import FallDetectorDomain
import FallsContract

/// A batch of samples that has been checked, in g.
struct ReadBatch: Sendable {
  var session: String
  var sequence: UInt64
  var profile: SensorProfile
  /// In the order of their times, each later than the one before.
  var samples: [AccelerationSample]
}

/// What is wrong with a batch.
struct BatchProblem: Error, Hashable {
  var field: String
  /// What was expected.
  var reason: String
}

/// Checks batches of samples, and brings them into g and order.
///
/// A batch is taken whole or not at all: a sensor that shows what cannot be shows nothing that can
/// be relied on.
enum BatchReader {
  private static let longestID = 64
  private static let mostSamples = 4096
  /// No movement of a person has more.
  private static let mostG = 40.0
  private static let longestInterval: UInt64 = 1_000_000_000
  /// Slower than the 25 samples a second that were asked for, with room for jitter.
  private static let slowest: Int64 = 50_000_000
  /// What a sample in g has in m/s2.
  private static let metresPerSecondSquared = 9.80665
  /// How long nothing that can be must last before the unit is doubted.
  private static let doubt: Int64 = 900_000_000

  /// - Parameter isContinuous: whether there are no pauses, so that 25 samples a second are
  ///   expected.
  static func read(
    _ batch: SampleBatch, isContinuous: Bool
  ) throws(BatchProblem) -> ReadBatch {
    guard (1...longestID).contains(batch.sessionId.utf8.count) else {
      throw BatchProblem(
        field: "session_id", reason: "expected 1 to \(longestID) bytes that name the session")
    }
    guard batch.sequence > 0 else {
      throw BatchProblem(field: "sequence", reason: "expected the number of the batch, from 1")
    }
    if let battery = batch.battery, !(0...1).contains(battery) {
      throw BatchProblem(field: "battery", reason: "expected the charge that is left, 0 to 1")
    }
    guard (0...64).contains(batch.rangeG) else {
      throw BatchProblem(field: "range_g", reason: "expected a range in g, or 0 for not known")
    }
    let samples = try samples(batch)
    if isContinuous { try checkRate(samples) }
    try checkUnit(samples, batch.unit)
    return ReadBatch(
      session: batch.sessionId, sequence: batch.sequence,
      profile: SensorProfile(batch.placement, rangeG: batch.rangeG), samples: samples)
  }

  private static func samples(
    _ batch: SampleBatch
  ) throws(BatchProblem) -> [AccelerationSample] {
    let count = batch.x.count
    guard (1...mostSamples).contains(count) else {
      throw BatchProblem(field: "x", reason: "expected 1 to \(mostSamples) samples")
    }
    guard batch.y.count == count, batch.z.count == count else {
      throw BatchProblem(
        field: batch.y.count == count ? "z" : "y", reason: "expected as many values as x has")
    }
    try checkTimes(batch, count)
    let scale: Double
    switch batch.unit {
    case .unspecified, .standardGravity: scale = 1
    case .metresPerSecondSquared: scale = 1 / metresPerSecondSquared
    default: throw BatchProblem(field: "unit", reason: "expected g or metres a second squared")
    }
    var samples: [AccelerationSample] = []
    samples.reserveCapacity(count)
    var isOrdered = true
    for index in 0..<count {
      let offset =
        batch.timesNs.isEmpty
        ? Int64(batch.intervalNs) * Int64(index) : batch.timesNs[index]
      let sample = AccelerationSample(
        nanoseconds: batch.startNs + offset, x: Double(batch.x[index]) * scale,
        y: Double(batch.y[index]) * scale, z: Double(batch.z[index]) * scale)
      let largest = max(abs(sample.x), abs(sample.y), abs(sample.z))
      // A comparison with what is no number is false.
      guard largest <= mostG, sample.x.isFinite, sample.y.isFinite, sample.z.isFinite else {
        let isNumber = sample.x.isFinite && sample.y.isFinite && sample.z.isFinite
        throw BatchProblem(
          field: "sample \(index)",
          reason: isNumber
            ? "expected no more than \(Int(mostG)) g along an axis: are the samples in m/s2?"
            : "expected numbers, found a value that is none or infinite")
      }
      if let last = samples.last, sample.nanoseconds <= last.nanoseconds { isOrdered = false }
      samples.append(sample)
    }
    return isOrdered ? samples : ordered(samples)
  }

  private static func checkTimes(_ batch: SampleBatch, _ count: Int) throws(BatchProblem) {
    // So far from the ends that no sum overflows.
    let bounds = -(Int64.max / 4)...(Int64.max / 4)
    guard bounds.contains(batch.startNs) else {
      throw BatchProblem(field: "start_ns", reason: "expected nanoseconds of a monotonic clock")
    }
    guard batch.timesNs.isEmpty else {
      guard batch.timesNs.count == count else {
        throw BatchProblem(field: "times_ns", reason: "expected as many times as x has values")
      }
      guard batch.timesNs.allSatisfy({ bounds.contains($0) }) else {
        throw BatchProblem(field: "times_ns", reason: "expected nanoseconds after start_ns")
      }
      return
    }
    guard count == 1 || (1...longestInterval).contains(batch.intervalNs) else {
      throw BatchProblem(
        field: "interval_ns", reason: "expected the time between samples, up to 1 s, or times_ns")
    }
    guard batch.intervalNs <= longestInterval else {
      throw BatchProblem(field: "interval_ns", reason: "expected no more than 1 s")
    }
  }

  /// In the order of their times; of several at one time the first.
  private static func ordered(_ samples: [AccelerationSample]) -> [AccelerationSample] {
    var ordered: [AccelerationSample] = []
    for (_, sample) in samples.enumerated().sorted(by: {
      ($0.element.nanoseconds, $0.offset) < ($1.element.nanoseconds, $1.offset)
    }) where ordered.last?.nanoseconds != sample.nanoseconds {
      ordered.append(sample)
    }
    return ordered
  }

  /// Half of the samples may come late; fewer than that and impacts are missed.
  private static func checkRate(_ samples: [AccelerationSample]) throws(BatchProblem) {
    guard samples.count >= 10 else { return }
    let steps = zip(samples, samples.dropFirst()).map { $1.nanoseconds - $0.nanoseconds }.sorted()
    guard steps[steps.count / 2] <= slowest else {
      throw BatchProblem(
        field: "interval_ns",
        reason: "expected 25 samples a second or more; ReportBurst takes fewer")
    }
  }

  /// At rest a sensor shows 1 g. Samples that are nowhere near it for as long as no fall lasts are
  /// in another unit than is said.
  private static func checkUnit(
    _ samples: [AccelerationSample], _ unit: AccelerationUnit
  ) throws(BatchProblem) {
    guard samples.count >= 10, let first = samples.first, let last = samples.last,
      last.nanoseconds - first.nanoseconds >= doubt
    else { return }
    var (least, most) = (Double.infinity, 0.0)
    for sample in samples {
      let square = sample.x * sample.x + sample.y * sample.y + sample.z * sample.z
      (least, most) = (min(least, square), max(most, square))
    }
    if unit != .metresPerSecondSquared, least > 5 * 5 {
      throw BatchProblem(
        field: "unit", reason: "no sample is below 5 g: are the samples in m/s2?")
    }
    if unit == .metresPerSecondSquared, most < 0.3 * 0.3, least > 0.05 * 0.05 {
      throw BatchProblem(
        field: "unit", reason: "all samples are near a tenth of gravity: are they in g?")
    }
  }
}
