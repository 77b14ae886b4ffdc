/// A version as semver.org orders them: `2.1.0-beta.2`. Build metadata does not count.
struct SemanticVersion: Sendable, Equatable, Comparable {
  private let core: [UInt64]
  private let preRelease: [Substring]

  /// Nil for anything but three numbers, with a pre-release and build metadata at most.
  init?(_ text: String) {
    let release = text.split(separator: "+", maxSplits: 1, omittingEmptySubsequences: false)[0]
    let parts = release.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    let numbers = parts[0].split(separator: ".", omittingEmptySubsequences: false)
    let core = numbers.compactMap { UInt64($0) }
    guard numbers.count == 3, core.count == 3 else { return nil }
    self.core = core
    preRelease =
      parts.count > 1 ? parts[1].split(separator: ".", omittingEmptySubsequences: false) : []
    if preRelease.contains(where: \.isEmpty) { return nil }
  }

  static func < (left: SemanticVersion, right: SemanticVersion) -> Bool {
    if left.core != right.core { return left.core.lexicographicallyPrecedes(right.core) }
    // A pre-release comes before its release.
    if left.preRelease.isEmpty || right.preRelease.isEmpty {
      return !left.preRelease.isEmpty && right.preRelease.isEmpty
    }
    for (one, other) in zip(left.preRelease, right.preRelease) where one != other {
      switch (UInt64(one), UInt64(other)) {
      case (let one?, let other?): return one < other
      case (nil, nil): return one < other
      case (let number, _): return number != nil
      }
    }
    return left.preRelease.count < right.preRelease.count
  }
}
