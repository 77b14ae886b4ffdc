import AlertsContract
import FallsContract
import HostContract
import KithRPC
import KithTesting
import KithTime
import SupervisionSimulation
import Testing

/// Falls of several people and what becomes of each, while the workers that look after them are
/// killed at random moments.
struct FallTrial {
  /// What becomes of a fall.
  enum Course: Int, CaseIterable {
    /// Its wearer answers in time.
    case fine
    /// The first contact answers, then the wearer.
    case first
    /// The second contact answers, then the wearer.
    case second
    /// Nobody answers.
    case nobody
  }

  /// The workers that are killed.
  static let workers = ["fall-detector", "family-alerts", "delivery"]

  let hosts: ProductOverHosts
  let outbox: Outbox
  let people: [Int]

  /// The course of a person's fall.
  static func course(_ person: Int) -> Course { Course.allCases[person % Course.allCases.count] }
  /// A person's id.
  static func user(_ person: Int) -> String { "person-\(person)" }
  /// The address of one of a person's two contacts.
  static func address(_ person: Int, _ contact: Int) -> String {
    "<\(user(person))-\(contact)@example.com>"
  }

  private var product: RunningProduct { hosts.product }
  private var falls: FallDetectorClient {
    FallDetectorClient(product.client(of: "fall-detector"))
  }
  private var alerts: AlertsClient { AlertsClient(product.client(of: "family-alerts")) }
  private var contacts: ContactsClient { ContactsClient(product.client(of: "family-alerts")) }
  private var options: CallOptions { CallOptions(timeout: .seconds(10), waitForReady: true) }

  /// Leads all of them through their courses; returns how often a worker was killed.
  func run(seed: UInt64) async throws -> Int {
    let killing = Task { [hosts] in try await Self.kill(in: hosts, seed: seed) }
    do {
      try await begin()
      try await end()
    } catch {
      killing.cancel()
      _ = await killing.result
      throw error
    }
    killing.cancel()
    return try await killing.value
  }

  private static func kill(in hosts: ProductOverHosts, seed: UInt64) async throws -> Int {
    var dice = Dice(seed: seed)
    var kills = 0
    while true {
      try? await Task.sleep(for: .milliseconds(Int.random(in: 50...400, using: &dice)))
      let choice = Int.random(in: 0..<workers.count * 6, using: &dice)
      guard !Task.isCancelled else { return kills }
      if choice == 0 {
        // In a task of its own: one that is cancelled would leave the product without a host.
        try await Task { try await hosts.replaceHost() }.value
      } else if (try? await hosts.product.kill(workers[choice % workers.count])) != nil {
        kills += 1
      }
    }
  }

  private func begin() async throws {
    for person in people {
      for contact in 1...2 {
        let request = AddContactRequest(
          userId: Self.user(person), name: "Contact \(contact)",
          email: String(Self.address(person, contact).dropFirst().dropLast()),
          priority: UInt32(contact), hasConsented: true)
        try await insistently { _ = try await contacts.addContact(request, options: options) }
      }
      let report = ReportRequest(
        userId: Self.user(person), eventId: "fall-\(person)", type: .fallCandidate)
      try await insistently { _ = try await falls.report(report, options: options) }
      if Self.course(person) == .fine { try await answer(person) }
    }
    try await advance(by: .seconds(61))
  }

  private func end() async throws {
    func token(_ person: Int, _ contact: Int) -> String? {
      outbox.mails().first { $0.recipient == Self.address(person, contact) && !$0.token.isEmpty }?
        .token
    }
    for (contact, course) in [(1, Course.first), (2, .second)] {
      for person in people where Self.course(person) == course {
        // What a killed worker had begun is taken over when its lease has ended.
        for _ in 0..<60 where token(person, contact) == nil {
          try await advance(by: .seconds(10))
        }
        let request = AcknowledgeRequest(token: try #require(token(person, contact)))
        try await insistently { _ = try await alerts.acknowledge(request, options: options) }
        try await answer(person)
      }
    }
    for _ in 0..<80 { try await advance(by: .seconds(60)) }
  }

  private func answer(_ person: Int) async throws {
    let request = AnswerRequest(userId: Self.user(person), answer: .ok)
    try await insistently { _ = try await falls.answer(request, options: options) }
  }

  // MARK: Over deaths

  /// Does something again until no death of a worker is in its way.
  private func insistently<Value>(_ body: () async throws -> Value) async throws -> Value {
    let end = ContinuousClock.now + RunningProduct.patience
    while true {
      do {
        return try await body()
      } catch let error as RPCError
        where [.unavailable, .aborted, .failedPrecondition, .internal, .deadlineExceeded].contains(
          error.code)
        && ContinuousClock.now < end
      {
        try await Task.sleep(for: .milliseconds(10))
      }
    }
  }

  /// Lets time pass; what a death has cut short is made up for.
  private func advance(by duration: Duration) async throws {
    let end = try await insistently { try await product.clock.now } + duration
    try await insistently {
      let left = end - (try await product.clock.now)
      guard left > .zero else { return }
      _ = try await product.clock.advance(by: left)
    }
  }
}
