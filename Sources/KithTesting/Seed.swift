import Glibc
import KithSupervision
import Synchronization

/// What all chance of a test comes from, so that it can be had again:
/// `KITH_TEST_SEED=4660 swift test --filter ...`.
///
/// The same seed gives the same choices in the same order. How processes take turns between them is
/// the machine's affair.
public struct Seed: Hashable, Sendable, ExpressibleByIntegerLiteral {
  /// The variable that replays a seed.
  public static let variable = "KITH_TEST_SEED"

  /// The number that a person is shown.
  public let number: UInt64

  /// A seed that is always the same.
  public init(integerLiteral value: UInt64) { number = value }

  /// The seed of the environment, else another each time.
  public static var fresh: Seed {
    let stated = getenv(variable).flatMap { UInt64(String(cString: $0)) }
    return Seed(integerLiteral: stated ?? .random(in: 1...999_999))
  }

  /// A source of chance of its own for each purpose, so that one does not disturb another.
  func dice(for purpose: String) -> SplitMix64 {
    var hash = number ^ 0xCBF2_9CE4_8422_2325
    for byte in purpose.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return SplitMix64(seed: hash)
  }
}

extension SplitMix64 {
  /// True once in so many times.
  mutating func isOne(in count: Int) -> Bool {
    Int.random(in: 0..<max(1, count), using: &self) == 0
  }
}
