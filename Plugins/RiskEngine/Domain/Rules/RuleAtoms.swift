/// What the signals of a rule file are made of, numbered: observations first, then lists of phrases
/// in alphabetical order, then the names of senders.
struct RuleAtoms {
  /// The words of all phrases, and those that the file calls common or frequent.
  private(set) var lexicon = Lexicon()
  /// The phrases, each with the number of its atom.
  private(set) var phrases = PhraseTrie.Phrases()
  /// How many atoms there are.
  private(set) var count = Observation.allCases.count
  /// The numbers of the names of senders: the first is that of sender 0.
  private(set) var senders = 0..<0
  private var numbers: [String: Int] = [:]

  /// Reads the phrases of a rule file, and the names of senders.
  ///
  /// - Throws: `RuleFileError` naming the list and the word that is wrong.
  init(_ file: RuleFile, senders: SenderFile) throws(RuleFileError) {
    for word in file.commonWords.split(whereSeparator: \.isWhitespace) {
      _ = lexicon.add(word, common: true)
    }
    for observation in Observation.allCases { numbers[observation.name] = observation.rawValue }
    for (name, phrases) in file.phrases.sorted(by: { $0.key < $1.key }) {
      guard numbers[name] == nil else {
        throw RuleFileError(
          description: "phrases `\(name)`: the name is taken by an observation; choose another")
      }
      try add(phrases, of: name)
    }
    let first = count
    for sender in senders.senders { try add(sender.names ?? [], of: "sender.\(sender.id)") }
    self.senders = first..<count
    for word in file.frequentWords.split(whereSeparator: \.isWhitespace) {
      _ = lexicon.add(word, telling: false)
    }
  }

  /// For each atom the feature that it is to the model; 0 for none.
  var features: [UInt32] {
    var features = [UInt32](repeating: 0, count: count)
    for (name, atom) in numbers { features[atom] = FeatureExtractor.feature(ofAtom: name) }
    for observation in Observation.allCases where observation.isOfSender {
      features[observation.rawValue] = 0
    }
    return features
  }

  /// The atoms that `a|b|c` names.
  ///
  /// - Throws: `RuleFileError` beginning with `place` if one of them does not exist.
  func numbers(of names: String, in place: String) throws(RuleFileError) -> [Int] {
    var result: [Int] = []
    for name in names.split(separator: "|") {
      guard let atom = numbers[String(name)] else {
        throw RuleFileError(
          description: "\(place): `\(name)` is neither a phrase list nor an observation")
      }
      result.append(atom)
    }
    return result
  }

  /// Adds an atom.
  private mutating func add(_ phrases: [String], of name: String) throws(RuleFileError) {
    numbers[name] = count
    for phrase in phrases { try add(phrase, of: name) }
    count += 1
  }

  /// Reads `your|ur account (optional: is?) suspended|blocked`.
  private mutating func add(_ phrase: String, of name: String) throws(RuleFileError) {
    var slots: [(words: [Int], optional: Bool)] = []
    // Bytes, not characters: there are thousands of words, and a worker that starts is waited for.
    for slot in phrase.utf8.split(separator: UInt8(ascii: " ")) {
      let optional = slot.last == UInt8(ascii: "?")
      let words = (optional ? slot.dropLast() : slot).split(separator: UInt8(ascii: "|"))
        .map { Substring($0) }
      for word in words {
        let isWord = word.utf8.allSatisfy { 0x61...0x7A ~= $0 || 0x30...0x39 ~= $0 }
        guard isWord || Lexicon.placeholders.contains(String(word)) else {
          throw RuleFileError(
            description: "phrases `\(name)`: `\(word)` must be lower-case letters and digits")
        }
      }
      slots.append((words.map { lexicon.add($0) }, optional))
    }
    guard slots.contains(where: { !$0.optional && !$0.words.isEmpty }), slots.count <= 12 else {
      throw RuleFileError(
        description: "phrases `\(name)`: `\(phrase)` needs 1 to 12 words, one of them not optional")
    }
    self.phrases.add(slots: slots, atom: count)
  }
}
