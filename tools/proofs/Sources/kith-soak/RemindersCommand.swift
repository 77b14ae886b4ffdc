import ArgumentParser
import EventsContract
import Glibc
import HostContract
import KithClient
import KithRPC
import KithSealing
import KithTesting
import KithTime
import KithWire
import RemindersContract

/// `tools/soak reminders`.
struct RemindersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reminders",
    abstract: "Kills the reminders worker at every step of an occurrence's life.")

  @Option(help: "How many lives, each with a death in it.") var times = 1000
  @Option(help: "What the moments are drawn from.") var seed = UInt64.random(in: 0...9999)

  /// A stage of an occurrence's life, in which the worker is killed.
  private enum Stage: String, CaseIterable {
    case create, send, `repeat`, miss, contact, done, snooze, wake
  }

  /// How a life goes, and what it is to leave in the log of events.
  private enum Life: CaseIterable {
    case answered, snoozed, late, unanswered

    var stages: [Stage] {
      switch self {
      case .answered: [.create, .send, .done]
      case .snoozed: [.create, .send, .snooze, .wake, .done]
      case .late: [.create, .send, .repeat, .miss, .done]
      case .unanswered: [.create, .send, .repeat, .miss, .contact]
      }
    }

    var events: [String] {
      switch self {
      case .answered: ["notify-0-0", "done"]
      case .snoozed: ["notify-0-0", "snoozed", "notify-1-0", "done"]
      case .late: ["notify-0-0", "notify-0-1", "notify-0-2", "missed", "done late"]
      case .unanswered: ["notify-0-0", "notify-0-1", "notify-0-2", "missed", "contact"]
      }
    }
  }

  private static let start = 1_772_000_000_000 as Int64
  /// The most steps that any stage takes; a death that was drawn later than the stage's end falls
  /// into the next.
  private static let mostSteps = 40

  func validate() throws {
    guard times > 0 else { throw ValidationError("--times is above 0") }
  }

  func run() async throws {
    print("seed                    \(seed)")
    let setup = Self.setup
    let folder = try TemporaryFolder()
    // Where the worker may write: its own folder.
    let state = "\(folder.path)/r/workers/reminders"
    try folder.makeFolder("r/workers/reminders", mode: 0o700)
    // A product whose workers have files has a key.
    try folder.makeFolder("r/keys", mode: 0o700)
    try KeyRingFile(path: "\(folder.path)/r/keys/\(KeyRingFile.name)").makeIfMissing()
    let countdown = try Countdown(path: "\(state)/countdown")
    // A worker may run what is in its plugin's folder, and nothing else.
    let programs = "\(folder.path)/plugins/p0/bin"
    try folder.write("", to: "plugins/p0/bin/.keep")
    for name in ["reminders-worker", "libKillAtStep.so"] {
      try Self.copy("\(Program.builtFolder())/\(name)", to: "\(programs)/\(name)")
    }
    let product = try await RunningProduct.start(setup(countdown.path, programs), in: folder)
    do {
      try await product.settle()
      var soak = Soaking(product: product, countdown: countdown, now: Self.start)
      var generator = SeededGenerator(seed: seed)
      var expected: [String: [String]] = [:]
      var deaths: [Stage: Int] = [:]
      for index in 0..<times {
        let life = Life.allCases[index % Life.allCases.count]
        let fatal = life.stages.randomElement(using: &generator) ?? .create
        let steps = Int.random(in: 1...Self.mostSteps, using: &generator)
        let id = try await live(life, index, fatal, steps, &soak, &deaths)
        expected[id] = life.events
      }
      countdown.set(0)
      let told = try await events(product)
      print("lives                   \(times)")
      for stage in Stage.allCases {
        print("  died at \(stage.rawValue)".padding(24) + "\(deaths[stage] ?? 0)")
      }
      let lost = expected.filter { id, events in
        !events.allSatisfy(told.byReminder[id, default: []].contains)
      }
      let other = expected.filter { told.byReminder[$0.key, default: []] != $0.value }
      let doubled = told.keys.filter { $0.value > 1 }
      print("events                  \(told.keys.count)")
      print("lost                    \(lost.count)")
      print("doubled                 \(doubled.count)")
      print("not as they should be   \(other.count)")
      for (id, events) in other.prefix(5) {
        print("    expected \(events), told \(told.byReminder[id, default: []])")
      }
      let reminders = told.byReminder.keys.filter { expected[$0] == nil }
      print("made twice              \(reminders.count)")
      try await product.stop()
      guard lost.isEmpty, doubled.isEmpty, other.isEmpty, reminders.isEmpty, !deaths.isEmpty else {
        throw ExitCode(1)
      }
    } catch {
      for name in ["kithd", "reminders"] {
        for line in (try? await product.log(of: name, last: 12)) ?? [] {
          print("\(name): \(line.text)")
        }
      }
      product.abandon()
      throw error
    }
  }

  /// Leads a reminder through its life; in one stage the worker dies, and what was being done is
  /// done again.
  private func live(
    _ life: Life, _ index: Int, _ fatal: Stage, _ steps: Int, _ soak: inout Soaking,
    _ deaths: inout [Stage: Int]
  ) async throws -> String {
    var (id, due) = ("", Int64(0))
    for stage in life.stages {
      if stage == fatal { soak.countdown.set(steps) }
      switch stage {
      case .create:
        due = soak.now + 3_600_000
        id = try await soak.create(index, due: due)
      case .send: try await soak.advance(to: due)
      case .repeat: try await soak.advance(to: due + 20 * 60_000)
      case .miss: try await soak.advance(to: due + 30 * 60_000)
      case .contact: try await soak.advance(to: due + 60 * 60_000)
      case .done: try await soak.done(id, due, index)
      case .snooze: try await soak.snooze(id, due, index)
      case .wake: try await soak.advance(to: soak.now + 10 * 60_000)
      }
      if stage == fatal {
        if soak.countdown.left <= 0 { deaths[stage, default: 0] += 1 }
        soak.countdown.set(0)
      }
    }
    return id
  }

  // MARK: What was told

  private func events(
    _ product: RunningProduct
  ) async throws -> (byReminder: [String: [String]], keys: [String: Int]) {
    var byReminder: [String: [String]] = [:]
    var keys: [String: Int] = [:]
    var count: Int64 = 0
    let client = EventsClient(product.client(of: "reminders"))
    do {
      // The stream has no end: whatever there is comes long before the deadline.
      let stream = try await client.subscribe(
        SubscribeRequest(), options: CallOptions(timeout: .seconds(10)))
      for try await page in stream {
        for event in page.events {
          count += 1
          guard event.sequence == count else {
            throw TestingError("event \(event.sequence) stands at place \(count)")
          }
          let (reminder, name) = try Self.step(event)
          byReminder[reminder, default: []].append(name)
          keys["\(reminder) \(name)", default: 0] += 1
        }
      }
    } catch let error as RPCError where error.code == .deadlineExceeded {
      return (byReminder, keys)
    }
    throw TestingError("the stream of events ended")
  }

  private static func step(_ event: Event) throws -> (reminder: String, name: String) {
    func last(_ key: String) -> String { String(key.split(separator: "/").last ?? "") }
    switch event.type {
    case ReminderSent.fullName:
      let sent = try ReminderSent(decoding: event.payload)
      return (sent.reminderId, last(sent.key))
    case ReminderMissed.fullName:
      let missed = try ReminderMissed(decoding: event.payload)
      return (missed.reminderId, last(missed.key))
    case ContactDue.fullName:
      let contact = try ContactDue(decoding: event.payload)
      return (contact.reminderId, last(contact.key))
    case ReminderDone.fullName:
      let done = try ReminderDone(decoding: event.payload)
      return (done.reminderId, done.isLate ? "done late" : "done")
    case ReminderSnoozed.fullName:
      return (try ReminderSnoozed(decoding: event.payload).reminderId, "snoozed")
    default: throw TestingError("nobody expected an event of type \(event.type)")
    }
  }

  // MARK: The product

  private static func copy(_ path: String, to other: String) throws {
    let (source, target) = (
      open(path, O_RDONLY | O_CLOEXEC), open(other, O_WRONLY | O_CREAT | O_CLOEXEC, 0o755)
    )
    defer {
      close(source)
      close(target)
    }
    guard source >= 0, target >= 0 else { throw TestingError("\(path) cannot be copied") }
    var part = [UInt8](repeating: 0, count: 1 << 20)
    while case let count = read(source, &part, part.count), count != 0 {
      guard count > 0, write(target, part, count) == count else {
        throw TestingError("\(path) cannot be copied to \(other)")
      }
    }
  }

  /// The worker as it ships, with the library that kills it in front of all others.
  private static func setup(_ countdown: String, _ folder: String) throws -> ProductSetup {
    let plugin = ProductSetup.Plugin(
      manifest: """
        plugin: reminders-that-die
        version: 1.0.0
        executable: mortal
        provides: [kith.reminders.v1.Reminders]
        overlap: true
        restart: { type: permanent, strategy: one_for_one, intensity: 1000, period: 1s, backoff: { shortest: 1ms, longest: 2ms } }
        limits: { memory: 256MiB, open_files: 256 }
        network: none
        store: { keep_events: 3650d }
        config:
          person: { type: string, default: me, doc: "Whose." }
          zone: { type: string, default: America/New_York, doc: "Where." }
          quiet_from: { type: string, default: "00:00", doc: "Never." }
          quiet_to: { type: string, default: "00:00", doc: "Never." }
          repeat_every: { type: duration, default: 10m, doc: "Again." }
          missed_after: { type: duration, default: 30m, doc: "Missed." }
          contact_after: { type: duration, default: 60m, doc: "A contact." }
          late_grace: { type: duration, default: 30m, doc: "Late." }
          active_limit: { type: int, default: 0, doc: "Any number." }

        """,
      scripts: [
        ProductSetup.Script(
          name: "mortal",
          text: """
            #!/bin/sh
            KILL_AT_STEP='\(countdown)' LD_PRELOAD='\(folder)/libKillAtStep.so' exec '\(folder)/reminders-worker' "$@"

            """)
      ])
    return ProductSetup(
      product: """
        product: soak
        title: Soak
        posture: personal
        workers:
          reminders: { plugin: reminders-that-die }

        """, plugins: [plugin]
    ).starting(at: Instant(milliseconds: Int(start)))
  }
}

