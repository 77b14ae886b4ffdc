/// The name nearest to a wrong one by edits (a swap of neighbours counts once), or `nil` when none
/// is near enough to be meant: at most a third of the letters may differ.
public func nearestName(to name: String, among candidates: some Sequence<String>) -> String? {
  // Longer texts are no misspelt names; the bound keeps the work small whatever a file holds.
  let longest = 100
  guard !name.isEmpty, name.utf8.count <= longest else { return nil }
  let letters = Array(name.lowercased().replacing("_", with: "-"))
  var best: (distance: Int, name: String)?
  for candidate in candidates where candidate.utf8.count <= longest {
    let other = Array(candidate.lowercased().replacing("_", with: "-"))
    let distance = editDistance(letters, other)
    guard distance <= max(1, max(letters.count, other.count) / 3) else { continue }
    if best.map({ (distance, candidate) < ($0.distance, $0.name) }) ?? true {
      best = (distance, candidate)
    }
  }
  return best?.name
}

/// Optimal string alignment: insertions, deletions, replacements and swaps of neighbours.
func editDistance(_ left: [Character], _ right: [Character]) -> Int {
  guard !left.isEmpty, !right.isEmpty else { return max(left.count, right.count) }
  var beforePrevious: [Int] = []
  var previous = Array(0...right.count)
  for i in 1...left.count {
    var row = [i]
    row.reserveCapacity(right.count + 1)
    for j in 1...right.count {
      let cost = left[i - 1] == right[j - 1] ? 0 : 1
      var distance = min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + cost)
      if i > 1, j > 1, left[i - 1] == right[j - 2], left[i - 2] == right[j - 1] {
        distance = min(distance, beforePrevious[j - 2] + 1)
      }
      row.append(distance)
    }
    beforePrevious = previous
    previous = row
  }
  return previous[right.count]
}
