import FallDetectorDomain
import Testing

/// What holds for any trace.
@Suite struct DetectionPropertyTests {
  /// A trace that may hold anything: falls, steps, garbage.
  private func anything(_ random: inout TestRandom) -> [AccelerationSample] {
    var samples: [AccelerationSample] = []
    var time = Int64.random(in: -1_000_000_000_000...1_000_000_000_000, using: &random)
    for _ in 0..<Int.random(in: 2...8, using: &random) {
      switch Int.random(in: 0..<5, using: &random) {
      case 0:
        let peak = Double.random(in: 1.5...12, using: &random)
        let part = TestTrace.fall(peak: peak, stillSeconds: 6, seed: random.next()).samples()
        samples += part.map { sample in
          var sample = sample
          sample.nanoseconds += time
          return sample
        }
        time += Int64(part.count) * 20_000_000
      case 1:
        time += Int64.random(in: -5_000_000_000...20_000_000_000, using: &random)
      case 2:
        let odd: [Double] = [
          .nan, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 0, -40, 40,
        ]
        for _ in 0..<100 {
          time += Int64.random(in: -30_000_000...60_000_000, using: &random)
          samples.append(
            AccelerationSample(
              nanoseconds: time, x: odd.randomElement(using: &random) ?? 0,
              y: odd.randomElement(using: &random) ?? 0, z: odd.randomElement(using: &random) ?? 0))
        }
      case 3:
        let value = Double.random(in: -20...20, using: &random)
        for _ in 0..<300 {
          time += 10_000_000
          samples.append(AccelerationSample(nanoseconds: time, x: value, y: 0, z: 0))
        }
      default:
        for _ in 0..<300 {
          time += Int64.random(in: 1_000_000...80_000_000, using: &random)
          samples.append(
            AccelerationSample(
              nanoseconds: time, x: Double.random(in: -8...8, using: &random),
              y: Double.random(in: -8...8, using: &random),
              z: Double.random(in: -8...8, using: &random)))
        }
      }
    }
    return samples
  }

  @Test(arguments: 0..<60)
  func anythingIsTakenWithoutNonsense(seed: UInt64) {
    var random = TestRandom(seed: seed)
    let samples = anything(&random)
    for range in [nil, 2, 16] as [Double?] {
      for finding in findings(
        in: samples, profile: SensorProfile(placement: .waist, rangeG: range))
      {
        #expect((0...1).contains(finding.score))
        #expect((0...40.001).contains(finding.peakG))
        #expect(!finding.reason.isEmpty && !finding.reason.contains("nan"))
        for phase in finding.phases {
          #expect(phase.value.isFinite && phase.weight.isFinite)
          #expect(phase.startNanoseconds <= phase.endNanoseconds)
        }
        #expect(finding.counterEvidence.allSatisfy { $0.value.isFinite && $0.weight.isFinite })
      }
    }
  }

  @Test func theEdgesOfTimeAreTaken() {
    let times: [Int64] = [
      .min, .min + 1, -1, 0, 1, .max - 40_000_000, .max - 1, .max, .min, .max, 0,
    ]
    var detection = FallDetection(profile: SensorProfile(placement: .waist))
    for time in times {
      for offset in 0..<3 {
        let (instant, isOverflow) = time.addingReportingOverflow(Int64(offset))
        guard !isOverflow else { continue }
        _ = detection.add(AccelerationSample(nanoseconds: instant, x: 0, y: 3, z: 1))
      }
    }
    _ = detection.finish()
    // At the very end of time.
    var samples = TestTrace.fall(stillSeconds: 6).samples()
    let shift = Int64.max - (samples.last?.nanoseconds ?? 0)
    for index in samples.indices { samples[index].nanoseconds += shift }
    #expect(findings(in: samples).map(\.verdict) == [.candidate])
  }

  @Test(arguments: 0..<20)
  func turningTheDeviceChangesNoVerdict(seed: UInt64) {
    var random = TestRandom(seed: seed)
    let peak = Double.random(in: 1.5...6, using: &random)
    let samples = TestTrace.fall(peak: peak, stillSeconds: 8, seed: seed).samples()
    // A rotation by a unit quaternion.
    var q = SIMD4(
      Double.random(in: -1...1, using: &random), Double.random(in: -1...1, using: &random),
      Double.random(in: -1...1, using: &random), Double.random(in: 0.1...1, using: &random))
    q /= (q * q).sum().squareRoot()
    let turned = samples.map { sample in
      let (x, y, z, w) = (q.x, q.y, q.z, q.w)
      return AccelerationSample(
        nanoseconds: sample.nanoseconds,
        x: (1 - 2 * (y * y + z * z)) * sample.x + 2 * (x * y - w * z) * sample.y
          + 2 * (x * z + w * y) * sample.z,
        y: 2 * (x * y + w * z) * sample.x + (1 - 2 * (x * x + z * z)) * sample.y
          + 2 * (y * z - w * x) * sample.z,
        z: 2 * (x * z - w * y) * sample.x + 2 * (y * z + w * x) * sample.y
          + (1 - 2 * (x * x + y * y)) * sample.z)
    }
    let (one, two) = (findings(in: samples), findings(in: turned))
    #expect(one.map(\.verdict) == two.map(\.verdict))
    for (one, two) in zip(one, two) {
      #expect(abs(one.score - two.score) < 0.001)
      #expect(one.nanoseconds == two.nanoseconds)
    }
  }

  /// A detection has no batches: its copies go on alike from any point, as a worker's do between
  /// two batches.
  @Test(arguments: 0..<20)
  func batchesChangeNothing(seed: UInt64) {
    var random = TestRandom(seed: seed)
    let samples = anything(&random)
    var whole = FallDetection(profile: SensorProfile(placement: .waist))
    let expected = samples.compactMap { whole.add($0) }
    var batched = FallDetection(profile: SensorProfile(placement: .waist))
    var found: [Finding] = []
    var rest = samples[...]
    while !rest.isEmpty {
      var copy = batched
      for sample in rest.prefix(Int.random(in: 1...200, using: &random)) {
        if let finding = copy.add(sample) { found.append(finding) }
        rest.removeFirst()
      }
      batched = copy
    }
    #expect(found == expected)
    #expect(batched.finish() == whole.finish())
  }

  @Test func theMemoryOfAWearerIsConstantAndSmall() {
    var random = TestRandom(seed: 8)
    var detection = FallDetection(profile: SensorProfile(placement: .waist))
    let before = detection.byteCount
    #expect(before <= 8192)
    for _ in 0..<10 {
      for sample in anything(&random) { _ = detection.add(sample) }
      #expect(detection.byteCount == before)
    }
    #expect(MemoryLayout<BurstDetection>.size <= 1024)
  }

  @Test func aClockThatBeganAnewIsFollowedInTheEnd() {
    var detection = FallDetection(profile: SensorProfile(placement: .waist))
    _ = detection.add(AccelerationSample(nanoseconds: .max / 2, x: 0, y: 0, z: 1))
    var still = TestTrace()
    still.go(180)
    var found = still.samples().compactMap { detection.add($0) }
    found += TestTrace.fall(stillSeconds: 8).samples().compactMap { sample in
      var sample = sample
      sample.nanoseconds += 180_000_000_000
      return detection.add(sample)
    }
    #expect(found.map(\.verdict) == [.candidate])
  }
}
