/// The rule file, checked and ready to be matched.
public struct RuleSet: Sendable {
  /// A signal, compiled.
  struct Signal {
    var rule: SignalRule
    var group: Int
    /// For each part the atoms that fulfil it.
    var parts: [[Int]]
    var within: Int
    var unless: [Int]
    var unlessWithin: Int
    var category: ScamCategory?
  }

  /// A signal that was found.
  struct Match {
    var signal: Int
    /// The tokens it rests on; nil when it rests on the text as a whole.
    var tokens: ClosedRange<Int>?
  }

  /// The most parts that a signal may have.
  private static let mostParts = 6

  let file: RuleFile
  let lexicon: Lexicon
  let trie: PhraseTrie
  let signals: [Signal]
  let caps: [Double]
  /// The names of the groups, in alphabetical order.
  public let groupNames: [String]
  let atomCount: Int
  /// For each atom the feature that it is to the model; 0 for none.
  let atomFeatures: [UInt32]
  /// The signals' points, groups, numbers of parts and distances, apart from the rest: they are
  /// read for every text.
  let weights: [Double]
  let groups: [Int]
  let floors: [Double]
  private let partCounts: [Int]
  private let distances: [Int]
  private let restsOnWhole: [Bool]
  private let spoilers: [[Int]]
  private let spoilDistances: [Int]
  /// For each atom the signals and parts that it fulfils.
  private let uses: [[(signal: Int, part: Int)]]
  /// For each atom the categories that it is a topic of.
  let topicsByAtom: [[Int]]
  /// The atoms that are names of senders: the first is that of sender 0.
  let senderAtoms: Range<Int>
  private let signalsByName: [String: Int]

  /// The version of the rules.
  public var version: String { file.version }
  /// The points at which the rules alone say "one in two".
  public var threshold: Double { file.threshold }
  /// How many points change the rules' log-odds by one.
  public var slope: Double { file.slope }
  /// How many signals there are.
  public var signalCount: Int { signals.count }

  /// Checks and compiles a rule file, and the names of senders.
  ///
  /// - Throws: `RuleFileError` naming the signal and the word that is wrong.
  public init(_ file: RuleFile, senders: SenderFile) throws(RuleFileError) {
    self.file = file
    var lexicon = Lexicon()
    for word in file.commonWords.split(whereSeparator: \.isWhitespace) {
      _ = lexicon.add(word, common: true)
    }
    var atoms: [String: Int] = [:]
    for observation in Observation.allCases { atoms[observation.name] = observation.rawValue }
    var phraseList = PhraseTrie.Phrases()
    var atomCount = Observation.allCases.count
    for (name, phrases) in file.phrases.sorted(by: { $0.key < $1.key }) {
      guard atoms[name] == nil else {
        throw RuleFileError(
          description: "phrases `\(name)`: the name is taken by an observation; choose another")
      }
      atoms[name] = atomCount
      for phrase in phrases {
        try Self.add(phrase, of: name, atom: atomCount, &lexicon, &phraseList)
      }
      atomCount += 1
    }
    senderAtoms = atomCount..<(atomCount + senders.senders.count)
    for sender in senders.senders {
      let name = "sender.\(sender.id)"
      atoms[name] = atomCount
      for phrase in sender.names ?? [] {
        try Self.add(phrase, of: name, atom: atomCount, &lexicon, &phraseList)
      }
      atomCount += 1
    }

    for word in file.frequentWords.split(whereSeparator: \.isWhitespace) {
      _ = lexicon.add(word, telling: false)
    }

    func resolve(_ names: String, _ place: String) throws(RuleFileError) -> [Int] {
      var result: [Int] = []
      for name in names.split(separator: "|") {
        guard let atom = atoms[String(name)] else {
          throw RuleFileError(
            description: "\(place): `\(name)` is neither a phrase list nor an observation")
        }
        result.append(atom)
      }
      return result
    }
    func category(_ name: String, _ place: String) throws(RuleFileError) -> ScamCategory {
      guard let category = ScamCategory(name: name) else {
        throw RuleFileError(description: "\(place): `\(name)` is no category")
      }
      return category
    }

    let groupNames = file.groups.keys.sorted()
    var signals: [Signal] = []
    var seen: Set<String> = []
    var uses = [[(signal: Int, part: Int)]](repeating: [], count: atomCount)
    for rule in file.signals {
      let place = "signal `\(rule.id)`"
      guard seen.insert(rule.id).inserted else {
        throw RuleFileError(description: "\(place): the name is used twice")
      }
      guard let group = groupNames.firstIndex(of: rule.group) else {
        throw RuleFileError(description: "\(place): the group `\(rule.group)` has no cap")
      }
      guard rule.weight.isFinite, abs(rule.weight) <= 100 else {
        throw RuleFileError(description: "\(place): needs a weight from -100 to 100")
      }
      guard (1...Self.mostParts).contains(rule.all.count) else {
        throw RuleFileError(description: "\(place): `all` names 1 to \(Self.mostParts) parts")
      }
      if let floor = rule.floor, !(0...1).contains(floor) {
        throw RuleFileError(description: "\(place): the floor is not from 0 to 1")
      }
      var parts: [[Int]] = []
      for (part, names) in rule.all.enumerated() {
        let atoms = try resolve(names, place)
        for atom in atoms { uses[atom].append((signals.count, part)) }
        parts.append(atoms)
      }
      var unless: [Int] = []
      for names in rule.unless ?? [] { unless += try resolve(names, place) }
      var scamCategory: ScamCategory?
      if let name = rule.category { scamCategory = try category(name, place) }
      signals.append(
        Signal(
          rule: rule, group: group, parts: parts, within: rule.within ?? 0, unless: unless,
          unlessWithin: rule.unlessWithin ?? 12, category: scamCategory))
    }
    var topics = [[Int]](repeating: [], count: atomCount)
    for (name, lists) in file.topics.sorted(by: { $0.key < $1.key }) {
      let category = try category(name, "topic `\(name)`")
      for list in lists {
        for atom in try resolve(list, "topic `\(name)`") { topics[atom].append(category.rawValue) }
      }
    }
    guard file.slope > 0, file.threshold.isFinite else {
      throw RuleFileError(description: "slope must be above 0")
    }
    self.lexicon = lexicon
    trie = PhraseTrie(phraseList)
    self.signals = signals
    weights = signals.map(\.rule.weight)
    groups = signals.map(\.group)
    floors = signals.map { $0.rule.floor ?? 0 }
    partCounts = signals.map(\.parts.count)
    distances = signals.map(\.within)
    spoilers = signals.map(\.unless)
    spoilDistances = signals.map(\.unlessWithin)
    let whole = Set(Observation.allCases.filter(\.isOfWholeText).map(\.rawValue))
    restsOnWhole = signals.map { $0.parts.contains { !whole.isDisjoint(with: $0) } }
    signalsByName = Dictionary(
      signals.enumerated().map { ($1.rule.id, $0) }, uniquingKeysWith: { first, _ in first })
    self.groupNames = groupNames
    self.caps = groupNames.map { file.groups[$0] ?? 0 }
    self.atomCount = atomCount
    var atomFeatures = [UInt32](repeating: 0, count: atomCount)
    for (name, atom) in atoms { atomFeatures[atom] = FeatureExtractor.feature(ofAtom: name) }
    for observation in Observation.allCases where observation.isOfSender {
      atomFeatures[observation.rawValue] = 0
    }
    self.atomFeatures = atomFeatures
    self.uses = uses
    topicsByAtom = topics
  }

