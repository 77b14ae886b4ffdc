import Glibc
import KithTime
import Testing

@testable import UsageLockDomain
@testable import UsageLockService

/// The lock beside a slow reference that is obviously right, over random histories.
///
/// `KITH_LOCK_HISTORIES=100000` runs the long one.
@Suite struct LockHistoryTests {
  static let histories =
    getenv("KITH_LOCK_HISTORIES").flatMap { Int(String(cString: $0)) } ?? 1_500

  private static let zones: [String: Zone] = {
    var zones: [String: Zone] = [:]
    for name in ["America/New_York", "Asia/Tokyo", "Asia/Kathmandu", "Asia/Kolkata"] {
      zones[name] = try? ZoneFiles().zone(named: name)
    }
    return zones
  }()

  /// Ticks, kills, suspends, wall clocks that are set, reboots under one that is kept, zones, two
  /// devices whose reports come late, twice and out of order: what is granted and charged is what
  /// the reference grants and charges, to the second.
  @Test func theLockGrantsWhatTheReferenceGrants() throws {
    for seed in 0..<Self.histories { try run(UInt64(seed)) }
  }

  private func run(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed &+ 7_000_000)
    // Some days around the change of clocks of March or November 2026.
    let begin = [1_772_700_000, 1_793_300_000].randomElement(using: &random)!
    var world = begin + Int.random(in: 0..<300_000, using: &random)
    let isKept = Bool.random(using: &random)
    var (up, boot, offset) = (1_000, 0, 0)
    func reading() -> ClockReading {
      ClockReading(
        wall: Instant(seconds: world + offset), sinceBoot: .seconds(up), boot: "\(boot)")
    }
    let mode: LockMode = .random(using: &random) ? .hourlyRation : .dailyBudget
    let profile = LockProfile(
      mode: mode, dailyBudget: .seconds(300), window: .seconds(900),
      isAnchored: .random(using: &random), zone: "America/New_York", apps: [.init(id: "feed")])
    var clock = TrustedClock(startingAt: reading())
    var state = LockState(
      profile: profile, zone: Self.zones[profile.zone]!, debounce: .seconds(2), at: clock.now)
    var reference = LockReference(
      budget: 300, window: 900, isAnchored: profile.isAnchored, zone: Self.zones[profile.zone]!,
      at: world)
    /// What devices have not told yet.
    var late: [UseLedger.Interval] = []
    for step in 0..<60 {
      let words: Comment = "seed \(seed), step \(step)"
      // What the person does at this moment.
      if mode == .hourlyRation, Int.random(in: 0..<3, using: &random) == 0 {
        let isGranted = (try? state.unlock(at: clock.now, isTrusted: clock.isTrusted)) != nil
        #expect(isGranted == reference.unlock(), words)
      }
      let isOpen = state.decision(on: "feed", at: clock.now).reason == nil
      #expect(isOpen == reference.isOpen(isRation: mode == .hourlyRation), words)
      let isUsed = isOpen && Int.random(in: 0..<4, using: &random) > 0
      let start = clock.now
      // Time goes on.
      let passed =
        switch Int.random(in: 0..<20, using: &random) {
        case 0: Int.random(in: 3_600...50_000, using: &random)
        case 1...6: Int.random(in: 60...2_000, using: &random)
        default: 10
        }
      world += passed
      up += passed
      switch Int.random(in: 0..<12, using: &random) {
      case 0 where !isKept: offset = Int.random(in: -200_000...200_000, using: &random)
      case 1 where isKept:
        boot += 1
        up = Int.random(in: 0..<passed, using: &random)
      case 2:
        state.profile.zone = Self.zones.keys.sorted().randomElement(using: &random)!
        reference.wantedZone = Self.zones[state.profile.zone]!
      case 3:
        // A kill: what is stored is all that there is.
        clock = TrustedClock(
          now: clock.now, boot: clock.boot, sinceBoot: clock.sinceBoot, wall: clock.wall,
          unproven: clock.unproven)
        let uses = try #require(UseText.intervals(UseText.text(state.uses.intervals)))
        state.uses = UseLedger(debounce: .seconds(2), intervals: uses)
      default: break
      }
      _ = clock.advance(to: reading(), isWallKept: isKept)
      #expect(clock.now == Instant(seconds: world), words)
      _ = state.advance(to: clock.now, isTrusted: clock.isTrusted) { Self.zones[$0] }
      if isUsed {
        reference.use(from: world - passed, seconds: 10)
        let use = UseLedger.Interval(start: start, end: start + .seconds(10))
        state.note(use, of: "feed")
        // Another device tells of a part of it, later.
        late.append(
          .init(
            start: start + .seconds(Int.random(in: 0..<5, using: &random)),
            end: start + .seconds(Int.random(in: 5...10, using: &random))))
      }
      reference.advance(to: world)
      if !late.isEmpty, Int.random(in: 0..<3, using: &random) == 0 {
        for use in late.shuffled(using: &random) { state.note(use, of: "feed") }
        if .random(using: &random) { late = [] }
      }
      if mode == .dailyBudget { #expect(state.used == .seconds(reference.used), words) }
      #expect(state.day.start == Instant(seconds: reference.dayStart), words)
    }
  }
}

/// A lock that counts seconds and looks for boundaries quarter by quarter. It sees the world's
/// time, and knows nothing of boots.
struct LockReference {
  let budget: Int
  let window: Int
  let isAnchored: Bool
  /// The zone of this day, and that of the next.
  private var zone: Zone
  var wantedZone: Zone
  private var now: Int
  private(set) var dayStart: Int
  private var dayEnd: Int
  private(set) var used = 0
  private var lastHour: Int?
  private var openUntil = Int.min

  init(budget: Int, window: Int, isAnchored: Bool, zone: Zone, at now: Int) {
    self.budget = budget
    self.window = window
    self.isAnchored = isAnchored
    (self.zone, wantedZone) = (zone, zone)
    self.now = now
    var start = now / 900 * 900
    while !Self.isMidnight(start, zone) { start -= 900 }
    dayStart = start
    dayEnd = Self.next(after: start, zone)
  }

  private static func isMidnight(_ second: Int, _ zone: Zone) -> Bool {
    zone.civil(at: Instant(seconds: second)).time.secondOfDay == 0
  }

  private static func isFullHour(_ second: Int, _ zone: Zone) -> Bool {
    zone.civil(at: Instant(seconds: second)).time.secondOfDay % 3600 == 0
  }

  /// The next midnight that is twenty hours away at least.
  private static func next(after start: Int, _ zone: Zone) -> Int {
    var second = start + 20 * 3600
    while !isMidnight(second, zone) { second += 900 }
    return second
  }

  mutating func advance(to second: Int) {
    now = second
    while now >= dayEnd {
      (dayStart, used, zone) = (dayEnd, 0, wantedZone)
      dayEnd = Self.next(after: dayStart, zone)
    }
  }

  mutating func use(from start: Int, seconds: Int) {
    for second in start..<start + seconds {
      advance(to: second)
      used += 1
    }
  }

  /// Opens the window of the hour, if it was not.
  mutating func unlock() -> Bool {
    var hour = now / 900 * 900
    while !Self.isFullHour(hour, zone) { hour -= 900 }
    var end = now / 900 * 900 + 900
    while !Self.isFullHour(end, zone) { end += 900 }
    if let lastHour, hour - lastHour < 3600 { return false }
    if isAnchored, now >= hour + window { return false }
    lastHour = hour
    openUntil = min((isAnchored ? hour : now) + window, end)
    return true
  }

  func isOpen(isRation: Bool) -> Bool { isRation ? now < openUntil : used < budget }
}
