import KithRPC
import KithTime
import KithWire
import LockContract
import UsageLockDomain

extension LockProfile {
  private static let minute: Int64 = 60_000

  /// The profile of a message, checked.
  /// - Throws: INVALID_ARGUMENT that names the field.
  init(
    _ message: Profile?, _ book: LockBook, field root: String = "profile"
  ) throws(RPCError) {
    guard let message else {
      throw .invalidArgument(field: root, "expected a profile")
    }
    guard let mode = LockMode(message.mode), mode != .alwaysOpen else {
      throw .invalidArgument(
        field: "\(root).mode", "expected DAILY_BUDGET, HOURLY_RATION or EXTREME")
    }
    guard message.unknownFields.isEmpty else {
      throw .invalidArgument(
        field: root, "it has fields of a later version of the contract")
    }
    let standard = LockProfile()
    func length(
      _ value: Int64, _ standard: Duration, _ field: String, _ range: ClosedRange<Int64>
    ) throws(RPCError) -> Duration {
      if value == 0 { return standard }
      try Check.range(
        value, "\(root).\(field)", range.lowerBound * Self.minute...range.upperBound * Self.minute,
        "\(range.lowerBound) to \(range.upperBound) minutes, or 0")
      return .milliseconds(value)
    }
    let window = try length(message.windowMs, standard.window, "window_ms", 1...30)
    guard window.milliseconds.isMultiple(of: Self.minute) else {
      throw .invalidArgument(field: "\(root).window_ms", "expected whole minutes")
    }
    let zone = message.zone.isEmpty ? book.settings.zone : message.zone
    guard zone.utf8.count <= 64, book.zone(zone) != nil else {
      throw .invalidArgument(field: "\(root).zone", "expected an IANA zone such as Europe/Berlin")
    }
    guard let strictness = UsageLockDomain.Strictness(message.strictness) else {
      throw .invalidArgument(field: "\(root).strictness", "expected STRICT, NORMAL or LENIENT")
    }
    guard let enforcement = UsageLockDomain.Enforcement(message.enforcement) else {
      throw .invalidArgument(field: "\(root).enforcement", "expected WARN, FREEZE or END")
    }
    try Check.range(message.extrasPerDay, "\(root).extras_per_day", 0...5, "0 to 5")
    let sentence = message.sentence.isEmpty ? PhraseGate.standard : message.sentence
    try Check.text(sentence, "\(root).sentence", bytes: 20...200)
    let gate = PhraseGate(sentence: sentence, minutes: 15)
    guard gate.wordCount >= 5, gate.requiredWords.count >= 3 else {
      throw .invalidArgument(
        field: "\(root).sentence",
        "expected at least 5 words, three of which carry its meaning")
    }
    self.init(
      mode: mode,
      dailyBudget: try length(
        message.dailyBudgetMs, standard.dailyBudget, "daily_budget_ms", 5...180),
      window: window, isAnchored: message.isAnchored, zone: zone,
      startOfDay: try Self.time(message.dayStart, root), apps: try Self.apps(message.apps, root),
      sentence: sentence, strictness: strictness, extrasPerDay: Int(message.extrasPerDay),
      extra: try length(message.extraMs, standard.extra, "extra_ms", 1...30),
      typedPenalty: try length(
        message.typedPenaltyMs, standard.typedPenalty, "typed_penalty_ms", 1...25),
      pass: try length(message.passMs, standard.pass, "pass_ms", 1...30),
      isWithoutPass: message.isWithoutPass, enforcement: enforcement)
  }

