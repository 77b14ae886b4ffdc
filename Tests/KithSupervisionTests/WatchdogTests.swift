import KithManifest
import KithSupervision
import Testing

/// When a ready process without progress is suspected, and when it is ended: looks of the
/// supervisor that are on time, late, and too late to mean anything.
@Suite struct WatchdogTests {
  private let risk = Incarnation(worker: "risk", generation: 1)

  /// A supervisor whose worker has become ready at the start, with a watchdog of 8 s: halves of 4
  /// s, which a look may be 1 s late for.
  private func ready() throws -> Supervisor {
    var supervisor = try Supervisor(
      [WorkerSpecification(name: "risk", limits: TimeLimits(watchdog: .seconds(8)))], jitterSeed: 1)
    _ = supervisor.handle(.timePassed, at: .start)
    for step in [StartStep.spawn, .listen, .handshake, .configure, .start, .watch] {
      _ = supervisor.handle(.stepCompleted(risk, step), at: .start)
    }
    return supervisor
  }

  private func at(_ milliseconds: Int) -> Moment { .start + .milliseconds(milliseconds) }

  private func isLive(_ supervisor: Supervisor) -> Bool? {
    supervisor.snapshot(of: "risk")?.health.isLive
  }

  @Test func aLookOnTimeOrAQuarterLateCounts() throws {
    for late in [0, 1, 999, 1000] {
      var supervisor = try ready()
      #expect(supervisor.nextDeadline == at(4000))
      _ = supervisor.handle(.timePassed, at: at(4000 + late))
      #expect(isLive(supervisor) == false, "\(late) ms late")
      let second = supervisor.handle(.timePassed, at: at(8000 + 2 * late))
      #expect(second.contains(.kill(risk)), "\(late) ms late")
    }
  }

  @Test func aLookThatIsMoreThanAQuarterLateDoesNotCountAndTheHalfBeginsAnew() throws {
    // Between a quarter and a half late, and later.
    for late in [1001, 1500, 1999, 2000, 4000, 3_600_000] {
      var supervisor = try ready()
      _ = supervisor.handle(.timePassed, at: at(4000 + late))
      #expect(isLive(supervisor) == true, "\(late) ms late")
      #expect(supervisor.nextDeadline == at(8000 + late), "\(late) ms late")
      // The next ones are on time, and it takes two of them.
      #expect(!supervisor.handle(.timePassed, at: at(8000 + late)).contains(.kill(risk)))
      #expect(isLive(supervisor) == false)
      #expect(supervisor.handle(.timePassed, at: at(12_000 + late)).contains(.kill(risk)))
    }
  }

  @Test func aLateSecondLookDoesNotEndItEither() throws {
    var supervisor = try ready()
    _ = supervisor.handle(.timePassed, at: at(4000))
    #expect(!supervisor.handle(.timePassed, at: at(9500)).contains(.kill(risk)))
    #expect(supervisor.nextDeadline == at(13_500))
    #expect(supervisor.handle(.timePassed, at: at(13_500)).contains(.kill(risk)))
  }

  @Test func progressBeginsBothHalvesAnewAndItsAbsenceDoesNot() throws {
    var supervisor = try ready()
    _ = supervisor.handle(.reported(risk, HealthReport(progress: 5)), at: at(3000))
    #expect(supervisor.nextDeadline == at(7000))
    _ = supervisor.handle(.timePassed, at: at(7000))
    #expect(isLive(supervisor) == false)
    // It says that it is there and has done nothing since.
    for progress in [UInt64(5), 4] {
      _ = supervisor.handle(.reported(risk, HealthReport(progress: progress)), at: at(8000))
      #expect(isLive(supervisor) == false)
      #expect(supervisor.nextDeadline == at(11_000))
    }
    _ = supervisor.handle(.reported(risk, HealthReport(progress: 6)), at: at(10_999))
    #expect(isLive(supervisor) == true)
    #expect(supervisor.nextDeadline == at(14_999))
    #expect(!supervisor.handle(.timePassed, at: at(14_999)).contains(.kill(risk)))
  }

  @Test func whatCannotReportIsNotWatched() throws {
    var supervisor = try ready()
    _ = supervisor.handle(.timePassed, at: at(4000))
    _ = supervisor.handle(.unwatchable(risk), at: at(4001))
    #expect(isLive(supervisor) == true)
    #expect(supervisor.nextDeadline == nil)
    #expect(!supervisor.handle(.timePassed, at: at(100_000)).contains(.kill(risk)))
  }
}
