import Synchronization

/// One number after the other, over and over, for callers that run side by side.
final class Turn: Sendable {
  private let count: Int
  private let number = Atomic<Int>(0)

  init(count: Int) { self.count = count }

  func next() -> Int { number.wrappingAdd(1, ordering: .relaxed).newValue % count }
}
