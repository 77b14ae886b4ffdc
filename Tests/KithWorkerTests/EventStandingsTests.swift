import EventsContract
import Testing
import WorkerContract

@testable import KithWorker

/// What a worker tells of its consumers.
@Suite struct EventStandingsTests {
  @Test func aConsumerThatHasComeFurtherIsInNoTroubleAnyMore() {
    let standings = EventStandings()
    standings.follows("test.Events", as: "digest")
    standings.trouble("the event cannot be read", consumer: "digest")
    #expect(standings.consumers.map(\.trouble) == ["the event cannot be read"])
    standings.reached(Position(log: "a", sequence: 3), consumer: "digest")
    #expect(standings.consumers.map(\.trouble) == [""])
    #expect(standings.consumers.map(\.position) == [Position(log: "a", sequence: 3)])
  }

  @Test func whoDoesNotFollowTellsOfNothing() {
    let standings = EventStandings()
    standings.follows("test.Events", as: "digest")
    standings.reached(Position(log: "a", sequence: 3), consumer: "another")
    standings.trouble("no", consumer: "another")
    #expect(standings.consumers.map(\.service) == ["test.Events"])
    #expect(standings.consumers.map(\.position) == [nil] && standings.consumers[0].trouble.isEmpty)
  }
}
