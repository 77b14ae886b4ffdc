extension LockProfile {
  /// A change of a profile, apart: what can take effect at once, and what is looser.
  public struct Change: Sendable, Hashable {
    /// The profile before, with all that is stricter in the wanted one.
    public var now: LockProfile
    /// The fields in which the wanted one is looser; empty where it can take effect at once.
    public var looser: [String]
  }

  /// Takes what is stricter of a wanted profile, field by field.
  ///
  /// Another mode, another sentence and a window at another place in the hour are neither stricter
  /// nor looser, and wait like what is looser; a ration that is put behind the sentence is
  /// stricter. The zone and the start of the day take effect with the next day, and days have their
  /// least length, so nothing is gained by them.
  public func change(to wanted: LockProfile) -> Change {
    var now = wanted
    var looser: [String] = []
    func keep<Value: Equatable>(
      _ field: String, _ path: WritableKeyPath<LockProfile, Value>, unless isStricter: Bool
    ) {
      guard self[keyPath: path] != wanted[keyPath: path], !isStricter else { return }
      now[keyPath: path] = self[keyPath: path]
      looser.append(field)
    }
    keep("mode", \.mode, unless: Self.isStricter(wanted.mode, than: mode))
    keep("daily_budget_ms", \.dailyBudget, unless: wanted.dailyBudget < dailyBudget)
    keep("window_ms", \.window, unless: wanted.window < window)
    keep("is_anchored", \.isAnchored, unless: false)
    keep("sentence", \.sentence, unless: false)
    keep("strictness", \.strictness, unless: wanted.strictness.rank > strictness.rank)
    keep("extras_per_day", \.extrasPerDay, unless: wanted.extrasPerDay < extrasPerDay)
    keep("extra_ms", \.extra, unless: wanted.extra < extra)
    keep("typed_penalty_ms", \.typedPenalty, unless: wanted.typedPenalty > typedPenalty)
    keep("pass_ms", \.pass, unless: wanted.pass < pass)
    keep("is_without_pass", \.isWithoutPass, unless: wanted.isWithoutPass)
    keep("enforcement", \.enforcement, unless: wanted.enforcement.rank > enforcement.rank)
    var isAppLooser = false
    for old in apps {
      guard let index = now.apps.firstIndex(where: { $0.id == old.id }) else {
        // An app that was always open is not missed.
        if old.mode != .alwaysOpen {
          now.apps.append(old)
          isAppLooser = true
        }
        continue
      }
      let (before, after) = (old.mode ?? mode, now.apps[index].mode ?? now.mode)
      // Judged by what locks it, and kept by what it says.
      if old.mode == nil, now.apps[index].mode == nil { continue }
      if before != after, !Self.isStricter(after, than: before) {
        now.apps[index].mode = old.mode
        isAppLooser = true
      }
    }
    if isAppLooser { looser.append("apps") }
    now.apps.sort { $0.id < $1.id }
    return Change(now: now, looser: looser)
  }

  private static func isStricter(_ mode: LockMode, than other: LockMode) -> Bool {
    mode != other && (other == .alwaysOpen || (mode == .extreme && other == .hourlyRation))
  }
}

extension Strictness {
  /// The stricter, the higher.
  var rank: Int {
    switch self {
    case .lenient: 0
    case .normal: 1
    case .strict: 2
    }
  }
}
