/// What a rule gives within one of its periods: every day with every time of day, not written out.
struct Period: Sendable {
  /// Day numbers, ascending.
  var days: [Int] = []
  /// The hours, minutes and seconds of each day, ascending.
  var hours: [Int] = []
  var minutes: [Int] = []
  var seconds: [Int] = []
  /// Which of them `BYSETPOS` leaves, ascending; nil for all.
  var positions: [Int]?

  private var timesOfDay: Int { hours.count * minutes.count * seconds.count }

  var count: Int { positions?.count ?? days.count * timesOfDay }

  /// The occurrence at an index, in wall seconds; ascending with the index.
  subscript(index: Int) -> Int {
    let position = positions?[index] ?? index
    let (day, time) = position.quotientAndRemainder(dividingBy: timesOfDay)
    let (clock, second) = time.quotientAndRemainder(dividingBy: seconds.count)
    let (hour, minute) = clock.quotientAndRemainder(dividingBy: minutes.count)
    return days[day] * 86_400 + hours[hour] * 3600 + minutes[minute] * 60 + seconds[second]
  }

  /// The first index whose occurrence is not before this one.
  func firstIndex(notBefore wallSeconds: Int) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < wallSeconds { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Keeps only these positions, 1 the first and -1 the last; RFC 5545 applies them after
  /// everything else.
  mutating func keep(positions wanted: [Int]) {
    if wanted.isEmpty { return }
    let total = days.count * timesOfDay
    positions = Set(wanted.map { $0 > 0 ? $0 - 1 : total + $0 })
      .filter { (0..<total).contains($0) }.sorted()
  }
}
