/// A rule of a flag: whom it lets in, and what they get. A class, so that an evaluation counts one
/// reference and not one for each part.
final class Rule: Sendable, Equatable {
  let name: String
  let conditions: [Condition]
  /// Segments by name; the conditions of all must hold.
  let segments: [String]
  let share: Share
  let draw: Draw
  let buckets: Buckets
  /// What those who are let in get; nil where the flag has no variants.
  let split: Split?

  init(
    name: String, conditions: [Condition], segments: [String], share: Share, draw: Draw,
    buckets: Buckets, split: Split?
  ) {
    (self.name, self.conditions, self.segments) = (name, conditions, segments)
    (self.share, self.draw, self.buckets, self.split) = (share, draw, buckets, split)
  }

  static func == (left: Rule, right: Rule) -> Bool {
    left.name == right.name && left.conditions == right.conditions
      && left.segments == right.segments && left.share == right.share && left.draw == right.draw
      && left.buckets == right.buckets && left.split == right.split
  }

  /// Whether a hash is in the share.
  func admits(_ hash: UInt32) -> Bool {
    switch buckets {
    case .whole: share.contains(hash)
    case .unleash: share.containsPercentile(hash)
    }
  }
}
