import KithTime
import Testing

@testable import UsageLockDomain

/// What is done to programs, look by look.
@Suite struct ProgramWatchTests {
  private static let start = Instant("2026-11-22T12:00:00Z")!

  private func state(_ enforcement: Enforcement, used: Int = 1_800) throws -> LockState {
    var state = LockState(
      profile: LockProfile(
        dailyBudget: .seconds(1_800), apps: [.init(id: "/usr/games/tux"), .init(id: "/opt/g/*")],
        enforcement: enforcement),
      zone: try ZoneFiles().zone(named: "UTC"), debounce: .seconds(2), at: Self.start)
    state.note(
      .init(start: Self.start - .seconds(used), end: Self.start), of: "/usr/games/tux")
    return state
  }

  private func tux(isStopped: Bool = false, id: String = "7/1") -> ProgramWatch.Program {
    .init(id: id, names: ["/usr/games/tux"], isStopped: isStopped)
  }

  private func kinds(_ acts: [ProgramWatch.Act]) -> [ProgramWatch.Act.Kind] { acts.map(\.kind) }

  @Test func aProgramIsFrozenWhenLockedAndGoesOnWhenOpen() throws {
    var watch = ProgramWatch()
    let locked = try state(.freeze)
    #expect(
      kinds(watch.look([tux()], locked, at: Self.start))
        == [.warn(lockedFrom: Self.start), .freeze])
    #expect(watch.look([tux(isStopped: true)], locked, at: Self.start).isEmpty)
    var open = locked
    open.extraTime = .seconds(600)
    #expect(kinds(watch.look([tux(isStopped: true)], open, at: Self.start)) == [.resume])
    #expect(watch.frozen.isEmpty)
    #expect(watch.look([tux()], open, at: Self.start).isEmpty)
  }

  @Test func aProgramThatGoesOnByAnothersHandIsFrozenAgainAndThenEnded() throws {
    var watch = ProgramWatch()
    let locked = try state(.freeze)
    let looks = (0..<5).map { _ in watch.look([tux()], locked, at: Self.start).last?.kind }
    #expect(looks == [.freeze, .freeze, .freeze, .kill, .kill])
    // Over a restart of the worker too.
    var next = ProgramWatch(frozen: watch.frozen)
    #expect(next.look([tux()], locked, at: Self.start).last?.kind == .kill)
  }

  @Test func aProgramThatIsToEndIsAskedOnceAndThenEnded() throws {
    var watch = ProgramWatch()
    let locked = try state(.end)
    let looks = (0...10).map { _ in
      kinds(watch.look([tux()], locked, at: Self.start)).filter {
        if case .warn = $0 { false } else { true }
      }
    }
    #expect(looks.first == [.end] && looks.last == [.kill])
    #expect(looks.filter { !$0.isEmpty }.count == 2)
  }

  @Test func aWarningComesAMinuteBeforeAndOnce() throws {
    var watch = ProgramWatch()
    let soon = try state(.warn, used: 1_750)
    let at = Self.start + .seconds(50)
    #expect(kinds(watch.look([tux()], soon, at: Self.start)) == [.warn(lockedFrom: at)])
    #expect(watch.look([tux()], soon, at: Self.start).isEmpty)
    // Locked it is told no more, and nothing is done to it.
    let (locked, open) = (try state(.warn), try state(.warn, used: 0))
    #expect(watch.look([tux()], locked, at: Self.start).isEmpty)
    #expect(watch.look([tux()], open, at: Self.start).isEmpty)
  }

  @Test func aProgramThatTheProfileNamesNoMoreGoesOn() throws {
    var watch = ProgramWatch()
    let locked = try state(.freeze)
    _ = watch.look([tux()], locked, at: Self.start)
    var without = locked
    without.profile.apps = []
    #expect(kinds(watch.look([tux(isStopped: true)], without, at: Self.start)) == [.resume])
    _ = watch.look([tux()], locked, at: Self.start)
    #expect(kinds(watch.look([tux(isStopped: true)], nil, at: Self.start)) == [.resume])
    // One that has ended is forgotten.
    _ = watch.look([tux()], locked, at: Self.start)
    #expect(watch.look([], locked, at: Self.start).isEmpty)
    #expect(watch.frozen.isEmpty)
  }

  @Test func aProgramThatItsPersonStoppedIsNeitherChargedNorResumed() throws {
    var watch = ProgramWatch()
    let (open, locked) = (try state(.freeze, used: 0), try state(.freeze))
    #expect(watch.look([tux(isStopped: true)], open, at: Self.start).isEmpty)
    #expect(watch.look([tux(isStopped: true)], locked, at: Self.start).count == 1)
    #expect(watch.frozen.isEmpty)
    #expect(ProgramWatch.inUse([tux(isStopped: true)], open.profile).isEmpty)
  }

  @Test func anAppIsAFileOrAllOfAFolder() throws {
    let profile = try state(.freeze).profile
    func inUse(_ names: String...) -> Set<String> {
      ProgramWatch.inUse([.init(id: "1/1", names: names, isStopped: false)], profile)
    }
    #expect(inUse("/usr/games/tux") == ["/usr/games/tux"])
    #expect(inUse("/opt/g/a/b", "x.desktop") == ["/opt/g/*"])
    for other in ["/usr/games/tux2", "/usr/games", "/opt/g", "/opt/go/a", "tux"] {
      #expect(inUse(other).isEmpty, "\(other)")
    }
  }

  @Test func theCatalogueNamesEachAppOnce() {
    let apps = AppCatalogue.apps
    #expect(apps.count >= 40 && Set(apps.map(\.name)).count == apps.count)
    #expect(AppCatalogue.apps(with: "BROWSER").map(\.name).contains("Firefox"))
    for app in apps {
      #expect(!(app.android + app.ios + app.linux).isEmpty, "\(app.name)")
      #expect(app.linux.isEmpty || app.linux.hasSuffix(".desktop"), "\(app.name)")
    }
  }
}
