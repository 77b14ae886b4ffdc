/// Which batches of a device's session a decision may still need. A device that sends them again to
/// a worker that was restarted loses no fall.
struct UndecidedBatches: Sendable {
  /// At most so many are told apart: of more, neighbours settle together.
  private static let most = 32

  /// The last batch that no decision needs any more; 0 when there is none.
  private(set) var settled: UInt64 = 0
  /// The later ones in order: each with the time of its last sample, in nanoseconds.
  private var batches: [(sequence: UInt64, end: Int64)] = []

  /// Adds the batch that was just read; one without samples ends with the one before it.
  mutating func add(_ sequence: UInt64, end: Int64?) {
    guard let end else { return }
    batches.append((sequence, end))
    guard batches.count > Self.most else { return }
    batches = batches.enumerated().filter { !$0.offset.isMultiple(of: 2) }.map(\.element)
  }

  /// Settles the batches that ended before an instant of the device's clock, and those of a clock
  /// that has begun anew since.
  mutating func settle(before instant: Int64) {
    guard let last = batches.last?.end else { return }
    while let first = batches.first, first.end < instant || first.end > last {
      settled = first.sequence
      batches.removeFirst()
    }
  }
}
