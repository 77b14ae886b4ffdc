import KithAccess
import KithRPC
import KithStore
public import KithTime
import LockContract
import Synchronization
import UsageLockDomain

/// Looks at the programs of this machine every second: charges those that run and are guarded, and
/// freezes, ends or warns of those that are locked.
///
/// Where no guarded program runs a look reads and writes nothing.
public final class ProgramLooks: Sendable {
  private struct State {
    var watch = ProgramWatch()
    /// Whether the frozen ones of the generation before are known.
    var hasRead = false
    /// When there was a look, by the clock that is never set.
    var last: Duration?
    /// When there is to be another, by that clock.
    var next: Duration?
  }

  /// How long nothing is looked at after the host has refused it.
  private static let pause = Duration.seconds(60)

  private let store: Store
  private let book: @Sendable () -> LockBook
  private let source: any ProgramSource
  private let simulated: SimulatedForeground?
  private let report: @Sendable (String) -> Void
  /// Used by one run at a time.
  private let state = Mutex(State())

  init(
    store: Store, book: @escaping @Sendable () -> LockBook, source: any ProgramSource,
    simulated: SimulatedForeground?, report: @escaping @Sendable (String) -> Void
  ) {
    self.store = store
    self.book = book
    self.source = source
    self.simulated = simulated
    self.report = report
  }

  /// When to look next, by the wall clock; nil for never.
  public func nextDue() async throws -> Instant? {
    try await readFrozen()
    let book = book()
    return state.withLock { state in
      guard isWatching(book) || !state.watch.frozen.isEmpty else {
        state.last = nil
        return nil
      }
      // A wall clock that is set delays nothing.
      return book.reading.wall + max((state.next ?? .zero) - book.reading.sinceBoot, .zero)
    }
  }

  private func isWatching(_ book: LockBook) -> Bool {
    book.settings.watchesPrograms || simulated?.app != nil
  }

  /// Looks once.
  public func run() async throws {
    let book = book()
    let now = book.reading.sinceBoot
    let (watch, last) = state.withLock { state in
      defer { (state.last, state.next) = (now, now + book.settings.looksEvery) }
      return (state.watch, state.last)
    }
    guard
      let programs = await running(
        book, isNeeded: watch.frozen.keys.contains { $0 != SimulatedForeground.program })
    else { return }
    guard !programs.isEmpty || watch != ProgramWatch() else { return }
    let isWatching = isWatching(book)
    let elapsed = last.map { max(now - $0, .zero) }
    // What nothing comes of is only read.
    if programs.allSatisfy(\.isStopped), try await isQuiet(watch, programs, isWatching, book) {
      return
    }
    let (next, acts) = try await store.write { transaction in
      try Self.look(watch, programs, isWatching, elapsed, book, transaction)
    }
    state.withLock { $0.watch = next }
    for act in acts {
      guard let order = ProgramOrder(act.kind) else { continue }
      do {
        if act.program == SimulatedForeground.program {
          simulated?.carryOut(order)
        } else {
          try await source.carryOut(order, on: act.program)
        }
      } catch {
        report(Self.words(error))
      }
    }
  }

  /// What a log may hold of an error.
  private static func words(_ error: any Error) -> String {
    (error as? RPCError)?.code.name ?? "\(type(of: error))"
  }

  /// What runs; nil where that cannot be known now.
  private func running(
    _ book: LockBook, isNeeded: Bool
  ) async -> [ProgramWatch.Program]? {
    let others = simulated?.programs ?? []
    guard book.settings.watchesPrograms || isNeeded else { return others }
    do {
      return try await source.running().map(\.program) + others
    } catch {
      report(Self.words(error))
      let code = (error as? RPCError)?.code
      if code == .permissionDenied || code == .failedPrecondition {
        state.withLock { $0.next = book.reading.sinceBoot + Self.pause }
      }
      return nil
    }
  }

