import FallDetectorDomain
import Testing

/// Bursts of 3 s in every 10 s at 10 Hz.
@Suite struct DetectionBurstTests {
  /// A burst that begins after some seconds, with gravity along an axis.
  private func burst(
    at seconds: Int, lying: Bool, moving: Bool, seed: UInt64 = 1
  ) -> [AccelerationSample] {
    var random = TestRandom(seed: seed &+ UInt64(seconds))
    return (0..<30).map { index in
      let shake = moving ? 0.3 : 0.01
      return AccelerationSample(
        nanoseconds: Int64(seconds) * 1_000_000_000 + Int64(index) * 100_000_000,
        x: (lying ? 1 : 0) + Double.random(in: -shake...shake, using: &random),
        y: Double.random(in: -shake...shake, using: &random),
        z: (lying ? 0 : 1) + Double.random(in: -shake...shake, using: &random))
    }
  }

  private func findings(_ bursts: [[AccelerationSample]]) -> [Finding] {
    var detection = BurstDetection()
    return bursts.compactMap { detection.add(burst: $0) }
  }

  /// Bursts upright and active, then lying and still.
  private func collapse(still: Int) -> [[AccelerationSample]] {
    (0..<5).map { burst(at: $0 * 10, lying: false, moving: true) }
      + (5..<(5 + still)).map { burst(at: $0 * 10, lying: true, moving: false) }
  }

  @Test func case2SomebodyWhoWasActiveAndThenLiesStillIsAskedOnce() throws {
    #expect(findings(collapse(still: 5)).isEmpty)
    let found = findings(collapse(still: 40))
    #expect(found.map(\.verdict) == [.possibleLongLie])
    #expect(found[0].score < 0.5)
    #expect(found[0].phases.map(\.kind) == [.postureChange, .inactivity])
    #expect((85...95).contains(found[0].phases[0].value))
  }

  @Test func somebodyWhoMovesAgainIsNotAsked() {
    var bursts = collapse(still: 4)
    bursts.append(burst(at: 90, lying: true, moving: true))
    bursts += (10..<30).map { burst(at: $0 * 10, lying: true, moving: false) }
    #expect(findings(bursts).isEmpty)
  }

  @Test func somebodyWhoSitsStillIsNotAsked() {
    let bursts =
      (0..<5).map { burst(at: $0 * 10, lying: false, moving: true) }
      + (5..<60).map { burst(at: $0 * 10, lying: false, moving: false) }
    #expect(findings(bursts).isEmpty)
  }

  @Test func aDeviceThatWasStillBeforeIsNotAskedAbout() {
    let bursts =
      (0..<5).map { burst(at: $0 * 10, lying: false, moving: false) }
      + (5..<60).map { burst(at: $0 * 10, lying: true, moving: false) }
    #expect(findings(bursts).isEmpty)
  }

  @Test func aPauseOfAMinuteForgetsWhatWas() {
    let bursts =
      (0..<5).map { burst(at: $0 * 10, lying: false, moving: true) }
      + (20..<60).map { burst(at: $0 * 10, lying: true, moving: false) }
    #expect(findings(bursts).isEmpty)
  }

  @Test func case11And13RepeatedEmptyAndBrokenBurstsChangeNothing() {
    let bursts = collapse(still: 8)
    let dirty = bursts.flatMap { burst -> [[AccelerationSample]] in
      let broken = burst.map {
        AccelerationSample(nanoseconds: $0.nanoseconds, x: .nan, y: 0, z: 1)
      }
      return [[], broken, burst, burst, Array(burst.prefix(3))]
    }
    #expect(findings(dirty) == findings(bursts))
    #expect(findings(bursts).count == 1)
  }

  @Test(arguments: 0..<20)
  func anyBurstIsTaken(seed: UInt64) {
    var random = TestRandom(seed: seed)
    let odd: [Double] = [.nan, .infinity, 0, 1, -1, 40, 1e300]
    var detection = BurstDetection()
    for _ in 0..<200 {
      let burst = (0..<Int.random(in: 0...40, using: &random)).map { _ in
        AccelerationSample(
          nanoseconds: Int64(truncatingIfNeeded: random.next()),
          x: odd.randomElement(using: &random) ?? 0, y: odd.randomElement(using: &random) ?? 0,
          z: odd.randomElement(using: &random) ?? 0)
      }
      if let finding = detection.add(burst: burst) {
        #expect(finding.verdict == .possibleLongLie)
      }
    }
  }
}
