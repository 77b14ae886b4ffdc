import DeliveryDomain
import KithTesting
import KithTime
import Testing

/// The state machine of a message: named cases, and random lives against what must always hold.
@Suite struct OutboxEntryTests {
  private let start = Instant(milliseconds: 1_000_000)

  private func entry(_ retries: OutboxEntry.Retries) -> OutboxEntry {
    OutboxEntry(retries: retries, expiresAt: start + .seconds(3600), acceptedAt: start)
  }

  @Test func anAttemptBeginsOnceAndEndsUnderItsLease() {
    var entry = entry(.byWorker)
    #expect(entry.nextStep == start)
    #expect(entry.begin(lease: "a", at: start) == nil)
    #expect(entry.begin(lease: "b", at: start) == .underWay)
    let accepted = AttemptOutcome.accepted(providerID: "1")
    #expect(entry.finish(accepted, lease: "b", at: start, random: 0, repeatsAreOne: true) == false)
    #expect(entry.state == .attempting)
    #expect(entry.finish(accepted, lease: "a", at: start, random: 0, repeatsAreOne: true) == true)
    #expect(entry.state == .handedOver && entry.providerID == "1")
    #expect(entry.begin(lease: "c", at: start) == .ended)
  }

  @Test func theWorkerTriesAgainWithFullJitterAndTheSenderByItself() {
    for random in [0, 0.5, 1] {
      var own = entry(.byWorker)
      var senders = entry(.bySender)
      for attempt in 1...4 {
        let bound = Duration.seconds([2, 4, 8, 16][attempt - 1])
        for outcome in [AttemptOutcome.later(.unavailable, "down")] {
          #expect(own.begin(lease: "a", at: start) == nil)
          own.finish(outcome, lease: "a", at: start, random: random, repeatsAreOne: true)
          #expect(own.nextAttempt == start + bound * random)
          #expect(senders.begin(lease: "a", at: start) == nil)
          senders.finish(outcome, lease: "a", at: start, random: random, repeatsAreOne: true)
          #expect(senders.state == .waiting && senders.nextAttempt == nil)
        }
      }
    }
    #expect(RetryPause.length(after: 40, random: 1) == .seconds(60))
    #expect(RetryPause.length(after: 1, random: 0.5, atLeast: .seconds(90)) == .seconds(90))
  }

  /// 9.6, 8: the provider's answer never came, then its receipt does; it is one message.
  @Test func aReceiptAfterAnUnknownOutcomeCounts() {
    var entry = entry(.byWorker)
    _ = entry.begin(lease: "a", at: start)
    entry.finish(
      .unknown(reason: "timeout"), lease: "a", at: start, random: 0.5, repeatsAreOne: false)
    #expect(entry.state == .unknown && entry.nextAttempt == nil)
    #expect(entry.take(DeliveryReceipt(providerID: "SM1", .taken), at: start) == true)
    #expect(entry.state == .handedOver && entry.attempts == 1)
    #expect(entry.take(DeliveryReceipt(providerID: "SM1", .delivered), at: start) == true)
    #expect(entry.take(DeliveryReceipt(providerID: "SM1", .delivered), at: start) == false)
    #expect(entry.take(DeliveryReceipt(providerID: "SM1", .taken), at: start) == false)
    #expect(entry.state == .delivered)
    #expect(entry.begin(lease: "b", at: start) == .ended)
  }

  @Test func whatWasUnderWayAtAKillIsUnknown() {
    for (retries, repeats, isRetried) in [
      (OutboxEntry.Retries.byWorker, true, true), (.byWorker, false, false),
      (.bySender, true, false),
    ] {
      var entry = entry(retries)
      _ = entry.begin(lease: "a", at: start)
      entry.interrupt(at: start, random: 0.5, repeatsAreOne: repeats)
      #expect(entry.state == .unknown)
      #expect((entry.nextAttempt != nil) == isRetried)
      #expect(entry.begin(lease: "b", at: start) == nil)
    }
  }

  @Test func anExpiredMessageIsNotSent() {
    var entry = entry(.bySender)
    #expect(entry.begin(lease: "a", at: start + .seconds(3600)) == .expired)
    #expect(entry.state == .expired && entry.attempts == 0)
  }

  private enum Step: CaseIterable {
    case begin, accept, refuse, later, unknown, strangerFinishes, interrupt, cancel, expire, taken
    case delivered, failed, supersede, hold, release, clockBack, clockOn
  }

  /// Whatever happens in whichever order: the invariants below.
  @Test func randomLivesKeepTheInvariants() {
    var generator = SeededGenerator(seed: 19)
    for life in 0..<20_000 {
      var now = start
      var entry = entry(Bool.random(using: &generator) ? .byWorker : .bySender)
      for _ in 0..<Int.random(in: 1...30, using: &generator) {
        let before = entry
        let step = Step.allCases.randomElement(using: &generator) ?? .begin
        let random = Double.random(in: 0...1, using: &generator)
        let one = Bool.random(using: &generator)
        func finish(_ outcome: AttemptOutcome, _ lease: String = "mine") {
          entry.finish(outcome, lease: lease, at: now, random: random, repeatsAreOne: one)
        }
        switch step {
        case .begin: _ = entry.begin(lease: "mine", at: now)
        case .accept: finish(.accepted(providerID: "p"))
        case .refuse: finish(.refused(.addressGone, "gone"))
        case .later: finish(.later(.rateLimited, "busy", after: .seconds(3)))
        case .unknown: finish(.unknown(reason: "cut"))
        case .strangerFinishes:
          finish(.accepted(providerID: "x"), "other")
          #expect(entry == before, "life \(life): a lost lease counted")
        case .interrupt: entry.interrupt(at: now, random: random, repeatsAreOne: one)
        case .cancel: entry.cancel(at: now)
        case .expire: entry.expire(at: now)
        case .taken: entry.take(DeliveryReceipt(providerID: "p", .taken), at: now)
        case .delivered: entry.take(DeliveryReceipt(providerID: "p", .delivered), at: now)
        case .failed:
          entry.take(
            DeliveryReceipt(providerID: "p", .failed(.init(.unsuitable, "landline"))), at: now)
        case .supersede: entry.supersede(at: now)
        case .hold: entry.hold()
        case .release: entry.release(at: now)
        case .clockBack: now = now - .seconds(1800)
        case .clockOn: now = now + .seconds(1200)
        }
        #expect((entry.lease != nil) == (entry.state == .attempting), "life \(life), \(step)")
        #expect(entry.attempts >= before.attempts && entry.attempts <= before.attempts + 1)
        #expect(entry.attempts == before.attempts || step == .begin, "life \(life), \(step)")
        if entry.retries == .bySender { #expect(entry.nextAttempt == nil, "life \(life), \(step)") }
        if entry.nextAttempt != nil { #expect(!entry.state.isFinal && entry.lease == nil) }
        #expect(entry.state.isFinal == (entry.endedAt != nil), "life \(life), \(step)")
        if before.state.isFinal {
          // What has ended begins no attempt, and only a receipt changes it.
          #expect(
            !(entry.state == .attempting || entry.state == .waiting || entry.state == .unknown))
          if entry.state != before.state { #expect([.delivered, .failed].contains(step)) }
        }
        if before.state == .delivered { #expect(entry.state == .delivered) }
        #expect(entry.state != .delivered || entry.deliveredAt != nil)
        #expect(entry.state != .handedOver || entry.handedOverAt != nil)
      }
    }
  }
}