  /// Reads `your|ur account (optional: is?) suspended|blocked`.
  private static func add(
    _ phrase: String, of name: String, atom: Int, _ lexicon: inout Lexicon,
    _ phraseList: inout PhraseTrie.Phrases
  ) throws(RuleFileError) {
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
    phraseList.add(slots: slots, atom: atom)
  }

  /// The number of the signal with that name; nil when there is none.
  func signal(named name: String) -> Int? { signalsByName[name] }

  /// The signals as they are written, in their order.
  public var signalRules: [SignalRule] { file.signals }

  /// The findings of phrases, added to those of the tokenizer, in the order of the text.
  func findings(in tokenized: TokenizedText) -> [Finding] {
    var findings = tokenized.findings
    trie.match(tokenized.tokens, into: &findings)
    findings.sort(by: Finding.precedes)
    return findings
  }

  /// For each atom where it was found, in one array.
  private struct Positions {
    private var bounds: [Int32]
    private var places: [Int32]

    init(_ findings: [Finding], atomCount: Int) {
      bounds = [Int32](repeating: 0, count: atomCount + 1)
      for finding in findings { bounds[finding.atom + 1] += 1 }
      for atom in 0..<atomCount { bounds[atom + 1] += bounds[atom] }
      places = [Int32](repeating: 0, count: findings.count)
      var next = bounds
      for finding in findings {
        places[Int(next[finding.atom])] = Int32(finding.first)
        next[finding.atom] += 1
      }
    }

    func of(_ atom: Int) -> ArraySlice<Int32> {
      places[Int(bounds[atom])..<Int(bounds[atom + 1])]
    }
  }

  /// Which signals the findings make, in the order of the text.
  func matches(of findings: [Finding]) -> [Match] {
    let positions = Positions(findings, atomCount: atomCount)
    // A signal counts once in a neighbourhood; far enough on it may be found again.
    var matchedAt = [Int](repeating: Int.min / 2, count: signals.count)
    // For each signal and part where it was seen last; -1 for not yet.
    var last = [(first: Int, last: Int)](
      repeating: (-1, -1), count: signals.count * Self.mostParts)
    var matches: [Match] = []
    for finding in findings {
      for use in uses[finding.atom]
      where finding.first - matchedAt[use.signal] >= TextModel.windowStride {
        let base = use.signal * Self.mostParts
        last[base + use.part] = (finding.first, finding.last)
        var first = Int.max
        var end = -1
        var complete = true
        for part in 0..<partCounts[use.signal] {
          let seen = last[base + part]
          if seen.first < 0 {
            complete = false
            break
          }
          first = min(first, seen.first)
          end = max(end, seen.last)
        }
        let within = distances[use.signal]
        guard complete, within == 0 || end - first <= within,
          !isSpoiled(use.signal, first...end, positions)
        else { continue }
        matchedAt[use.signal] = first
        matches.append(
          Match(signal: use.signal, tokens: restsOnWhole[use.signal] ? nil : first...end))
      }
    }
    return matches
  }

  /// Whether something near says that the signal does not count here.
  private func isSpoiled(
    _ signal: Int, _ tokens: ClosedRange<Int>, _ positions: Positions
  ) -> Bool {
    let distance = spoilDistances[signal]
    for atom in spoilers[signal] {
      let list = positions.of(atom)
      guard !list.isEmpty else { continue }
      if distance == 0 { return true }
      let low = Int32(clamping: tokens.lowerBound - distance)
      let high = Int32(clamping: tokens.upperBound + distance)
      // The list is nearly in the order of the text; halving finds the first place not before
      // `low`.
      var from = list.startIndex
      var to = list.endIndex
      while from < to {
        let middle = (from + to) / 2
        if list[middle] < low { from = middle + 1 } else { to = middle }
      }
      if from < list.endIndex, list[from] <= high { return true }
    }
    return false
  }
}
