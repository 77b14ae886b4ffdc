import AlertsContract
import FallsContract
import Glibc
import KithRPC
import KithTesting
import KithTime
import Testing

/// What three workers promise together, whatever is killed when: a fall that nobody answers reaches
/// a contact, nobody is told twice for one step, and nothing is sent after an acknowledgement.
@Suite struct FallKillTests {
  /// How many people fall in one product: `KITH_TEST_FALLS=1000` for the long run.
  private static let falls = getenv("KITH_TEST_FALLS").flatMap { Int(String(cString: $0)) } ?? 24
  /// How many of them at once.
  private static let group = 24

  private static var setup: ProductSetup {
    let restart =
      "restart: { intensity: 1000, period: 1s, backoff: { shortest: 1ms, longest: 5ms } }"
    return ProductSetup(
      product: """
        product: falling
        title: Falling
        posture: personal
        workers:
          fall-detector: { \(restart) }
          family-alerts: { \(restart) }
          delivery: { \(restart) }

        """
    ).starting(at: Instant("2026-11-21T12:00:00Z"))
  }

  @Test func everyFallReachesItsContactAndNobodyTwice() async throws {
    try await ProductOverHosts.run(Self.setup) { hosts in
      try await hosts.product.settle()
      let seed = hosts.product.seed.number
      let outbox = Outbox(of: hosts.product)
      var kills = 0
      for first in stride(from: 0, to: Self.falls, by: Self.group) {
        let people = Array(first..<min(first + Self.group, Self.falls))
        kills += try await FallTrial(hosts: hosts, outbox: outbox, people: people).run(
          seed: seed &+ UInt64(first))
        try await hosts.product.settle()
        try await check(hosts.product, outbox, people, seed)
        print("\(people.count) falls more, \(kills) workers and \(hosts.deaths) hosts killed")
      }
      #expect(kills > 0)
    }
  }

  private func check(
    _ product: RunningProduct, _ outbox: Outbox, _ people: [Int], _ seed: UInt64
  ) async throws {
    let alerted = try await product.events(FallAlerted.self, of: "fall-detector")
    let raised = try await product.events(IncidentRaised.self, of: "family-alerts")
    let steps = try await product.events(StepEnded.self, of: "family-alerts")
    let answered = try await product.events(IncidentAcknowledged.self, of: "family-alerts")
    let nobody = try await product.events(NobodyReached.self, of: "family-alerts")
    let mails = outbox.mails()
    for person in people {
      let course = FallTrial.course(person)
      let user = FallTrial.user(person)
      let isAlerted = course == .fine ? 0 : 1
      let told = "\(user), \(course), seed \(seed)"
      #expect(alerted.count { $0.user == user } == isAlerted, "\(told)")
      #expect(raised.count { $0.user == user } == isAlerted, "\(told)")
      #expect(
        answered.count { $0.user == user } == ([.first, .second].contains(course) ? 1 : 0),
        "\(told)")
      #expect(nobody.count { $0.user == user } == (course == .nobody ? 1 : 0), "\(told)")

      let sent = steps.filter { $0.user == user }.compactMap(\.message.step)
        .filter { $0.state == .sent }
      #expect(Set(sent.map(\.number)).count == sent.count, "a step was told twice: \(told)")
      if let at = answered.first(where: { $0.user == user })?.message.atMs {
        let late = sent.filter { $0.purpose == .alert && ($0.sentAtMs ?? 0) > at }
        #expect(late.isEmpty, "sent after the acknowledgement: \(told)")
      }
      // A mail for each step that was sent. One more may have been on its way when somebody
      // acknowledged: its worker was killed before it could say so.
      let received = (1...2).map { contact in
        mails.count { $0.recipient == FallTrial.address(person, contact) }
      }
      let onTheirWay = answered.count { $0.user == user }
      #expect(
        (sent.count...sent.count + onTheirWay).contains(received.reduce(0, +)),
        "\(received) of \(sent.count): \(told)")
      switch course {
      case .fine: #expect(received == [0, 0], "\(told)")
      case .first: #expect(received == [2, 0], "the alert and the all-clear: \(told)")
      case .second: #expect(received.allSatisfy { $0 >= 2 }, "\(received) \(told)")
      case .nobody: #expect(received.allSatisfy { $0 >= 2 }, "\(received) \(told)")
      }
    }
  }
}
