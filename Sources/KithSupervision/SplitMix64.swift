/// A small generator of random numbers whose whole state is one number, so that a supervisor is a
/// value that can be compared, stored and replayed. Good for jitter and for tests, not for secrets.
///
/// The algorithm is Sebastiano Vigna's public-domain splitmix64.
package struct SplitMix64: RandomNumberGenerator, Hashable, Sendable {
  var state: UInt64

  /// A generator that begins with this state.
  package init(seed: UInt64) {
    state = seed
  }

  /// The next number.
  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
