import BenchmarkKit
import EventsContract
import KithRPC
import KithSealing
import KithStore
import KithTransportNng
import KithWorkerStore
import Synchronization
import TestingContract

/// From an event's append in one store to its effect in another, over a unix socket as between two
/// workers.
struct EventBenchmark {
  let folder: String
  let duration: Duration

  /// What became of one event, counted from before its append was asked for.
  private struct Times {
    var appended: [Double] = []
    var received: [Double] = []
    var taken: [Double] = []
  }

  func run() async throws {
    let producer = try store("producer")
    let consumer = try store("consumer")
    let address = "ipc://\(folder)/events.sock"
    let server = RPCServer(services: [.events(EventsService(store: producer))])
    try server.start(on: NngListener(address: address))
    let client = RPCClient(connector: NngConnector(address: address))
    defer {
      client.close()
      server.close()
    }

    let clock = ContinuousClock()
    let (received, notice) = AsyncStream<(Int64, ContinuousClock.Instant)>.makeStream()
    let following = Task {
      await EventConsumer("bench", of: client, in: consumer).run(lost: { _, _ in }) {
        event, transaction in
        notice.yield((event.atMilliseconds, clock.now))
        try transaction.execute("INSERT INTO taken (number) VALUES (\(event.atMilliseconds))")
      }
    }
    var arrivals = received.makeAsyncIterator()
    var times = Times()
    let end = clock.now + duration
    var number: Int64 = 0
    while clock.now < end {
      let id = number
      let begin = clock.now
      try await producer.write { transaction in
        try transaction.append(
          Numbered(number: UInt64(id), padding: [UInt8](repeating: 1, count: 200)),
          about: nil, at: id)
      }
      let appended = clock.now
      guard let (arrived, at) = await arrivals.next(), arrived == id else {
        throw BenchmarkError("event \(id) did not come")
      }
      while try await consumer.read({ try $0.eventPosition(of: "bench") }).sequence < id + 1 {}
      let taken = clock.now
      times.appended.append((appended - begin) / .microseconds(1))
      times.received.append((at - begin) / .microseconds(1))
      times.taken.append((taken - begin) / .microseconds(1))
      number += 1
      // As they come in a product: apart, so that each finds everybody asleep.
      try await clock.sleep(for: .milliseconds(2))
    }
    following.cancel()
    await following.value

    print("One event at a time, from before its append was asked for, over a unix socket:\n")
    var table = Table("until", "p50 ms", "p99 ms", "floor of p50", "")
    let floor = Floor.below(2)
    for (what, values) in [
      ("it is durable in the producer's store", times.appended),
      ("the consumer has it in hand", times.received),
      ("its effect is durable in the consumer's store", times.taken),
    ] {
      let sorted = values.sorted()
      let (middle, high) = (sorted.percentile(50) / 1_000, sorted.percentile(99) / 1_000)
      let isAsked = what.hasPrefix("the consumer")
      table.add(
        what, middle.formatted(decimals: 2), high.formatted(decimals: 2),
        isAsked ? floor.text : "", isAsked ? floor.cells(for: middle)[1] : "")
    }
    print(table.text + "\n\(Double(number).formatted()) events.\n")
  }

  private func store(_ name: String) throws -> Store {
    let file = KeyRingFile(path: "\(folder)/\(KeyRingFile.name)")
    try file.makeIfMissing()
    let step = Store.Migration("1", creating: [Store.Table("taken", [.integer("number")])])
    return try Store(
      path: "\(folder)/\(name).sqlite", keys: try SealingKeys(file: file, worker: name),
      migrations: [step])
  }
}
