/// Who is next where few may do something at once: the more urgent first, and among equals each
/// person in turn, so that a person with a thousand messages holds up nobody with one.
public struct FairQueue<Ticket: Hashable & Sendable>: Sendable {
  /// What waits in one urgency: people in turn, and the tickets of each in order.
  private struct Rank {
    var turns: [String] = []
    var tickets: [String: [Ticket]] = [:]
  }

  private var ranks: [Int: Rank] = [:]
  /// How many tickets wait.
  public private(set) var count = 0

  /// An empty queue.
  public init() {}

  /// Adds a ticket.
  /// - Parameters:
  ///   - rank: the higher the sooner.
  ///   - person: whose turn it takes.
  public mutating func add(_ ticket: Ticket, rank: Int, person: String) {
    var waiting = ranks[rank] ?? Rank()
    if waiting.tickets[person] == nil { waiting.turns.append(person) }
    waiting.tickets[person, default: []].append(ticket)
    ranks[rank] = waiting
    count += 1
  }

  /// Takes the next ticket; nil when none waits.
  public mutating func next() -> Ticket? {
    guard let rank = ranks.keys.max(), var waiting = ranks[rank] else { return nil }
    let person = waiting.turns.removeFirst()
    var tickets = waiting.tickets.removeValue(forKey: person) ?? []
    let ticket = tickets.removeFirst()
    if !tickets.isEmpty {
      waiting.tickets[person] = tickets
      waiting.turns.append(person)
    }
    ranks[rank] = waiting.turns.isEmpty ? nil : waiting
    count -= 1
    return ticket
  }
}