  private static func time(_ text: String, _ root: String) throws(RPCError) -> CivilTime {
    if text.isEmpty { return .midnight }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 }), let hour = Int(parts[0]),
      let minute = Int(parts[1]), let time = CivilTime(hour: hour, minute: minute)
    else {
      throw .invalidArgument(
        field: "\(root).day_start", "expected a time of day such as 03:00")
    }
    return time
  }

  private static func apps(_ messages: [GuardedApp], _ root: String) throws(RPCError) -> [App] {
    guard messages.count <= 200 else {
      throw .invalidArgument(field: "\(root).apps", "expected at most 200")
    }
    var apps: [App] = []
    var known: Set<String> = []
    for (index, message) in messages.enumerated() {
      let field = "\(root).apps[\(index)]"
      try Check.text(message.appId, "\(field).app_id", bytes: 1...200)
      try Check.text(message.name, "\(field).name", bytes: 0...100)
      guard known.insert(message.appId).inserted else {
        throw .invalidArgument(field: "\(field).app_id", "the app is there twice")
      }
      let mode = LockMode(message.mode)
      guard mode != nil || message.mode == .unspecified else {
        throw .invalidArgument(field: "\(field).mode", "expected a mode")
      }
      apps.append(App(id: message.appId, name: message.name, mode: mode))
    }
    return apps.sorted { $0.id < $1.id }
  }

  /// As the contract has it.
  var message: Profile {
    Profile(
      mode: mode.message, dailyBudgetMs: dailyBudget.milliseconds, windowMs: window.milliseconds,
      isAnchored: isAnchored, zone: zone, dayStart: String("\(startOfDay)".prefix(5)),
      apps: apps.map {
        GuardedApp(appId: $0.id, name: $0.name, mode: $0.mode?.message ?? .unspecified)
      }, sentence: sentence, strictness: strictness.message,
      extrasPerDay: UInt32(clamping: extrasPerDay), extraMs: extra.milliseconds,
      typedPenaltyMs: typedPenalty.milliseconds, passMs: pass.milliseconds,
      isWithoutPass: isWithoutPass, enforcement: enforcement.message)
  }
}

extension LockMode {
  init?(_ mode: Mode) {
    switch mode {
    case .dailyBudget: self = .dailyBudget
    case .hourlyRation: self = .hourlyRation
    case .extreme: self = .extreme
    case .alwaysOpen: self = .alwaysOpen
    default: return nil
    }
  }

  var message: Mode {
    switch self {
    case .dailyBudget: .dailyBudget
    case .hourlyRation: .hourlyRation
    case .extreme: .extreme
    case .alwaysOpen: .alwaysOpen
    }
  }
}

extension UsageLockDomain.Strictness {
  init?(_ strictness: LockContract.Strictness) {
    switch strictness {
    case .unspecified, .normal: self = .normal
    case .strict: self = .strict
    case .lenient: self = .lenient
    default: return nil
    }
  }

  var message: LockContract.Strictness {
    switch self {
    case .strict: .strict
    case .normal: .normal
    case .lenient: .lenient
    }
  }
}

extension UsageLockDomain.Enforcement {
  init?(_ enforcement: LockContract.Enforcement) {
    switch enforcement {
    case .unspecified, .freeze: self = .freeze
    case .warn: self = .warn
    case .end: self = .end
    default: return nil
    }
  }

  var message: LockContract.Enforcement {
    switch self {
    case .warn: .warn
    case .freeze: .freeze
    case .end: .end
    }
  }
}

extension UsageLockDomain.PhraseVerdict {
  /// As the contract has it.
  var message: LockContract.PhraseVerdict {
    let problem: PhraseProblem =
      switch self.problem {
      case nil: .unspecified
      case .negation: .negation
      case .wrongNumber: .wrongNumber
      case .missingWords: .missingWords
      case .extraWords: .extraWords
      case .tooDifferent: .tooDifferent
      }
    return LockContract.PhraseVerdict(
      isAccepted: isAccepted, problem: problem, missedWords: missedWords,
      distance: UInt32(clamping: distance), allowedDistance: UInt32(clamping: allowedDistance))
  }
}

extension UsageLockDomain.LockReason {
  /// As the contract has it.
  var message: LockContract.LockReason {
    switch self {
    case .budgetUsedUp: .budgetUsedUp
    case .windowClosed: .windowClosed
    case .windowUsed: .windowUsed
    case .sentenceRequired: .sentenceRequired
    }
  }
}

extension RPCError {
  init(_ refusal: LockRefusal) {
    self.init(
      refusal == .noExtraLeft ? .resourceExhausted : .failedPrecondition, refusal.description)
  }

  init(_ refusal: ChallengeLadder.Refusal) {
    switch refusal {
    case .unknown:
      self.init(.notFound, "there is no such challenge, or it has ended: begin another")
    case .expired: self.init(.failedPrecondition, "the challenge's time is over: begin another")
    case .coolingDown(let until):
      self.init(.resourceExhausted, "too many wrong answers: the next is taken at \(until)")
    }
  }
}
