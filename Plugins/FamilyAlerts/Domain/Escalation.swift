public import KithTime

/// An incident as a state machine: who has been told, who is next, and when.
///
/// Time, contacts and outcomes come in as arguments; what is to be sent comes out of
/// ``claim(at:token:lasting:)``. It holds no clock and sends nothing.
public struct Escalation: Sendable, Hashable {
  /// Where it stands.
  public enum State: String, Sendable, Hashable, CaseIterable {
    /// Contacts are being told. Next: all others.
    case escalating
    /// A contact looks after it. Next: `escalating`, `resolved`.
    case acknowledged
    /// All steps are done and nobody has answered. Next: `acknowledged`, `resolved`.
    case nobodyReached = "nobody_reached"
    /// Over.
    case resolved
  }

  /// Who looks after it.
  public struct Acknowledgement: Sendable, Hashable {
    /// How it was said.
    public enum Source: String, Sendable, Hashable, CaseIterable {
      /// By the link in a message.
      case link
      /// By an answer to a text message.
      case smsReply = "sms_reply"
      /// In the app.
      case app
    }

    /// When.
    public let at: Instant
    /// Which contact.
    public let contact: String
    /// How.
    public let source: Source

    /// An acknowledgement.
    public init(at: Instant, contact: String, source: Source) {
      self.at = at
      self.contact = contact
      self.source = source
    }
  }

  /// What it is about.
  public let kind: AlertKind
  /// Where it stands.
  public internal(set) var state = State.escalating
  /// Counts the changes of ``state``.
  public internal(set) var version = 1
  /// Counts the ladders that were begun after an acknowledgement.
  public internal(set) var generation = 0
  /// The round of the ladder.
  public internal(set) var loop = 0
  /// The stage of the round.
  public internal(set) var stage = 0
  /// All messages in the order in which they were planned; each at the index of its number.
  public internal(set) var steps: [LadderStep] = []
  /// The last acknowledgement.
  public internal(set) var acknowledgement: Acknowledgement?
  /// When it was resolved.
  public internal(set) var resolvedAt: Instant?
  /// When nobody counts as reached; nil while steps are to come.
  public internal(set) var answerUntil: Instant?
  /// When the ladder begins again after an acknowledgement.
  public internal(set) var reescalatesAt: Instant?

  /// An incident that has just been raised, with its first messages.
  public static func opened(
    _ kind: AlertKind, at now: Instant, plan: EscalationPlan
  ) -> (Escalation, [EscalationEvent]) {
    var escalation = Escalation(kind: kind)
    var events: [EscalationEvent] = []
    escalation.beginRound(dueAt: now, at: now, plan, &events)
    return (escalation, events)
  }

  private init(kind: AlertKind) { self.kind = kind }

  /// An incident as it was stored.
  public init(
    kind: AlertKind, state: State, version: Int, generation: Int, loop: Int, stage: Int,
    steps: [LadderStep], acknowledgement: Acknowledgement?, resolvedAt: Instant?,
    answerUntil: Instant?, reescalatesAt: Instant?
  ) {
    self.init(kind: kind)
    self.state = state
    self.version = version
    self.generation = generation
    self.loop = loop
    self.stage = stage
    self.steps = steps
    self.acknowledgement = acknowledgement
    self.resolvedAt = resolvedAt
    self.answerUntil = answerUntil
    self.reescalatesAt = reescalatesAt
  }

  /// When there is something to do next; nil for never.
  public var nextDue: Instant? {
    let own: Instant? =
      switch state {
      case .escalating: answerUntil
      case .acknowledged: reescalatesAt
      case .nobodyReached, .resolved: nil
      }
    return steps.compactMap(\.nextDue).reduce(own) { least, due in least.map { min($0, due) } ?? due
    }
  }

  /// The contacts that were told of the incident, or have shown that they know.
  public var told: [String] {
    var told: [String] = []
    for step in steps
    where step.purpose != .allClear && step.sentAt != nil && step.state == .sent
      && !told.contains(step.contact)
    {
      told.append(step.contact)
    }
    if let contact = acknowledgement?.contact, !told.contains(contact) { told.append(contact) }
    return told
  }

  // MARK: - The ladder

  /// Does what is due: takes over attempts whose process is gone, gives up messages that stay in
  /// doubt, begins the ladder again, and finds that nobody answers.
  public mutating func advance(
    to now: Instant, plan: EscalationPlan
  ) -> [EscalationEvent] {
    var events: [EscalationEvent] = []
    for number in steps.indices {
      if let lease = steps[number].lease, lease.until <= now {
        // Its process is gone, or its answer comes too late.
        note(.unknown, of: number, at: now, jitter: 0, plan, &events)
      }
      if steps[number].state == .pending, let since = steps[number].doubtSince,
        since + EscalationPolicy.doubtLasts <= now
      {
        fail(number, "no answer from the provider", mayPass: true, at: now, plan, &events)
      }
    }
    if state == .acknowledged, let due = reescalatesAt, due <= now {
      reescalatesAt = nil
      become(.escalating)
      generation += 1
      loop = 0
      beginRound(dueAt: now, at: now, plan, &events)
    }
    goOn(at: now, plan, &events)
    return events
  }

