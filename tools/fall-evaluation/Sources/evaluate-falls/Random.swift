import Glibc

/// SplitMix64: equal seeds give equal numbers everywhere.
struct Random {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number between two.
  mutating func between(_ low: Double, _ high: Double) -> Double {
    low + (high - low) * Double(next() >> 11) / 9_007_199_254_740_992
  }

  /// A normally distributed number.
  mutating func normal() -> Double {
    (-2 * log(max(1e-300, between(0, 1)))).squareRoot() * cos(2 * .pi * between(0, 1))
  }

  /// A rotation that may be any.
  mutating func rotation() -> Rotation {
    var quaternion = SIMD4(normal(), normal(), normal(), normal())
    quaternion /= (quaternion * quaternion).sum().squareRoot()
    return Rotation(quaternion)
  }
}

/// A turn in space.
struct Rotation {
  private var rows: (SIMD3<Double>, SIMD3<Double>, SIMD3<Double>)

  init(_ q: SIMD4<Double>) {
    let (w, x, y, z) = (q[0], q[1], q[2], q[3])
    rows = (
      SIMD3(1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
      SIMD3(2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
      SIMD3(2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y))
    )
  }

  func callAsFunction(_ v: SIMD3<Double>) -> SIMD3<Double> {
    SIMD3((rows.0 * v).sum(), (rows.1 * v).sum(), (rows.2 * v).sum())
  }
}
