import KithRPC

/// What the journals of all clients say together.
struct Tally {
  /// How many calls were made of each shape.
  private(set) var begun: [String: Int] = [:]
  /// How many ended OK.
  private(set) var succeeded = 0
  /// How many ended with a status that the trouble explains.
  private(set) var failed: [Int32: Int] = [:]
  /// What nothing explains.
  private(set) var odd: [String] = []
  /// Calls that were lost.
  private(set) var lost: [String] = []
  /// The entries that a worker has said it wrote.
  private(set) var acknowledged: Set<Substring> = []

  /// How many calls were made.
  var made: Int { begun.values.reduce(0, +) }

  /// How many have no end in any journal: those of a client that was killed, and no others.
  var unended: Int { made - succeeded - failed.values.reduce(0, +) - odd.count - lost.count }

  /// Adds a journal.
  mutating func add(_ journal: String) {
    for line in journal.split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 1)
      guard words.count == 2 else { continue }
      switch words[0] {
      case "begun": begun[String(words[1]), default: 0] += 1
      case "ok": succeeded += 1
      case "failed": failed[Int32(words[1]) ?? 0, default: 0] += 1
      case "odd": odd.append(String(words[1]))
      case "lost": lost.append(String(words[1]))
      case "entry": acknowledged.insert(words[1])
      default: break
      }
    }
  }
}

/// What stands in the worker's list.
struct Entries {
  /// How many entries.
  let count: Int
  /// Those that stand there more than once.
  let doubled: [Substring]
  /// Those that the worker said it wrote and that are not there.
  let missing: [Substring]

  /// Compares the list with what was acknowledged.
  init(_ list: String, acknowledged: Set<Substring>) {
    var times: [Substring: Int] = [:]
    for entry in list.split(separator: "\n") { times[entry, default: 0] += 1 }
    count = times.values.reduce(0, +)
    doubled = times.filter { $0.value > 1 }.keys.sorted()
    missing = acknowledged.filter { times[$0] == nil }.sorted()
  }
}
