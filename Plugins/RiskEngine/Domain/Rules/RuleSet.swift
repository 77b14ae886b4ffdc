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
  fileprivate static let mostParts = 6

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
    let atoms = try RuleAtoms(file, senders: senders)
    let groupNames = file.groups.keys.sorted()
    var signals: [Signal] = []
    var seen: Set<String> = []
    for rule in file.signals {
      guard seen.insert(rule.id).inserted else {
        throw RuleFileError(description: "signal `\(rule.id)`: the name is used twice")
      }
      signals.append(try Signal(rule, groupNames: groupNames, atoms: atoms))
    }
    var uses = [[(signal: Int, part: Int)]](repeating: [], count: atoms.count)
    for (number, signal) in signals.enumerated() {
      for (part, list) in signal.parts.enumerated() {
        for atom in list { uses[atom].append((number, part)) }
      }
    }
    topicsByAtom = try Self.topics(file, atoms)
    guard file.slope > 0, file.threshold.isFinite else {
      throw RuleFileError(description: "slope must be above 0")
    }
    lexicon = atoms.lexicon
    trie = PhraseTrie(atoms.phrases)
    senderAtoms = atoms.senders
    atomCount = atoms.count
    atomFeatures = atoms.features
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
    caps = groupNames.map { file.groups[$0] ?? 0 }
    self.uses = uses
  }

  /// For each atom the categories that it is a topic of.
  private static func topics(
    _ file: RuleFile, _ atoms: RuleAtoms
  ) throws(RuleFileError) -> [[Int]] {
    var topics = [[Int]](repeating: [], count: atoms.count)
    for (name, lists) in file.topics.sorted(by: { $0.key < $1.key }) {
      let category = try ScamCategory(name, of: "topic `\(name)`")
      for list in lists {
        for atom in try atoms.numbers(of: list, in: "topic `\(name)`") {
          topics[atom].append(category.rawValue)
        }
      }
    }
    return topics
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

extension RuleSet.Signal {
  /// Checks and compiles a signal.
  fileprivate init(
    _ rule: SignalRule, groupNames: [String], atoms: RuleAtoms
  ) throws(RuleFileError) {
    let place = "signal `\(rule.id)`"
    guard let group = groupNames.firstIndex(of: rule.group) else {
      throw RuleFileError(description: "\(place): the group `\(rule.group)` has no cap")
    }
    guard rule.weight.isFinite, abs(rule.weight) <= 100 else {
      throw RuleFileError(description: "\(place): needs a weight from -100 to 100")
    }
    guard (1...RuleSet.mostParts).contains(rule.all.count) else {
      throw RuleFileError(description: "\(place): `all` names 1 to \(RuleSet.mostParts) parts")
    }
    if let floor = rule.floor, !(0...1).contains(floor) {
      throw RuleFileError(description: "\(place): the floor is not from 0 to 1")
    }
    var parts: [[Int]] = []
    for names in rule.all { parts.append(try atoms.numbers(of: names, in: place)) }
    var unless: [Int] = []
    for names in rule.unless ?? [] { unless += try atoms.numbers(of: names, in: place) }
    var category: ScamCategory?
    if let name = rule.category { category = try ScamCategory(name, of: place) }
    self.init(
      rule: rule, group: group, parts: parts, within: rule.within ?? 0, unless: unless,
      unlessWithin: rule.unlessWithin ?? 12, category: category)
  }
}

extension ScamCategory {
  fileprivate init(_ name: String, of place: String) throws(RuleFileError) {
    guard let category = ScamCategory(name: name) else {
      throw RuleFileError(description: "\(place): `\(name)` is no category")
    }
    self = category
  }
}
