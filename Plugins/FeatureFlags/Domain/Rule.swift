/// A rule of a flag: whom it lets in, and what they get.
struct Rule: Sendable, Equatable {
  let name: String
  let conditions: [Condition]
  /// Segments by name; the conditions of all must hold.
  let segments: [String]
  let share: Share
  let draw: Draw
  let buckets: Buckets
  /// What those who are let in get; nil where the flag has no variants.
  let split: Split?

  /// Whether a hash is in the share.
  func admits(_ hash: UInt32) -> Bool {
    switch buckets {
    case .whole: share.contains(hash)
    case .unleash: share.containsPercentile(hash)
    }
  }
}
