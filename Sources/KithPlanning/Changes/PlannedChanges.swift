import KithManifest

/// What must be done for a product that runs to be as a plan says.
///
/// A pure function of the two; nothing is done here.
public struct PlannedChanges: Sendable, Hashable {
  /// A worker as it runs.
  public struct RunningWorker: Sendable, Equatable {
    /// What its process was made from; without one, what its next would be made from.
    public var definition: PlannedWorker
    /// Whether it has a process, or will have one without anybody's help.
    public var isUp: Bool
    /// Whether nobody has stopped it by hand.
    public var isWanted: Bool
    /// The keys of the configuration that its process takes over while it runs.
    public var liveKeys: Set<String>

    /// A worker that runs.
    public init(
      _ definition: PlannedWorker, isUp: Bool = true, isWanted: Bool = true,
      liveKeys: Set<String> = []
    ) {
      self.definition = definition
      self.isUp = isUp
      self.isWanted = isWanted
      self.liveKeys = liveKeys
    }
  }

  /// The changes in the order in which they begin: what goes, then the product itself, then what
  /// comes or differs.
  public let changes: [PlannedChange]
  /// Everything that they come from, what is shown to nobody included: two with the same are the
  /// same changes. To be kept as secret as the manifests.
  public let essence: String

  /// The changes to a product of which nothing runs.
  public init(starting plan: Plan) {
    changes = plan.workers.map { PlannedChange(.start, worker: $0.name) }
    essence = Self.essence(changes, of: nil, running: [], to: plan)
  }

  /// The changes from what runs to what is planned.
  /// - Parameters:
  ///   - old: the plan that what runs was made by.
  ///   - running: its workers as they run, in start order.
  public init(from old: Plan, running: [RunningWorker], to new: Plan) {
    let names = Set(new.workers.map(\.name))
    let gone = running.filter { !names.contains($0.definition.name) }.reversed().map { worker in
      PlannedChange(
        .stop, worker: worker.definition.name,
        callers: Self.callers(of: worker.definition, in: old), callersWait: false)
    }
    let product = Self.differences(old.settings, new.settings)
    let workers = new.workers.compactMap { worker in
      guard let now = running.first(where: { $0.definition.name == worker.name }) else {
        return PlannedChange(
          .start, worker: worker.name, callers: Self.callers(of: worker, in: new))
      }
      return Self.change(from: now, of: old, to: worker, of: new)
    }
    changes =
      gone
      + (product.isEmpty ? [] : [PlannedChange(.adjust, settings: product.map(\.shown))])
      + workers
    essence = Self.essence(changes, of: old, running: running, to: new)
  }

  private static func essence(
    _ changes: [PlannedChange], of old: Plan?, running: [RunningWorker], to new: Plan
  ) -> String {
    var lines = changes.flatMap(\.lines)
    func add(_ subject: String, _ settings: [PlannedSetting]) {
      for setting in settings {
        lines.append("\(subject) \(setting.key.debugDescription) \(setting.value.debugDescription)")
      }
    }
    if let old {
      add("old", old.settings)
      for worker in running {
        add("old \(worker.definition.name)", worker.definition.settings(in: old))
      }
    }
    add("new", new.settings)
    for worker in new.workers { add("new \(worker.name)", worker.settings(in: new)) }
    return lines.joined(separator: "\n")
  }

  /// The change to a worker that both plans have; nil when there is none.
  private static func change(
    from running: RunningWorker, of old: Plan, to new: PlannedWorker, of plan: Plan
  ) -> PlannedChange? {
    let differences = differences(
      running.definition.settings(in: old), new.settings(in: plan))
    guard !differences.isEmpty else { return nil }
    let kind: PlannedChange.Kind
    if !running.isWanted || differences.allSatisfy({ $0.reach == .host }) {
      kind = .adjust
    } else if !running.isUp {
      kind = .start
    } else if differences.allSatisfy({ difference in
      switch difference.reach {
      case .host: true
      case .configuration(let key): running.liveKeys.contains(key)
      case .process: false
      }
    }) {
      kind = .reconfigure
    } else {
      kind = .restart
    }
    let isReplaced = kind == .restart
    return PlannedChange(
      kind, worker: new.name, settings: differences.map(\.shown),
      callers: isReplaced || kind == .start ? callers(of: new, in: plan) : [],
      callersWait: isReplaced && !(running.definition.overlap && new.overlap))
  }

  private static func callers(of worker: PlannedWorker, in plan: Plan) -> [String] {
    plan.workers.filter { other in
      other.requires.contains { worker.provides.contains($0.name) }
    }.map(\.name)
  }

  // MARK: Settings

  private struct Difference {
    var reach: PlannedSetting.Reach
    var shown: PlannedChange.Setting
  }

  private static func differences(
    _ old: [PlannedSetting], _ new: [PlannedSetting]
  ) -> [Difference] {
    let before = Dictionary(old.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
    let after = Set(new.map(\.key))
    let changed = new.compactMap { setting -> Difference? in
      let was = before[setting.key]
      guard was?.value != setting.value else { return nil }
      return difference(setting.key, was, setting)
    }
    let removed = old.filter { !after.contains($0.key) && $0.value != nil }.map {
      difference($0.key, $0, nil)
    }
    return changed + removed
  }

  private static func difference(
    _ key: String, _ old: PlannedSetting?, _ new: PlannedSetting?
  ) -> Difference {
    let isSensitive = old?.isSensitive == true || new?.isSensitive == true
    func shown(_ setting: PlannedSetting?) -> String? {
      setting?.value.map { isSensitive ? "<sensitive>" : $0 }
    }
    return Difference(
      reach: new?.reach ?? old?.reach ?? .process,
      shown: PlannedChange.Setting(key: key, old: shown(old), new: shown(new)))
  }
}
