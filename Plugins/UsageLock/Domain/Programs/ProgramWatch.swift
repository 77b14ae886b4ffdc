public import KithTime

/// Decides what is done to the programs of this machine, one look after another. Pure: what runs
/// comes in, what is used and what is to be done comes out.
///
///     let use = watch.inUse(programs, profile)              // charged, before:
///     let acts = watch.look(programs, state, at: now)       // warn, freeze, resume, end
public struct ProgramWatch: Sendable, Hashable {
  /// A process of a program.
  public struct Program: Sendable, Hashable {
    /// Names the process, and no other until the next boot.
    public var id: String
    /// What it is known by: paths, desktop files, units.
    public var names: [String]
    /// Whether it is stopped, by whomever.
    public var isStopped: Bool

    /// A process.
    public init(id: String, names: [String], isStopped: Bool) {
      self.id = id
      self.names = names
      self.isStopped = isStopped
    }
  }

  /// Something to be done.
  public struct Act: Sendable, Hashable {
    /// What.
    public enum Kind: Sendable, Hashable {
      /// Tell that the app is locked, from then on.
      case warn(lockedFrom: Instant)
      /// Stop it; let it go on.
      case freeze, resume
      /// Ask it to end; end it.
      case end, kill
    }

    /// What is to be done.
    public var kind: Kind
    /// The process, by ``Program/id``; empty for a warning.
    public var program: String
    /// The app as the profile names it; empty where it names it no more.
    public var app: String
  }

  /// How long before it is locked an app's person is told.
  public static let notice = Duration.seconds(60)
  /// A frozen program that goes on by another's hand so often is ended.
  public static let patience = 3
  /// After how many looks a program is ended that was asked to end.
  public static let grace = 10

  /// The processes that were frozen, and how often each went on by another's hand.
  public private(set) var frozen: [String: Int]
  /// The apps whose person was told, and not yet of anything else.
  private var warned: Set<String> = []
  /// The processes that were asked to end, and how many looks ago.
  private var ending: [String: Int] = [:]

  /// A watch, new or with the frozen processes as they were stored.
  public init(frozen: [String: Int] = [:]) {
    self.frozen = frozen
  }

  /// The apps that run and are not stopped.
  public static func inUse(_ programs: [Program], _ profile: LockProfile) -> Set<String> {
    Set(
      programs.filter { !$0.isStopped }.flatMap { program in
        profile.apps.lazy.filter { names(program.names, include: $0.id) }.map(\.id)
      })
  }

  /// Goes on to what runs now.
  /// - Parameter state: the person, advanced to now; nil where nothing is watched any more.
  public mutating func look(
    _ programs: [Program], _ state: LockState?, at now: Instant
  ) -> [Act] {
    var acts: [Act] = []
    var told: Set<String> = []
    for program in programs.sorted(by: { $0.id < $1.id }) {
      let apps = state?.profile.apps.filter { Self.names(program.names, include: $0.id) } ?? []
      let decisions = apps.map { ($0.id, state!.decision(on: $0.id, at: now)) }
      if let locked = decisions.first(where: { $0.1.reason != nil }) {
        told.insert(locked.0)
        if warned.insert(locked.0).inserted {
          acts.append(Act(kind: .warn(lockedFrom: now), program: "", app: locked.0))
        }
        enforce(state!.profile.enforcement, program, locked.0, &acts)
      } else {
        ending[program.id] = nil
        if frozen.removeValue(forKey: program.id) != nil {
          acts.append(Act(kind: .resume, program: program.id, app: apps.first?.id ?? ""))
        }
        for (app, decision) in decisions {
          guard let until = decision.until, until - now <= Self.notice else { continue }
          told.insert(app)
          if warned.insert(app).inserted {
            acts.append(Act(kind: .warn(lockedFrom: until), program: "", app: app))
          }
        }
      }
    }
    warned.formIntersection(told)
    let running = Set(programs.map(\.id))
    frozen = frozen.filter { running.contains($0.key) }
    ending = ending.filter { running.contains($0.key) }
    return acts
  }

  private mutating func enforce(
    _ enforcement: Enforcement, _ program: Program, _ app: String, _ acts: inout [Act]
  ) {
    switch enforcement {
    case .warn: break
    case .freeze:
      guard !program.isStopped else { return }
      let times = frozen[program.id].map { $0 + 1 } ?? 0
      frozen[program.id] = times
      acts.append(
        Act(kind: times < Self.patience ? .freeze : .kill, program: program.id, app: app))
    case .end:
      let looks = ending[program.id].map { $0 + 1 } ?? 0
      ending[program.id] = looks
      // Asked once, and then no more.
      if looks == 0 || looks >= Self.grace {
        acts.append(Act(kind: looks == 0 ? .end : .kill, program: program.id, app: app))
      }
    }
  }

  /// Whether a program is an app: by one of its names, or as one of a folder, `/opt/games/*`.
  private static func names(_ names: [String], include app: String) -> Bool {
    names.contains { name in
      name == app || (app.hasSuffix("/*") && name.hasPrefix(app.dropLast()))
    }
  }
}
