import DeliveryDomain
import Synchronization

/// How many attempts are made at each provider at once, who is next, and one after the other where
/// messages keep their order.
final class ProviderGate: Sendable {
  fileprivate struct Lane {
    var free: Int
    var queue = FairQueue<UInt64>()
  }

  fileprivate struct State {
    var lanes: [String: Lane] = [:]
    /// Those with the same key wait for each other, in the order in which they came.
    var turns: [String: [UInt64]] = [:]
    var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
    var next: UInt64 = 1
    var most: Int
  }

  private let state: Mutex<State>

  /// - Parameter most: the most attempts at one provider at once.
  init(most: Int) { state = Mutex(State(most: most)) }

  /// Runs the body when it is its turn.
  /// - Parameters:
  ///   - lane: the provider.
  ///   - rank: the higher the sooner.
  ///   - person: whose turn it takes.
  ///   - order: what it shares with those that it waits for; nil for none.
  func pass<Value: Sendable>(
    lane: String, rank: Int, person: String, order: String?,
    _ body: @Sendable () async throws -> Value
  ) async rethrows -> Value {
    if let order { await waitForTurn(order) }
    await waitForPlace(lane, rank, person)
    defer { leave(lane, order) }
    return try await body()
  }

  private func waitForTurn(_ order: String) async {
    await withCheckedContinuation { continuation in
      let isFirst = state.withLock { state in
        let ticket = state.ticket()
        state.turns[order, default: []].append(ticket)
        guard state.turns[order]?.count != 1 else { return true }
        state.waiting[ticket] = continuation
        return false
      }
      if isFirst { continuation.resume() }
    }
  }

  private func waitForPlace(_ lane: String, _ rank: Int, _ person: String) async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        var found = state.lanes[lane] ?? Lane(free: state.most)
        defer { state.lanes[lane] = found }
        if found.free > 0 {
          found.free -= 1
          return true
        }
        let ticket = state.ticket()
        found.queue.add(ticket, rank: rank, person: person)
        state.waiting[ticket] = continuation
        return false
      }
      if isFree { continuation.resume() }
    }
  }

  private func leave(_ lane: String, _ order: String?) {
    let (place, turn) = state.withLock { state in
      var turn: CheckedContinuation<Void, Never>?
      if let order, var tickets = state.turns[order] {
        tickets.removeFirst()
        state.turns[order] = tickets.isEmpty ? nil : tickets
        turn = tickets.first.flatMap { state.waiting.removeValue(forKey: $0) }
      }
      // The place goes to the next, or becomes free.
      guard let next = state.lanes[lane]?.queue.next() else {
        state.lanes[lane]?.free += 1
        return (nil as CheckedContinuation<Void, Never>?, turn)
      }
      return (state.waiting.removeValue(forKey: next), turn)
    }
    place?.resume()
    turn?.resume()
  }
}

extension ProviderGate.State {
  fileprivate mutating func ticket() -> UInt64 {
    defer { next += 1 }
    return next
  }
}
