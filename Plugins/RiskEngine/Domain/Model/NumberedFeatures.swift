/// The features of a text with a number each, in the order in which they are met first, and the
/// weight of each: what windows need of them, found once.
struct NumberedFeatures {
  /// For each occurrence its feature's number.
  private(set) var numbers: [UInt32]
  /// For each number the feature's weight, with the sign of its hash.
  private(set) var weights: [Int32]

  init(_ ids: [UInt32], _ all: [Int16]) {
    var capacity = 64
    while capacity < 2 * ids.count { capacity <<= 1 }
    let mask = capacity - 1
    var weights: [Int32] = []
    weights.reserveCapacity(ids.count)
    // Each cell: the feature in the upper half, its number plus one in the lower.
    numbers = withUnsafeTemporaryAllocation(of: UInt64.self, capacity: capacity) { cells in
      cells.initialize(repeating: 0)
      return all.withUnsafeBufferPointer { all in
        [UInt32](unsafeUninitializedCapacity: ids.count) { output, count in
          for (index, id) in ids.enumerated() {
            var at = Int(id >> 7) & mask
            while cells[at] != 0, UInt32(truncatingIfNeeded: cells[at] >> 32) != id {
              at = (at + 1) & mask
            }
            if cells[at] == 0 {
              let (bucket, sign) = TextModel.slot(of: id)
              weights.append(Int32(sign) * Int32(all[bucket]))
              cells[at] = UInt64(id) << 32 | UInt64(weights.count)
            }
            output[index] = UInt32(truncatingIfNeeded: cells[at]) - 1
          }
          count = ids.count
        }
      }
    }
    self.weights = weights
  }
}
