/// The variants of a rule by weight.
struct Split: Sendable, Equatable {
  /// How many weights there may be in all.
  static let mostWeight: UInt64 = 1_000_000_000

  let draw: Draw
  let buckets: Buckets
  private let variants: [String]
  /// The sums of the weights up to each variant.
  private let sums: [UInt64]

  /// Weights above 0 with a sum of at most ``mostWeight``.
  init(_ weights: [(variant: String, weight: UInt64)], draw: Draw, buckets: Buckets) {
    self.draw = draw
    self.buckets = buckets
    variants = weights.map(\.variant)
    var sum: UInt64 = 0
    sums = weights.map { weight in
      sum += weight.weight
      return sum
    }
  }

  /// The variant that everybody has; nil if the hash decides.
  var only: String? { variants.count == 1 ? variants[0] : nil }

  /// The variant of a hash.
  func variant(_ hash: UInt32) -> String {
    let total = sums.last ?? 1
    for (variant, sum) in zip(variants, sums) {
      let isIn =
        switch buckets {
        case .whole: UInt64(hash) < Share.boundary(sum, of: total)
        case .unleash: UInt64(hash) % total < sum
        }
      if isIn { return variant }
    }
    return variants[variants.count - 1]
  }
}
