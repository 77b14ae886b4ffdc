import ArgumentParser
import Glibc
import SupervisionSimulation

/// `tools/soak schedules`.
struct SchedulesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schedules",
    abstract: "Plays random schedules against the supervisor, and explores every short one.")

  @Option(help: "How many random schedules.") var count: UInt64 = 100_000
  @Option(help: "The seed of the first one; the next has the next number.") var seed: UInt64 = 0
  @Option(help: "How many events deep every order is explored.") var depth = 6

  /// As many threads as there are processors.
  private static let lanes = UInt64(max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))

  func validate() throws {
    guard depth >= 0, depth <= 8 else { throw ValidationError("--depth is from 0 to 8") }
  }

  func run() async throws {
    let clock = ContinuousClock()
    var start = clock.now
    let broken = await brokenSeed()
    print("random schedules        \(count), seeds from \(seed), \(clock.now - start)")
    if let broken {
      let schedule = Schedule(seed: broken)
      print("seed \(broken) breaks a promise: \(schedule.run().joined(separator: "; "))")
      let shrunk = schedule.shrunk()
      print("shrunk to \(shrunk.moves.count) events: \(shrunk.run().joined(separator: "; "))")
      print(shrunk.story.joined(separator: "\n"))
      throw ExitCode(1)
    }
    print("promises broken         0")
    guard depth > 0 else { return }
    // At once: what follows may take long.
    fflush(nil)
    start = clock.now
    let exploration = try await Exploration(
      Exploration.three, depth: depth, lanes: Int(Self.lanes))
    print(
      "explored                3 workers, \(depth) events deep: \(exploration.events) events, "
        + "\(exploration.states) states, \(clock.now - start)")
    if let violation = exploration.violation {
      print("a promise is broken: \(violation)")
      throw ExitCode(1)
    }
    print("promises broken         0")
  }

  /// The lowest seed found whose schedule breaks a promise.
  private func brokenSeed() async -> UInt64? {
    let lanes = Self.lanes
    return await withTaskGroup(of: UInt64?.self) { group in
      for lane in 0..<lanes {
        group.addTask {
          var next = seed + lane
          while next < seed + count {
            if !Schedule(seed: next).run().isEmpty { return next }
            next += lanes
          }
          return nil
        }
      }
      return await group.reduce(nil) { [$0, $1].compactMap(\.self).min() }
    }
  }
}
