import DequeModule

/// The sending half of a stream: lets items pass while there is credit and keeps the others, in
/// order, until there is more. A value.
struct CreditGate<Item: Sendable>: Sendable {
  private struct Parked: Sendable {
    var ticket: UInt64
    var item: Item
    var size: Int
  }

  /// Nil where the receiver knows no credit: all passes.
  private var credit: Credit?
  private var parked = Deque<Parked>()
  private var lastTicket: UInt64 = 0

  /// A gate with `credit` to begin with, or without end.
  init(credit: Credit?) { self.credit = credit }

  /// Whether nothing is kept.
  var isEmpty: Bool { parked.isEmpty }

  /// Offers an item of so many bytes. Answers nil when it passes, and otherwise the ticket by which
  /// it can be withdrawn.
  mutating func offer(_ item: Item, size: Int) -> UInt64? {
    if parked.isEmpty, pass(size) { return nil }
    lastTicket += 1
    parked.append(Parked(ticket: lastTicket, item: item, size: size))
    return lastTicket
  }

  /// The receiver grants more: answers the items that pass now, in the order in which they were
  /// offered.
  mutating func grant(_ more: Credit) -> [Item] {
    credit?.add(more)
    var passing: [Item] = []
    while let next = parked.first, pass(next.size) {
      passing.append(next.item)
      parked.removeFirst()
    }
    return passing
  }

  /// Sets the credit anew, where the sender keeps count for a receiver that knows none: answers the
  /// items that pass now.
  mutating func refill(to full: Credit) -> [Item] {
    credit = full
    return grant(Credit(messages: 0, bytes: 0))
  }

  /// Takes an item back; nil when it has passed.
  mutating func withdraw(_ ticket: UInt64) -> Item? {
    guard let index = parked.firstIndex(where: { $0.ticket == ticket }) else { return nil }
    return parked.remove(at: index).item
  }

  /// Takes all items back: none will pass any more.
  mutating func close() -> [Item] {
    defer { parked.removeAll() }
    return parked.map(\.item)
  }

  private mutating func pass(_ size: Int) -> Bool {
    guard let credit else { return true }
    guard credit.allowsMessage else { return false }
    self.credit?.spend(size)
    return true
  }
}