  /// Plans the next stage when this one has ended.
  mutating func goOn(
    at now: Instant, _ plan: EscalationPlan, _ events: inout [EscalationEvent]
  ) {
    guard state == .escalating else { return }
    if let due = answerUntil {
      if due <= now { endUnanswered(.noAnswer, at: now, plan, &events) }
      return
    }
    let current = steps.filter { isOfRound($0) && $0.stage == stage }
    guard !current.contains(where: \.isOpen) else { return }
    let sent = current.compactMap { $0.state == .sent ? $0.sentAt : nil }.max()
    for next in plan.policy.stages.indices where next > stage {
      // Delays count from when the stage before was sent; after one that failed there is none.
      let due = sent.map { $0 + plan.policy.stages[next].delay } ?? now
      if beginStage(next, dueAt: due, plan) { return }
    }
    endRound(at: now, plan, &events)
  }

  private mutating func endRound(
    at now: Instant, _ plan: EscalationPlan, _ events: inout [EscalationEvent]
  ) {
    let round = steps.filter(isOfRound)
    let sent = round.compactMap { $0.state == .sent ? $0.sentAt : nil }.max()
    guard sent != nil || round.contains(where: \.mayPass) else {
      // Another round would fail for the same reasons.
      return endUnanswered(
        wasAnySent ? .noAnswer : .allFailed, at: now, plan, &events)
    }
    let due = (sent ?? now) + plan.policy.answerTime
    if loop < plan.policy.repeats {
      loop += 1
      beginRound(dueAt: due, at: now, plan, &events)
    } else if wasAnySent {
      answerUntil = due
      if due <= now { endUnanswered(.noAnswer, at: now, plan, &events) }
    } else {
      endUnanswered(.allFailed, at: now, plan, &events)
    }
  }

  private mutating func beginRound(
    dueAt due: Instant, at now: Instant, _ plan: EscalationPlan,
    _ events: inout [EscalationEvent]
  ) {
    answerUntil = nil
    for first in plan.policy.stages.indices where beginStage(first, dueAt: due, plan) { return }
    endUnanswered(
      wasAnySent ? .noAnswer : steps.isEmpty ? .noContacts : .allFailed, at: now, plan, &events)
  }

  /// Plans the messages of a stage; answers whether there are any.
  private mutating func beginStage(
    _ next: Int, dueAt due: Instant, _ plan: EscalationPlan
  ) -> Bool {
    let positions = plan.policy.stages[next].positions.clamped(to: plan.recipients.indices)
    var isEmpty = true
    for recipient in plan.recipients[positions] {
      var routes = unusedRoutes(of: recipient).prefix(1)
      if next == 0, plan.addsSMS, routes.first?.channel != .sms,
        let sms = unusedRoutes(of: recipient).first(where: { $0.channel == .sms })
      {
        routes.append(sms)
      }
      for route in routes {
        add(
          .alert, recipient.id, route, stage: next, dueAt: plan.moment(for: recipient, at: due))
        isEmpty = false
      }
    }
    if !isEmpty { stage = next }
    return !isEmpty
  }

  /// The addresses of a contact that this round has not used.
  func unusedRoutes(of recipient: Recipient) -> [Route] {
    recipient.routes.filter { route in
      !steps.contains {
        isOfRound($0) && $0.contact == recipient.id && $0.route.address == route.address
      }
    }
  }

  /// Everybody hears that nobody has answered.
  private mutating func endUnanswered(
    _ reason: UnreachedReason, at now: Instant, _ plan: EscalationPlan,
    _ events: inout [EscalationEvent]
  ) {
    answerUntil = nil
    become(.nobodyReached)
    events.append(.nobodyReached(reason))
    let isHopeless = reason == .allFailed && !steps.contains(where: \.mayPass)
    for recipient in plan.recipients where !isHopeless {
      guard let route = recipient.routes.first else { continue }
      add(
        .nobodyAnswered, recipient.id, route, stage: stage,
        dueAt: plan.moment(for: recipient, at: now))
    }
  }

  mutating func add(
    _ purpose: LadderStep.Purpose, _ contact: String, _ route: Route, stage: Int,
    dueAt due: Instant
  ) {
    steps.append(
      LadderStep(
        number: steps.count, purpose: purpose, generation: generation, loop: loop, stage: stage,
        contact: contact, route: route, dueAt: due))
  }

  mutating func become(_ state: State) {
    self.state = state
    version += 1
  }

  func isOfRound(_ step: LadderStep) -> Bool {
    step.purpose == .alert && step.generation == generation && step.loop == loop
  }

  private var wasAnySent: Bool { steps.contains { $0.purpose == .alert && $0.state == .sent } }
}
