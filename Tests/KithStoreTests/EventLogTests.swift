import GRDB
import KithAccess
import KithTesting
import KithWire
import TestingContract
import Testing

@testable import KithStore

/// What a store tells of its changes.
@Suite(.timeLimit(.minutes(2)))
struct EventLogTests {
  private struct Failure: Error {}

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Appends numbered events, a millisecond apart from `begin` on.
  private func append(
    _ numbers: Range<UInt64>, to store: Store, about user: UserID? = nil, from begin: Int64 = 0,
    padding: Int = 0
  ) async throws {
    try await store.write { transaction in
      for number in numbers {
        let payload = Numbered(number: number, padding: [UInt8](repeating: 7, count: padding))
        try transaction.append(payload, about: user, at: begin + Int64(number))
      }
    }
  }

  private func events(
    of store: Store, after position: EventPosition = EventPosition(), types: Set<String> = [],
    limit: Int = 256
  ) async throws -> EventPage {
    try await store.read { try $0.events(after: position, ofTypes: types, limit: limit) }
  }

  @Test func anEventStandsAndFallsWithItsTransaction() async throws {
    let store = try folder.store()
    try await append(0..<2, to: store)
    await #expect(throws: Failure.self) {
      try await store.write { transaction in
        try transaction.append(Numbered(number: 9), about: nil, at: 9)
        throw Failure()
      }
    }
    try await append(2..<3, to: store)
    let page = try await events(of: store)
    // No number is missing, so that one who misses a number has missed an event.
    #expect(page.events.map(\.sequence) == [1, 2, 3])
    let numbers = try page.events.map { try Numbered(decoding: $0.payload).number }
    #expect(numbers == [0, 1, 2])
    #expect(page.events[0].type == "kith.testing.v1.Numbered" && page.events[2].atMilliseconds == 2)
    #expect(page.lost == nil && page.position.sequence == 3)
  }

  @Test func whatIsAboutAPersonIsSealed() async throws {
    let store = try folder.store()
    let text = AppendRequest(entry: "Lovelace")
    try await store.write { transaction in
      try transaction.append(text, about: .ada, at: 1, traceparent: "00-ab-cd-01")
    }
    let page = try await events(of: store)
    let read = try AppendRequest(decoding: page.events[0].payload)
    #expect(
      read == text && page.events[0].user == .ada && page.events[0].traceparent == "00-ab-cd-01")
    for name in TemporaryFolder.names(in: folder.path) {
      let text = TemporaryFolder.text(of: "\(folder.path)/\(name)") ?? ""
      #expect(!text.contains("Lovelace"), "\(name)")
    }
    // Moved to another's row it does not open.
    try await append(1..<2, to: store, about: .bob)
    try await store.write { transaction in
      try transaction.database.execute(
        sql: """
          UPDATE kith_event SET payload_sealed =
            (SELECT payload_sealed FROM kith_event WHERE sequence = 1) WHERE sequence = 2
          """)
    }
    let moved = try await events(of: store, after: page.position)
    #expect(moved.events.isEmpty && moved.lost == LostEvents(reason: .damaged, from: 2, to: 2))
  }

  @Test func pagesFollowEachOtherAndLeaveOutWhatIsNotWanted() async throws {
    let store = try folder.store()
    try await append(0..<10, to: store)
    try await store.write { try $0.append(AppendRequest(entry: "x"), about: nil, at: 10) }
    try await append(11..<20, to: store)
    var position = EventPosition()
    var seen: [Int64] = []
    while true {
      let page = try await events(of: store, after: position, limit: 3)
      if page.events.isEmpty { break }
      seen += page.events.map(\.sequence)
      position = page.position
    }
    #expect(seen == Array(1...20))
    let wanted = try await events(of: store, types: ["kith.testing.v1.AppendRequest"])
    #expect(wanted.events.map(\.sequence) == [11] && wanted.position.sequence == 20)
  }

  @Test func whatIsTooOldOrTooMuchGoesAndTheConsumerIsTold() async throws {
    let store = try folder.store(events: EventRetention(age: .milliseconds(1_500), bytes: 1 << 20))
    // Ages are told by the newest; the oldest go as others come.
    try await append(0..<256, to: store)
    let begin = try await events(of: store, limit: 1)
    #expect(begin.lost == nil && begin.events[0].sequence == 1)
    try await append(256..<512, to: store, from: 10_000)
    let position = EventPosition(log: begin.position.log, sequence: 3)
    let page = try await events(of: store, after: position)
    #expect(page.lost == LostEvents(reason: .retention, from: 4, to: 256))
    #expect(page.events.first?.sequence == 257)
    // One who has seen nothing has lost nothing.
    let new = try await events(of: store)
    #expect(new.lost == nil && new.events == page.events)
    // Nor has one who had seen all that went.
    let upToDate = try await events(
      of: store, after: EventPosition(log: position.log, sequence: 256))
    #expect(upToDate.lost == nil && upToDate.events == page.events)
  }

  @Test func theLogKeepsToItsSize() async throws {
    let store = try folder.store(events: EventRetention(bytes: 100_000))
    for round in 0..<20 {
      let first = UInt64(round * 256)
      try await append(first..<first + 256, to: store, padding: 1_000)
    }
    let (kept, bytes, last) = try await store.read { transaction in
      let row = try Row.fetchOne(
        transaction.database,
        sql: "SELECT count(*), sum(length(payload)), max(sequence) FROM kith_event")
      return (row?[0] as Int? ?? 0, row?[1] as Int? ?? 0, row?[2] as Int? ?? 0)
    }
    #expect(last == 5_120)
    #expect(bytes <= 100_000 && kept >= 95, "\(kept) events of \(bytes) bytes")
    // The newest is kept, however large it is.
    try await append(6_000..<6_001, to: store, padding: 200_000)
    while try await store.write({ try $0.trimEvents(now: 0) }) > 0 {}
    let page = try await events(of: store)
    #expect(page.events.map(\.sequence) == [5_121])
  }

  @Test func whatLiesBetweenTwoDamagedEventsAndIsNotWantedIsNotToldAsLost() async throws {
    let store = try folder.store()
    try await append(0..<5, to: store, about: .ada)
    try await store.write {
      try $0.database.execute(
        sql: """
          UPDATE kith_event SET type = 'other' WHERE sequence IN (2, 5);
          UPDATE kith_event SET payload_sealed = x'0100' WHERE sequence IN (1, 3, 4);
          """)
    }
    let wanted: Set<String> = ["kith.testing.v1.Numbered"]
    let first = try await events(of: store, types: wanted)
    #expect(first.lost == LostEvents(reason: .damaged, from: 1, to: 1))
    let second = try await events(of: store, after: first.position, types: wanted)
    #expect(second.lost == LostEvents(reason: .damaged, from: 3, to: 4))
  }

  @Test func damagedEventsAreToldAsLostAndTheOthersComeInOrder() async throws {
    let store = try folder.store()
    try await append(0..<10, to: store, about: .ada)
    try await store.write {
      try $0.database.execute(
        sql: "UPDATE kith_event SET payload_sealed = x'0100' WHERE sequence IN (1, 4, 5, 7)")
    }
    var pages: [EventPage] = []
    var position = EventPosition()
    repeat {
      pages.append(try await events(of: store, after: position))
      position = pages[pages.count - 1].position
    } while position.sequence < 10
    func lost(_ from: Int64, _ to: Int64) -> LostEvents {
      LostEvents(reason: .damaged, from: from, to: to)
    }
    #expect(pages.map(\.lost) == [lost(1, 1), lost(4, 5), lost(7, 7)])
    #expect(pages.map { $0.events.map(\.sequence) } == [[2, 3], [6], [8, 9, 10]])
    #expect(pages.map(\.position.sequence) == [3, 6, 10])
    #expect(store.damagedValues.counts == ["kith_event.payload_sealed": 4])
    // One who has seen the first is told of nothing before there is something.
    let second = try await events(
      of: store, after: EventPosition(log: position.log, sequence: 1))
    #expect(second.lost == nil && second.events.map(\.sequence) == [2, 3])
    // A page that begins with another loss tells of that first.
    let other = try await events(of: store, after: EventPosition(log: "another", sequence: 3))
    #expect(other.lost?.reason == .otherLog && other.events.isEmpty)
    let next = try await events(of: store, after: other.position)
    #expect(next.lost == lost(1, 1) && next.events.map(\.sequence) == [2, 3])
    // Nobody who does not want them is told of them.
    let none = try await events(of: store, types: ["kith.testing.v1.Other"])
    #expect(none.lost == nil && none.position.sequence == 10)
  }

  @Test func anotherLogIsNoticed() async throws {
    let store = try folder.store()
    try await append(0..<5, to: store)
    let page = try await events(of: store, after: EventPosition(log: "another", sequence: 3))
    #expect(page.lost == LostEvents(reason: .otherLog, from: 1, to: 0))
    #expect(page.events.map(\.sequence) == Array(1...5))
    let next = try await events(of: store, after: page.position)
    #expect(next.lost == nil && next.events.isEmpty)
  }

  @Test func anEventOfExactlyTheAgeOrSizeThatIsKeptIsKept() async throws {
    let store = try folder.store(events: EventRetention(age: .seconds(10), bytes: 100))
    // Ages in seconds: 11, 10 and 0.
    try await store.write { transaction in
      for at: Int64 in [9_000, 10_000, 20_000] {
        try transaction.append(Numbered(), about: nil, at: at)
      }
    }
    _ = try await store.write { try $0.trimEvents(now: 20_000) }
    #expect(try await events(of: store).events.map(\.sequence) == [2, 3])
    // A hundred bytes fit, a hundred and one do not.
    let sized = Numbered(number: 0, padding: [UInt8](repeating: 7, count: 48))
    #expect(try sized.encoded().count == 50)
    try await store.write { transaction in
      for _ in 0..<2 { try transaction.append(sized, about: nil, at: 20_000) }
    }
    _ = try await store.write { try $0.trimEvents(now: 20_000) }
    #expect(try await events(of: store).events.map(\.sequence) == [2, 3, 4, 5])
    try await store.write { try $0.append(Numbered(number: 1), about: nil, at: 20_000) }
    _ = try await store.write { try $0.trimEvents(now: 20_000) }
    #expect(try await events(of: store).events.map(\.sequence) == [5, 6])
  }
}
