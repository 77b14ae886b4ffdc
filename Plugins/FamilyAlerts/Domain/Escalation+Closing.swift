public import KithTime

extension Escalation {
  /// A contact looks after it: no message is begun any more.
  /// - Returns: whether this changed anything. An incident that is acknowledged or over stays as it
  ///   is.
  public mutating func acknowledge(
    by contact: String, through source: Acknowledgement.Source, at now: Instant,
    plan: EscalationPlan
  ) -> Bool {
    guard state == .escalating || state == .nobodyReached else { return false }
    acknowledgement = Acknowledgement(at: now, contact: contact, source: source)
    answerUntil = nil
    // Those who answer each time are not asked for ever.
    reescalatesAt =
      generation < EscalationPolicy.mostGenerations ? plan.reescalatesAfter.map { now + $0 } : nil
    become(.acknowledged)
    cancelPending()
    return true
  }

  /// It is over: whoever was told hears the all-clear.
  /// - Parameter tellsAllClear: false where it ends without anybody knowing that all is well.
  /// - Returns: whether this changed anything.
  public mutating func resolve(
    at now: Instant, plan: EscalationPlan, tellsAllClear: Bool = true
  ) -> Bool {
    guard state != .resolved else { return false }
    resolvedAt = now
    answerUntil = nil
    reescalatesAt = nil
    become(.resolved)
    cancelPending()
    for contact in told where tellsAllClear { addAllClear(for: contact, at: now, plan) }
    return true
  }

  /// How many contacts hear the all-clear.
  public var allClearCount: Int {
    Set(steps.lazy.filter { $0.purpose == .allClear }.map(\.contact)).count
  }

  /// Messages that are being attempted end by themselves.
  private mutating func cancelPending() {
    for number in steps.indices where steps[number].state == .pending { cancel(number) }
  }

  /// Tells a contact that it is over, once, where it was told of the incident.
  mutating func addAllClear(for contact: String, at now: Instant, _ plan: EscalationPlan) {
    guard let recipient = plan.recipient(contact),
      !steps.contains(where: { $0.purpose == .allClear && $0.contact == contact })
    else { return }
    let used = steps.last { $0.contact == contact && $0.state == .sent }?.route
    guard
      let route = recipient.routes.first(where: { $0.address == used?.address })
        ?? recipient.routes.first
    else { return }
    add(.allClear, contact, route, stage: stage, dueAt: plan.moment(for: recipient, at: now))
  }
}
