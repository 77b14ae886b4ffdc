/// How much the name that is shown for a link differs from where it leads, as rspamd weighs it: 0
/// the same, 1 an imitation.
enum ShownDistance {
  /// Longer names differ by their first letters or not at all.
  private static let longest = 128

  /// The weight for two registrable domains, as they are resolved.
  static func between(_ shown: [UInt8], _ real: [UInt8]) -> Double {
    let a = Array(shown.prefix(longest))
    let b = Array(real.prefix(longest))
    guard a != b, !a.isEmpty, !b.isEmpty else { return 0 }
    let skeletons = [a, b].map { Confusables.skeleton(of: String(decoding: $0, as: UTF8.self)) }
    if skeletons[0].lowercased() == skeletons[1].lowercased() { return 1 }
    let distance = 2 * Double(changes(a, b)) / Double(a.count + b.count)
    let differsInScript =
      a.starts(with: "xn--".utf8) != b.starts(with: "xn--".utf8)
    if distance > 1 { return differsInScript ? 1 : 0.5 }
    // Nearly the same name is an imitation; the further apart, the likelier are two names of one
    // owner.
    if distance <= 0.3 { return 1 }
    let closeness = 3 * (1 - distance + 0.1)
    let growth = DeterministicMath.exponential(-2 * closeness)
    return (1 - growth) / (1 + growth)
  }

  /// Letters to take out and put in; a change is both.
  private static func changes(_ a: [UInt8], _ b: [UInt8]) -> Int {
    var previous = Array(0...b.count)
    var current = previous
    for i in 1...a.count {
      current[0] = i
      for j in 1...b.count {
        current[j] =
          a[i - 1] == b[j - 1] ? previous[j - 1] : min(previous[j], current[j - 1]) + 1
      }
      swap(&previous, &current)
    }
    return previous[b.count]
  }
}