  private func isQuiet(
    _ watch: ProgramWatch, _ programs: [ProgramWatch.Program], _ isWatching: Bool,
    _ book: LockBook
  ) async throws -> Bool {
    let next = try await store.read { transaction -> ProgramWatch? in
      var next = watch
      let user = book.settings.person
      guard try LockLedger.stored(user, book, transaction) != nil else { return nil }
      let clock = try LockLedger.clock(book, transaction)
      let person = try LockLedger.shown(user, book, clock, transaction)
      let acts = next.look(programs, isWatching ? person.state : nil, at: clock.now)
      return acts.isEmpty && next.frozen == watch.frozen ? next : nil
    }
    guard let next else { return false }
    state.withLock { $0.watch = next }
    return true
  }

  /// One look, as a part of one change of the person.
  private static func look(
    _ watch: ProgramWatch, _ programs: [ProgramWatch.Program], _ isWatching: Bool,
    _ elapsed: Duration?, _ book: LockBook, _ transaction: WriteTransaction
  ) throws -> (ProgramWatch, [ProgramWatch.Act]) {
    let user = book.settings.person
    var next = watch
    let acts: [ProgramWatch.Act]
    if try LockLedger.stored(user, book, transaction) == nil {
      acts = next.look(programs, nil, at: book.reading.wall)
    } else {
      let ledger = try LockLedger(book, transaction)
      acts = try ledger.change(user) { person in
        let now = ledger.clock.now
        charge(programs, elapsed, to: &person.state, at: now, book)
        let acts = next.look(programs, isWatching ? person.state : nil, at: now)
        for act in acts { try tell(act, person, ledger) }
        return acts
      }
    }
    for (id, times) in next.frozen where watch.frozen[id] != times {
      try transaction.save(StoredFrozenProgram(id: id, times: times))
    }
    for id in watch.frozen.keys where next.frozen[id] == nil {
      try transaction.delete(StoredFrozenProgram.self, id: id)
    }
    return (next, acts)
  }

  /// Charges the time since the look before. After a restart of the worker that is where the use
  /// that is stored ends: a kill at every look gains nothing.
  private static func charge(
    _ programs: [ProgramWatch.Program], _ elapsed: Duration?, to state: inout LockState,
    at now: Instant, _ book: LockBook
  ) {
    let longest = book.settings.longestStep
    let sinceLast = state.uses.intervals.last.map { now - $0.end }
    guard let since = elapsed ?? sinceLast.flatMap({ $0 <= longest ? $0 : nil }) else { return }
    let length = min(max(since, .zero), longest)
    for app in ProgramWatch.inUse(programs, state.profile).sorted() {
      state.note(UseLedger.Interval(start: now - length, end: now), of: app)
    }
  }

  private static func tell(
    _ act: ProgramWatch.Act, _ person: StoredPerson, _ ledger: LockLedger
  ) throws {
    let (action, kind): (String, StoredActivity.Kind)
    switch act.kind {
    case .warn(let from):
      return try ledger.tell(ProgramWarned(appId: act.app, lockedMs: from.contract), person)
    case .freeze: (action, kind) = ("frozen", .frozen)
    case .resume: (action, kind) = ("continued", .continued)
    case .end, .kill: (action, kind) = ("ended", .ended)
    }
    try ledger.tell(ProgramEnforced(appId: act.app, action: action), person)
    try ledger.note(kind, act.app, person)
  }

  private func readFrozen() async throws {
    guard !state.withLock(\.hasRead) else { return }
    let frozen = try await store.read { transaction in
      try transaction.records(
        StoredFrozenProgram.self, where: "TRUE", orderedBy: "id", limit: 10_000)
    }
    state.withLock { state in
      state.watch = ProgramWatch(
        frozen: Dictionary(frozen.map { ($0.id, $0.times) }, uniquingKeysWith: max))
      state.hasRead = true
    }
  }
}
