import KithSealing
import Synchronization

/// Counts the sealed values that could not be opened since the store was: each place once, and none
/// of its content.
///
/// Safe to use from any thread.
public final class DamagedValues: Sendable {
  /// How many places are told apart; beyond these the count stands still.
  static let mostCounted = 100_000

  private struct State {
    /// Hashes of the places: a row's key may be personal.
    var places: Set<Int> = []
    var counts: [String: Int] = [:]
    var tell: (@Sendable (DamagedValues) -> Void)?
  }

  private let state = Mutex(State())

  init() {}

  /// How many there are.
  public var count: Int { state.withLock { $0.places.count } }

  /// How many there are of each table and column, by `table.column`.
  public var counts: [String: Int] { state.withLock { $0.counts } }

  /// In words, for people:
  /// `3 sealed values are damaged (note.text_sealed 2, person.name_sealed 1)`; nil when there are
  /// none.
  public var words: String? {
    let (count, counts) = state.withLock { ($0.places.count, $0.counts) }
    guard count > 0 else { return nil }
    let parts = counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    return (count == 1 ? "1 sealed value is damaged" : "\(count) sealed values are damaged")
      + " (\(parts.joined(separator: ", ")))"
  }

  /// Has something called whenever the count has grown, on the thread that found it; at once when
  /// there are some already.
  public func onChange(_ tell: @escaping @Sendable (DamagedValues) -> Void) {
    let isDue = state.withLock { state in
      state.tell = tell
      return !state.places.isEmpty
    }
    if isDue { tell(self) }
  }

  func note(_ place: SealedPlace) {
    let tell = state.withLock { state -> (@Sendable (DamagedValues) -> Void)? in
      guard state.places.count < Self.mostCounted, state.places.insert(place.hashValue).inserted
      else { return nil }
      state.counts[place.description, default: 0] += 1
      return state.tell
    }
    tell?(self)
  }
}
