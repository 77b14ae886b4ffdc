public import KithTime

extension Escalation {
  // MARK: - Attempts

  /// Takes the right to attempt the messages that are due. None is due any more once somebody has
  /// acknowledged, or it is over.
  /// - Parameters:
  ///   - token: names the right.
  ///   - length: how long the right lasts.
  /// - Returns: the messages to send now.
  public mutating func claim(
    at now: Instant, token: String, lasting length: Duration
  ) -> [LadderStep] {
    var claimed: [LadderStep] = []
    for number in steps.indices
    where steps[number].state == .pending && steps[number].dueAt <= now
      && mayStart(steps[number])
    {
      steps[number].state = .claimed
      steps[number].lease = LadderStep.Lease(token: token, until: now + length)
      steps[number].attempts += 1
      steps[number].firstAttemptAt = steps[number].firstAttemptAt ?? now
      claimed.append(steps[number])
    }
    return claimed
  }

  /// Takes the result of an attempt. One whose right has gone to another process counts only if the
  /// message was handed over.
  /// - Parameter jitter: a random number from 0 to 1, for the pause until the next attempt.
  public mutating func finish(
    _ number: Int, token: String, _ outcome: StepOutcome, at now: Instant, jitter: Double,
    plan: EscalationPlan
  ) -> [EscalationEvent] {
    guard steps.indices.contains(number) else { return [] }
    var events: [EscalationEvent] = []
    if steps[number].lease?.token == token {
      note(outcome, of: number, at: now, jitter: jitter, plan, &events)
    } else if outcome == .accepted {
      noteSent(number, at: now, plan, &events)
    }
    goOn(at: now, plan, &events)
    return events
  }

  /// Takes what a provider said of a message later on.
  public mutating func noteDelivery(
    _ number: Int, _ outcome: StepOutcome, at now: Instant, plan: EscalationPlan
  ) -> [EscalationEvent] {
    guard steps.indices.contains(number) else { return [] }
    var events: [EscalationEvent] = []
    switch outcome {
    case .accepted: noteSent(number, at: now, plan, &events)
    case .refused(let reason):
      if steps[number].state != .failed, steps[number].state != .cancelled {
        fail(number, reason, mayPass: false, at: now, plan, &events)
      }
    case .later, .unknown: break
    }
    goOn(at: now, plan, &events)
    return events
  }

  /// Takes away a contact, or one of its addresses: nothing is sent there any more.
  /// - Parameter address: the address; nil for all.
  public mutating func drop(
    contact: String, address: String? = nil, at now: Instant, plan: EscalationPlan
  ) -> [EscalationEvent] {
    var events: [EscalationEvent] = []
    for number in steps.indices
    where steps[number].state == .pending && steps[number].contact == contact
      && (address == nil || steps[number].route.address == address)
    {
      fail(
        number, address == nil ? "the contact was removed" : "the address is not used any more",
        mayPass: false, at: now, plan, &events)
    }
    goOn(at: now, plan, &events)
    return events
  }

  // MARK: - Results

  mutating func note(
    _ outcome: StepOutcome, of number: Int, at now: Instant, jitter: Double,
    _ plan: EscalationPlan, _ events: inout [EscalationEvent]
  ) {
    switch outcome {
    case .accepted: noteSent(number, at: now, plan, &events)
    case .refused(let reason):
      fail(number, reason, mayPass: false, at: now, plan, &events)
    case .later(let reason):
      tryAgain(number, reason, at: now, jitter: jitter, plan, &events)
    case .unknown:
      steps[number].doubtSince = steps[number].doubtSince ?? steps[number].firstAttemptAt ?? now
      tryAgain(
        number, "no answer from the provider", at: now, jitter: jitter, plan, &events)
    }
  }

  /// A message was handed over, whatever was thought of it before.
  private mutating func noteSent(
    _ number: Int, at now: Instant, _ plan: EscalationPlan, _ events: inout [EscalationEvent]
  ) {
    guard steps[number].state != .sent else { return }
    steps[number].state = .sent
    steps[number].sentAt = now
    steps[number].lease = nil
    steps[number].failure = ""
    events.append(.stepEnded(number))
    // Whoever hears of an incident that is over hears the all-clear too.
    if state == .resolved, steps[number].purpose != .allClear {
      addAllClear(for: steps[number].contact, at: now, plan)
    }
  }

  private mutating func tryAgain(
    _ number: Int, _ reason: String, at now: Instant, jitter: Double, _ plan: EscalationPlan,
    _ events: inout [EscalationEvent]
  ) {
    guard mayStart(steps[number]) else { return cancel(number) }
    let pause = Self.pause(afterAttempts: steps[number].attempts, jitter: jitter)
    let end = (steps[number].firstAttemptAt ?? now) + EscalationPolicy.attemptsWithin
    guard steps[number].attempts < EscalationPolicy.mostAttempts, now + pause < end else {
      return fail(number, reason, mayPass: true, at: now, plan, &events)
    }
    steps[number].state = .pending
    steps[number].lease = nil
    steps[number].dueAt = now + pause
    steps[number].failure = reason
  }

  /// A message failed for good: the contact is told by its next channel at once.
  mutating func fail(
    _ number: Int, _ reason: String, mayPass: Bool, at now: Instant, _ plan: EscalationPlan,
    _ events: inout [EscalationEvent]
  ) {
    let step = steps[number]
    steps[number].state = .failed
    steps[number].sentAt = nil
    steps[number].lease = nil
    steps[number].failure = reason
    steps[number].mayPass = mayPass
    events.append(.stepEnded(number))
    guard mayStart(step) else { return }
    let recipient = plan.recipient(step.contact)
    switch step.purpose {
    case .alert:
      guard isOfRound(step) else { return }
      if let recipient, let route = unusedRoutes(of: recipient).first {
        answerUntil = nil
        add(
          .alert, recipient.id, route, stage: stage,
          dueAt: plan.moment(for: recipient, at: now))
      } else if !steps.contains(where: { isOfRound($0) && $0.state == .sent }) {
        // Nobody has been told in this round: the next do not wait.
        for next in steps.indices where isOfRound(steps[next]) && steps[next].state == .pending {
          if steps[next].attempts == 0, let recipient = plan.recipient(steps[next].contact) {
            steps[next].dueAt = min(steps[next].dueAt, plan.moment(for: recipient, at: now))
          }
        }
      }
    case .allClear, .nobodyAnswered:
      let used = steps.filter {
        $0.purpose == step.purpose && $0.generation == step.generation
          && $0.contact == step.contact
      }.map(\.route.address)
      guard let recipient,
        let route = recipient.routes.first(where: { !used.contains($0.address) })
      else { return }
      add(
        step.purpose, recipient.id, route, stage: stage,
        dueAt: plan.moment(for: recipient, at: now))
    }
  }

  mutating func cancel(_ number: Int) {
    steps[number].state = .cancelled
    steps[number].lease = nil
  }

  /// Whether a message of its purpose may be begun.
  func mayStart(_ step: LadderStep) -> Bool {
    switch step.purpose {
    case .alert: state == .escalating
    case .nobodyAnswered: state == .nobodyReached
    case .allClear: state == .resolved
    }
  }

  /// Full jitter: Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
  /// - Parameter jitter: a random number from 0 to 1.
  static func pause(afterAttempts attempts: Int, jitter: Double) -> Duration {
    let most = min(2_000 << min(max(attempts - 1, 0), 10), 60_000)
    return .milliseconds(Int(Double(most) * min(max(jitter, 0), 1)))
  }
}
