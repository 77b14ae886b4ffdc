/// All phrases of the rules as one graph over word numbers. Matching walks it from every word, at
/// most as deep as the longest phrase, so the work is linear in the text.
///
/// A node stands for all places within phrases that the words so far can have led to, and two ways
/// that lead to the same places lead to the same node. So words that may stand for each other share
/// what follows them; a tree would repeat it for every combination, and take a tenth of a second to
/// build.
struct PhraseTrie {
  /// The phrases that a graph is made of.
  struct Phrases {
    /// A place within a phrase: what may come next there.
    fileprivate struct Place {
      var words: [Int] = []
      var optional = false
      /// The atom of the phrase that ends here; -1 within a phrase.
      var atom: Int32 = -1
    }

    /// The places of all phrases, those of a phrase one after the other.
    fileprivate var places: [Place] = []
    fileprivate var beginnings: [Int32] = []

    /// Adds a phrase of slots; each slot is a set of words, and may be optional.
    mutating func add(slots: [(words: [Int], optional: Bool)], atom: Int) {
      beginnings.append(Int32(places.count))
      for slot in slots { places.append(Place(words: slot.words, optional: slot.optional)) }
      places.append(Place(atom: Int32(atom)))
    }

    /// These places and those behind slots that may be left out, in order, each once.
    fileprivate func reachable(from some: [Int32]) -> [Int32] {
      var all: [Int32] = []
      for begin in some {
        var place = begin
        all.append(place)
        while places[Int(place)].optional {
          place += 1
          all.append(place)
        }
      }
      guard all.count > 1 else { return all }
      all.sort()
      var unique: [Int32] = []
      for place in all where unique.last != place { unique.append(place) }
      return unique
    }
  }

  private var edges = FlatTable()
  private var names: [[Int32]] = [[]]

  /// The graph of these phrases.
  init(_ phrases: Phrases) {
    let places = phrases.places
    var nodes: [[Int32]: Int] = [:]
    var waiting: [(node: Int, places: [Int32])] = [
      (0, phrases.reachable(from: phrases.beginnings))
    ]
    var steps: [UInt64] = []
    while let (node, here) = waiting.popLast() {
      // A word and the place that it leads to, in one number: to sort them is what building a graph
      // costs.
      steps.removeAll(keepingCapacity: true)
      for place in here {
        for word in places[Int(place)].words { steps.append(Self.key(word, Int(place) + 1)) }
      }
      steps.sort()
      var index = 0
      while index < steps.count {
        let word = Int(steps[index] >> 32)
        var next: [Int32] = []
        while index < steps.count, Int(steps[index] >> 32) == word {
          next.append(Int32(truncatingIfNeeded: steps[index]))
          index += 1
        }
        next = phrases.reachable(from: next)
        let known = nodes[next]
        let target = known ?? names.count
        if known == nil {
          nodes[next] = target
          var atoms: [Int32] = []
          for place in next {
            let atom = places[Int(place)].atom
            // Phrases are added atom by atom, so that equal ones are neighbours.
            if atom >= 0, atoms.last != atom { atoms.append(atom) }
          }
          names.append(atoms)
          waiting.append((target, next))
        }
        edges.set(Self.key(node, word), target)
      }
    }
  }

  /// Finds every phrase in the tokens.
  func match(_ tokens: [Token], into findings: inout [Finding]) {
    for first in tokens.indices where tokens[first].word != 0 {
      var node = 0
      var last = first
      while last < tokens.count, tokens[last].word != 0 {
        node = edges.value(of: Self.key(node, tokens[last].word))
        if node == 0 { break }
        for atom in names[node] {
          findings.append(Finding(atom: Int(atom), first: first, last: last))
        }
        last += 1
      }
    }
  }

  @inline(__always)
  private static func key(_ high: Int, _ low: Int) -> UInt64 {
    UInt64(high) << 32 | UInt64(low)
  }
}
