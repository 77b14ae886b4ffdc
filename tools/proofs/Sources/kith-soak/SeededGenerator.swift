/// SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014): the
/// same numbers for the same seed, so that a run can be made again.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  /// The generator of one of several who draw under one seed.
  init(seed: UInt64, stream: UInt64 = 0) {
    state = seed &+ stream &* 0xD1B5_4A32_D192_ED03
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Whether something happens that happens in so many of a hundred cases.
  mutating func chance(percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

  /// A time within a range of milliseconds.
  mutating func milliseconds(_ range: ClosedRange<Int>) -> Duration {
    .milliseconds(Int.random(in: range, using: &self))
  }
}
