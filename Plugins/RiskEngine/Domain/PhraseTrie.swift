/// All phrases of the rules as one tree over word numbers. Matching walks it from every word, at most
/// as deep as the longest phrase, so the work is linear in the text.
struct PhraseTrie {
  private var edges = FlatTable()
  private var names: [[Int32]] = [[]]

  /// Adds a phrase of slots; each slot is a set of words, and may be optional.
  mutating func add(slots: [(words: [Int], optional: Bool)], atom: Int) {
    var ends: Set<Int> = [0]
    for slot in slots {
      var next: Set<Int> = slot.optional ? ends : []
      for node in ends.sorted() {
        for word in slot.words { next.insert(child(of: node, word)) }
      }
      ends = next
    }
    for node in ends where node != 0 && !names[node].contains(Int32(atom)) {
      names[node].append(Int32(atom))
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

  private mutating func child(of node: Int, _ word: Int) -> Int {
    let key = Self.key(node, word)
    let known = edges.value(of: key)
    if known != 0 { return known }
    edges.set(key, names.count)
    names.append([])
    return names.count - 1
  }

  @inline(__always)
  private static func key(_ node: Int, _ word: Int) -> UInt64 {
    UInt64(node) << 32 | UInt64(word)
  }
}
