/// Skeletons of UTS #39: two names look alike when their skeletons are the same. A skeleton is
/// never compared with a name (`m` becomes `rn`), nor shown.
struct SkeletonTable: Sendable {
  /// The table. Built on first use, which is the first name that is not ASCII.
  static let shared = SkeletonTable()

  private let table: ScalarTable
  private let targets: [[UInt32]]

  private init() {
    table = ScalarTable(parsing: Self.source)
    targets = table.names.map { name in
      name == "-" ? [] : name.split(separator: ".").compactMap { UInt32($0, radix: 16) }
    }
  }

  /// The skeleton of scalars. The caller folds case before, and again after (`0` becomes `O`).
  func skeleton(of scalars: some Sequence<UInt32>) -> [UInt32] {
    var result: [UInt32] = []
    for scalar in scalars {
      if let place = table.place(of: scalar) {
        result.append(contentsOf: targets[place])
      } else if scalar &- 0xAC00 < 11172 {
        // A Hangul syllable: its jamo, and those may have skeletons of their own.
        let index = scalar - 0xAC00
        for jamo in [0x1100 + index / 588, 0x1161 + index % 588 / 28, 0x11A7 + index % 28]
        where jamo != 0x11A7 {
          if let place = table.place(of: jamo) {
            result.append(contentsOf: targets[place])
          } else {
            result.append(jamo)
          }
        }
      } else {
        result.append(scalar)
      }
    }
    Self.order(&result)
    return result
  }

  /// Puts combining marks into the order of NFD.
  private static func order(_ scalars: inout [UInt32]) {
    func rank(_ scalar: UInt32) -> UInt8 {
      guard scalar >= 0x300 else { return 0 }
      return Unicode.Scalar(scalar)?.properties.canonicalCombiningClass.rawValue ?? 0
    }
    var index = 0
    while index < scalars.count {
      guard rank(scalars[index]) != 0 else {
        index += 1
        continue
      }
      var end = index
      while end < scalars.count, rank(scalars[end]) != 0 { end += 1 }
      if end - index > 1 {
        // The standard library's sort keeps the order of equals.
        scalars.replaceSubrange(
          index..<end, with: scalars[index..<end].sorted { rank($0) < rank($1) })
      }
      index = end
    }
  }
}
