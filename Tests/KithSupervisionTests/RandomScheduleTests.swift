import SupervisionSimulation
import Testing

/// Random orders of everything that can happen, each replayable from its seed;
/// `tools/soak schedules` plays many more.
@Suite struct RandomScheduleTests {
  @Test(arguments: 0..<8)
  func noScheduleBreaksAPromise(block: UInt64) {
    for seed in block * 50..<(block + 1) * 50 {
      let schedule = Schedule(seed: seed)
      let violations = schedule.run()
      guard !violations.isEmpty else { continue }
      let shrunk = schedule.shrunk()
      Issue.record(
        """
        seed \(seed): \(violations.joined(separator: "; "))
        shrunk: \(shrunk.run().joined(separator: "; "))
        \(shrunk.story.joined(separator: "\n"))
        """)
      return
    }
  }
}
