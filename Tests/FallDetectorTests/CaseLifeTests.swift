import FallDetectorDomain
import KithTime
import Testing

/// The life of a case, and what holds in every one.
@Suite struct CaseLifeTests {
  private let policy = CasePolicy()

  private func at(_ seconds: Double, wall: Double? = nil, boot: String = "one") -> ClockReading {
    ClockReading(
      wall: Instant(milliseconds: Int(((wall ?? seconds) + 100_000) * 1000)),
      sinceBoot: .milliseconds(Int64(seconds * 1000)), boot: boot)
  }

  private func open(_ trigger: CaseTrigger = .candidate) -> CaseLife {
    CaseLife.opened(by: trigger, at: at(0), policy: policy).life
  }

  @Test func aCandidateAsksAndSilenceAlerts() {
    var (life, events) = CaseLife.opened(by: .candidate, at: at(0), policy: policy)
    #expect(events == [.suspected])
    #expect(life.nextDue(at: at(10)) == Instant(milliseconds: 100_060_000))
    #expect(life.advance(to: at(59.999)).isEmpty)
    #expect(life.advance(to: at(60)) == [.alerted(.noAnswer)])
    #expect(life.advance(to: at(61)).isEmpty && life.progress.state == .alerted)
  }

  /// Edge case 14.
  @Test func case14AnAnswerJustBeforeTheDeadlineAndOneJustAfterHaveOneOutcomeEach() {
    var early = open()
    #expect(
      early.end(by: "ada", because: "ok", at: at(59.9)) == [.resolved(.wearerOK, wasAlerted: false)]
    )
    #expect(early.advance(to: at(61)).isEmpty)
    // The timer is late; the deadline is not.
    var late = open()
    #expect(
      late.end(by: "ada", because: "ok", at: at(60.1))
        == [.alerted(.noAnswer), .resolved(.allClear, wasAlerted: true)])
    #expect(late.advance(to: at(61)).isEmpty)
  }

  @Test(arguments: [(CaseTrigger.confirmed, AlertCause.deviceConfirmed), (.help, .needHelp)])
  func whatIsCertainAlertsAtOnce(_ trigger: CaseTrigger, _ cause: AlertCause) {
    #expect(
      CaseLife.opened(by: trigger, at: at(0), policy: policy).events == [.alerted(cause)])
    var life = open()
    #expect(life.join(trigger, at: at(5)) == [.alerted(cause)])
    #expect(life.join(trigger, at: at(6)).isEmpty)
  }

  @Test func anAlertThatNobodyClosesExpires() {
    var life = open(.confirmed)
    #expect(life.advance(to: at(86_399)).isEmpty)
    #expect(life.advance(to: at(86_400)) == [.resolved(.expired, wasAlerted: true)])
    #expect(!life.isResting(at: at(86_401)))
  }

  @Test func recoveryEndsACaseBeforeTheAlertAndNotAfter() {
    var life = open()
    #expect(
      life.recover(because: "moved", at: at(30)) == [.resolved(.recovered, wasAlerted: false)])
    #expect(life.progress.resolutionReason == "moved" && !life.isResting(at: at(31)))
    var alerted = open(.confirmed)
    #expect(alerted.recover(because: "moved", at: at(30)).isEmpty && alerted.isOpen)
  }

  @Test func aFurtherFallAfterAnAcknowledgedAlertIsAnother() {
    var life = open(.confirmed)
    #expect(life.takesIn(at: at(300)) && !life.takesIn(at: at(601)))
    life.acknowledge(by: "c1", at: Instant(seconds: 1))
    life.acknowledge(by: "c2", at: Instant(seconds: 2))
    #expect(life.progress.acknowledgedBy == "c1")
    #expect(!life.takesIn(at: at(10)))
  }

  @Test func somebodyWhoClosedItIsLeftInPeaceForAWhile() {
    var life = open()
    _ = life.end(by: "", because: "ok", at: at(10))
    #expect(life.isResting(at: at(129.9)) && !life.isResting(at: at(130)))
    // Also when the wall clock is set.
    #expect(life.isResting(at: at(129.9, wall: 10_000)))
  }

  // MARK: Random sequences

  /// Whatever happens in whatever order, with clocks that are set and machines that are started
  /// anew: contacts are told at most once, always by the deadline, and never after the case was
  /// closed; a case is closed once, and its events tell of all of it.
  @Test(arguments: 0..<40)
  func whateverHappensContactsAreToldOnceAndInTime(_ seed: UInt64) {
    var dice = SeededGenerator(seed: seed)
    for _ in 0..<50 { playOneLife(&dice) }
  }

  private func playOneLife(_ dice: inout SeededGenerator) {
    var (seconds, wall, boot, offset) = (0.0, 0.0, 0, 0.0)
    var reading: ClockReading { at(seconds - offset, wall: wall, boot: "boot \(boot)") }
    let trigger = CaseTrigger.allCases.randomElement(using: &dice) ?? .candidate
    var (life, events) = CaseLife.opened(by: trigger, at: reading, policy: policy)
    var isCertain = trigger != .candidate
    for _ in 0..<Int.random(in: 1...30, using: &dice) {
      let step = Double(Int.random(in: 0...20_000, using: &dice)) / 1000
      (seconds, wall) = (seconds + step, wall + step)
      let before = life
      var new: [CaseEvent] = []
      switch Int.random(in: 0...9, using: &dice) {
      case 0: new = life.join(.candidate, at: reading)
      case 1:
        isCertain = true
        new = life.join(.confirmed, at: reading)
      case 2:
        isCertain = true
        new = life.join(.help, at: reading)
      case 3: new = life.end(by: "ada", because: "ok", at: reading)
      case 4: new = life.recover(because: "moved", at: reading)
      case 5: life.acknowledge(by: "c", at: reading.wall)
      case 6: wall += Double(Int.random(in: -7_200...7_200, using: &dice))
      case 7:
        // A reboot; the wall clock goes on over it.
        life.move(to: reading)
        (boot, offset) = (boot + 1, seconds)
        life.move(to: reading)
      default: break
      }
      new += life.advance(to: reading)
      events += new
      if !before.isOpen {
        #expect(new.isEmpty && life.progress.state == .closed)
        #expect(life.progress.resolution == before.progress.resolution)
      }
      // Nobody waits longer than the minute, and nobody is told earlier without a reason.
      if life.progress.state == .awaitingConfirmation { #expect(seconds < 60) }
      if life.progress.cause == .noAnswer { #expect(seconds >= 60) }
      if let cause = life.progress.cause, cause != .noAnswer { #expect(isCertain) }
    }
    let alerts = events.count { $0.isAlert }
    let ends = events.count { $0.isEnd }
    #expect(alerts <= 1 && ends <= 1)
    #expect((alerts == 1) == (life.progress.alertedAt != nil))
    #expect((ends == 1) == (life.progress.state == .closed))
    if case .resolved(let resolution, let wasAlerted)? = events.last(where: \.isEnd) {
      #expect(wasAlerted == (alerts == 1))
      #expect(wasAlerted == (resolution == .allClear || resolution == .expired))
      // Nothing follows the end.
      #expect(events.last?.isEnd == true)
    }
  }
}

extension CaseEvent {
  fileprivate var isAlert: Bool { if case .alerted = self { true } else { false } }
  fileprivate var isEnd: Bool { if case .resolved = self { true } else { false } }
}
