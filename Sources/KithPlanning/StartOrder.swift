/// In which order things start that depend on each other, or why there is none. Things are known by
/// their positions.
struct StartOrder: Equatable {
  /// The positions so that each comes after those that it depends on, else in their own order.
  /// Those on a cycle, and those that depend on one, are left out.
  let positions: [Int]
  /// Cycles, each once, from its first member on: `[0, 2]` means that 0 depends on 2 and 2 on 0.
  let cycles: [[Int]]

  init(dependencies: [Set<Int>]) {
    var order: [Int] = []
    var started: Set<Int> = []
    // One pass starts the first that can start; few enough things that the square of their number
    // does not matter.
    while let next = dependencies.indices.first(where: {
      !started.contains($0) && dependencies[$0].isSubset(of: started)
    }) {
      order.append(next)
      started.insert(next)
    }
    positions = order
    cycles = Self.cycles(dependencies, among: Set(dependencies.indices).subtracting(started))
  }

  /// Walks from each thing along its first dependency that is left over, until it meets its own
  /// trail.
  private static func cycles(_ dependencies: [Set<Int>], among rest: Set<Int>) -> [[Int]] {
    var cycles: [[Int]] = []
    var seen: Set<Int> = []
    for start in rest.sorted() where !seen.contains(start) {
      var trail: [Int] = []
      var position: Int? = start
      while let current = position, !seen.contains(current) {
        seen.insert(current)
        trail.append(current)
        position = dependencies[current].intersection(rest).min()
      }
      guard let current = position, let first = trail.firstIndex(of: current) else { continue }
      let cycle = Array(trail[first...])
      let smallest = cycle.indices.min { cycle[$0] < cycle[$1] } ?? 0
      cycles.append(Array(cycle[smallest...] + cycle[..<smallest]))
    }
    return cycles
  }
}