/// Does what is to be done again and again until the worker has lived through it.
private struct Soaking {
  let product: RunningProduct
  let countdown: Countdown
  var now: Int64

  private func insistently<Answer>(_ body: () async throws -> Answer) async throws -> Answer {
    let end = ContinuousClock.now + RunningProduct.patience
    while true {
      do {
        return try await body()
      } catch let error as RPCError {
        // The worker died, or just dies.
        guard
          [.unavailable, .aborted, .failedPrecondition, .internal].contains(error.code),
          ContinuousClock.now < end
        else { throw error }
        try await product.settle()
      }
    }
  }

  private func options(_ key: String) throws -> CallOptions {
    CallOptions(
      timeout: .seconds(20), waitForReady: true, idempotencyKey: try IdempotencyKey(key))
  }

  private var reminders: RemindersClient { RemindersClient(product.client(of: "reminders")) }

  func create(_ index: Int, due: Int64) async throws -> String {
    let request = CreateReminderRequest(
      text: "Life \(index)",
      schedule: Schedule(
        start: "\(Zone.utc.civil(at: Instant(milliseconds: Int(due))))", zone: "UTC"))
    let options = try options("create-\(index)")
    return try await insistently {
      try await reminders.createReminder(request, options: options).id
    }
  }

  func done(_ id: String, _ due: Int64, _ index: Int) async throws {
    let options = try options("done-\(index)")
    _ = try await insistently {
      try await reminders.completeOccurrence(
        CompleteOccurrenceRequest(reminderId: id, dueMs: due), options: options)
    }
  }

  func snooze(_ id: String, _ due: Int64, _ index: Int) async throws {
    let options = try options("snooze-\(index)")
    _ = try await insistently {
      try await reminders.snoozeOccurrence(
        SnoozeOccurrenceRequest(reminderId: id, dueMs: due), options: options)
    }
  }

  /// Lets time pass; what a death has cut short is made up for.
  mutating func advance(to end: Int64) async throws {
    while now < end {
      let before = now
      now = try await insistently { [product, before] in
        let shown = try await product.host.getClock(GetClockRequest()).wallMs
        let left = end - max(shown, before)
        if left <= 0, shown > before { return shown }
        return try await product.host.moveClock(
          MoveClockRequest(move: .advanceMs(max(left, 0))),
          options: CallOptions(timeout: .seconds(20))
        ).wallMs
      }
    }
  }
}

extension String {
  fileprivate func padding(_ width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
