/// Scores texts: rules and a text model, blended. A value without state; the same text gives the same
/// bits on every machine.
public struct RiskEngine: Sendable {
  /// What is known beside the text.
  public struct Circumstances: Sendable, Hashable {
    /// Whether the sender is in the person's contacts.
    public var senderIsContact: Bool
    /// The person's language, the first part of the BCP 47 tag, lower case.
    public var language: String
    /// The person's state, two letters or empty.
    public var state: String

    /// Circumstances; by default nothing is known.
    public init(senderIsContact: Bool = false, language: String = "en", state: String = "") {
      self.senderIsContact = senderIsContact
      self.language = language
      self.state = state
    }
  }

  /// What the two halves of the engine say, before they are blended. The trainer fits on it.
  public struct Evidence: Sendable, Hashable {
    /// The model's raw log-odds.
    public var modelRaw: Double
    /// The rules' log-odds.
    public var ruleLogOdds: Double
    /// The highest floor that a signal sets; 0 when none does.
    public var floor: Double
    /// The tokens of the window on which the model's word rests.
    public var window: Range<Int>
  }

  /// The longest text, in bytes of UTF-8.
  public static let maximumTextBytes = 65536
  /// Reasons below this share are left out.
  static let leastShare = 0.10
  static let mostReasons = 3
  /// How many words of a long text the rules take together.
  static let ruleWindowTokens = 96
  /// Evidence against counts less the more speaks for a scam, and nothing from this many points on.
  static let counterFadesAt = 6.0

  /// The rules.
  public let rules: RuleSet
  /// The model.
  public var model: TextModel
  /// The version of the model.
  public let modelVersion: String
  private let contacts: ContactBook
  private let tokenizer: Tokenizer

  /// An engine of compiled parts.
  public init(
    rules: RuleSet, domains: DomainLists, contacts: ContactFile, model: TextModel,
    modelVersion: String
  ) {
    self.rules = rules
    self.model = model
    self.modelVersion = modelVersion
    self.contacts = ContactBook(contacts)
    tokenizer = Tokenizer(
      lexicon: rules.lexicon, reader: LinkReader(catalogue: DomainCatalogue(domains)))
  }

  /// Which rules and model answer: `rules 1.0.0, model 1.0.0`.
  public var version: String { "rules \(rules.version), model \(modelVersion)" }

  /// Whether a two-letter code is a state's.
  public func knows(state: String) -> Bool { contacts.knows(state: state) }

  /// The features of a text, for training.
  public func features(of text: String) -> FeatureExtractor.Features {
    let normalized = NormalizedText(text)
    var tokenized = tokenizer.tokenize(normalized)
    addWholeTextFindings(normalized, Circumstances(), &tokenized)
    return FeatureExtractor.features(
      of: normalized, tokenized, findings: rules.findings(in: tokenized),
      atomFeatures: rules.atomFeatures)
  }

  /// What rules and model say of a text, for training.
  public func evidence(on text: String) -> Evidence {
    let reading = read(NormalizedText(text), Circumstances())
    return Evidence(
      modelRaw: reading.verdict.raw, ruleLogOdds: reading.ruleLogOdds, floor: reading.floor,
      window: reading.verdict.window)
  }

  /// Scores a text.
  public func assess(
    _ text: String, _ circumstances: Circumstances = Circumstances(), bands: Bands = .standard
  ) -> Assessment {
    assess(NormalizedText(text), circumstances, bands: bands)
  }

  /// Scores a text that is normalised already.
  public func assess(
    _ text: NormalizedText, _ circumstances: Circumstances, bands: Bands
  ) -> Assessment {
    let reading = read(text, circumstances)
    let parameters = model.parameters
    let modelLogOdds = model.calibrated(reading.verdict.raw)
    let blended = blend(modelLogOdds, reading.ruleLogOdds)
    // A floor is soft at its edge: what is above it stays, so that more evidence still shows.
    let score = max(DeterministicMath.sigmoid(blended), reading.floor)
    let level = bands.level(of: score)

    let modelEvidence = parameters.share * max(0, modelLogOdds - model.calibrated(parameters.bias))
    let ruleUnit = (1 - parameters.share) / rules.file.slope
    let reasons =
      level == .low
      ? [] : self.reasons(text, reading, modelEvidence: modelEvidence, ruleUnit: ruleUnit)
    let category = level == .low ? nil : self.category(reading)
    return Assessment(
      score: score, level: level, category: category,
      confidence: confidence(
        text, reading, score: score, modelLogOdds: modelLogOdds, circumstances),
      reasons: reasons, counterEvidence: counterEvidence(text, reading),
      nextStep: rules.file.nextSteps[level == .low ? "low" : category?.name ?? "other"]
        ?? rules.file.nextSteps["other"] ?? "",
      contacts: contacts.contacts(for: category, state: circumstances.state))
  }

  /// The log-odds of the two halves together.
  func blend(_ modelLogOdds: Double, _ ruleLogOdds: Double) -> Double {
    let parameters = model.parameters
    let mixed = parameters.share * modelLogOdds + (1 - parameters.share) * ruleLogOdds
    return max(-20, min(20, parameters.blendSlope * mixed + parameters.blendOffset))
  }

  // MARK: - Reading

  /// All that was found in a text.
  struct Reading {
    var tokenized: TokenizedText
    var findings: [Finding]
    var matches: [RuleSet.Match]
    /// For each match its points after the cap of its group.
    var points: [Double]
    var forPoints: Double
    var againstPoints: Double
    var ruleLogOdds: Double
    var floor: Double
    var features: FeatureExtractor.Features
    var verdict: TextModel.Verdict
  }

  func read(_ text: NormalizedText, _ circumstances: Circumstances) -> Reading {
    var tokenized = tokenizer.tokenize(text)
    addWholeTextFindings(text, circumstances, &tokenized)
    let findings = rules.findings(in: tokenized)
    let all = rules.matches(of: findings)
    let matches = densest(all, tokenCount: tokenized.tokens.count)
    let sums = capped(matches)
    var factors = [Double](repeating: 1, count: sums.count)
    var forPoints = 0.0
    var againstPoints = 0.0
    for (group, sum) in sums.enumerated() where sum.full != 0 {
      factors[group] = sum.capped / sum.full
      if sum.capped > 0 { forPoints += sum.capped } else { againstPoints -= sum.capped }
    }
    let fade = 1 - min(1, forPoints / Self.counterFadesAt)
    againstPoints *= fade
    let points = matches.map { match in
      let weight = rules.weights[match.signal]
      return weight * factors[rules.groups[match.signal]] * (weight < 0 ? fade : 1)
    }
    var floor = 0.0
    for match in matches { floor = max(floor, rules.floors[match.signal]) }
    let features = FeatureExtractor.features(
      of: text, tokenized, findings: findings, atomFeatures: rules.atomFeatures)
    return Reading(
      tokenized: tokenized, findings: findings, matches: matches, points: points,
      forPoints: forPoints, againstPoints: againstPoints,
      ruleLogOdds: (forPoints - againstPoints - rules.file.threshold) / rules.file.slope,
      floor: floor, features: features, verdict: model.verdict(on: features))
  }

  /// The sum of each group's points, before and after its cap.
  private func capped(_ matches: [RuleSet.Match]) -> [(full: Double, capped: Double)] {
    var sums = [Double](repeating: 0, count: rules.caps.count)
    for match in matches { sums[rules.groups[match.signal]] += rules.weights[match.signal] }
    return zip(sums, rules.caps).map { ($0, max(-$1, min($1, $0))) }
  }

  /// The matches that count: of those that speak for a scam, the ones of the stretch of text where they
  /// weigh most, each signal once. A long letter is not a scam because its pages add up, and padding does not
  /// hide the page that is one. What speaks against counts wherever it stands.
  private func densest(_ all: [RuleSet.Match], tokenCount: Int) -> [RuleSet.Match] {
    func distinct(_ matches: [RuleSet.Match]) -> [RuleSet.Match] {
      var seen: Set<Int> = []
      return matches.filter { seen.insert($0.signal).inserted }
    }
    let against = distinct(all.filter { rules.weights[$0.signal] < 0 })
    let found = all.filter { rules.weights[$0.signal] >= 0 }
    guard tokenCount > Self.ruleWindowTokens else { return distinct(found) + against }
    let wide = found.filter { $0.tokens == nil }
    let narrow = found.compactMap { match in match.tokens.map { (match, $0.lowerBound) } }
      .sorted { $0.1 < $1.1 }
    var best: [RuleSet.Match] = distinct(wide)
    var most = -1.0
    var first = 0
    var end = 0
    var start = 0
    while start < tokenCount {
      while first < narrow.count, narrow[first].1 < start { first += 1 }
      end = max(end, first)
      while end < narrow.count, narrow[end].1 < start + Self.ruleWindowTokens { end += 1 }
      if end > first {
        let here = distinct(wide + narrow[first..<end].map(\.0))
        let points = capped(here).reduce(0) { $0 + $1.capped }
        if points > most { (best, most) = (here, points) }
      }
      start += TextModel.windowStride
    }
    return best + against
  }

  private func addWholeTextFindings(
    _ text: NormalizedText, _ circumstances: Circumstances, _ tokenized: inout TokenizedText
  ) {
    func note(_ observation: Observation) {
      tokenized.findings.append(Finding(atom: observation.rawValue, first: 0, last: 0))
    }
    guard !tokenized.tokens.isEmpty else { return }
    if text.letterCount >= 20, text.upperCaseCount * 10 >= text.letterCount * 7 { note(.shouting) }
    if circumstances.senderIsContact { note(.contact) }
    if tokenized.tokens.count <= 4 { note(.brief) }
    if let override = text.firstDirectionOverride {
      let token = tokenized.tokens.firstIndex {
        text.span(of: $0.range).end > override.start
      }
      let at = token ?? tokenized.tokens.count - 1
      tokenized.findings.append(
        Finding(atom: Observation.directionOverride.rawValue, first: at, last: at))
    }
  }

  // MARK: - Explaining

  private func reasons(
    _ text: NormalizedText, _ reading: Reading, modelEvidence: Double, ruleUnit: Double
  ) -> [Assessment.Reason] {
    let total = modelEvidence + reading.forPoints * ruleUnit
    guard total > 0 else { return [] }
    var all: [(order: Int, share: Double, reason: Assessment.Reason)] = []
    for (index, match) in reading.matches.enumerated() where reading.points[index] > 0 {
      let rule = rules.signals[match.signal].rule
      let share = reading.points[index] * ruleUnit / total
      all.append(
        (
          index, share,
          Assessment.Reason(
            signal: rule.id, sentence: rule.sentence, share: share,
            span: span(text, reading, match.tokens))
        ))
    }
    if modelEvidence / total >= Self.leastShare {
      all.append(
        (
          .max, modelEvidence / total,
          Assessment.Reason(
            signal: "model", sentence: "The wording is like that of scams people have reported.",
            share: modelEvidence / total, span: modelSpan(text, reading))
        ))
    }
    all.sort { ($1.share, $0.order) < ($0.share, $1.order) }
    return all.prefix(Self.mostReasons).filter { $0.share >= Self.leastShare }.map(\.reason)
  }

  private func counterEvidence(
    _ text: NormalizedText, _ reading: Reading
  ) -> [Assessment.Reason] {
    guard reading.againstPoints > 0 else { return [] }
    var all: [(order: Int, reason: Assessment.Reason)] = []
    for (index, match) in reading.matches.enumerated() where reading.points[index] < 0 {
      let rule = rules.signals[match.signal].rule
      all.append(
        (
          index,
          Assessment.Reason(
            signal: rule.id, sentence: rule.sentence,
            share: -reading.points[index] / reading.againstPoints,
            span: span(text, reading, match.tokens))
        ))
    }
    all.sort { ($1.reason.share, $0.order) < ($0.reason.share, $1.order) }
    return all.map(\.reason).prefix(Self.mostReasons).filter { $0.share >= Self.leastShare }
  }

  private func span(
    _ text: NormalizedText, _ reading: Reading, _ tokens: ClosedRange<Int>?
  ) -> ByteSpan? {
    guard let tokens else { return nil }
    let all = reading.tokenized.tokens
    return text.span(
      of: all[tokens.lowerBound].range.lowerBound..<all[tokens.upperBound].range.upperBound)
  }

  /// The words that move the model most: the run of tokens with the largest sum, at most twelve.
  private func modelSpan(_ text: NormalizedText, _ reading: Reading) -> ByteSpan? {
    let window = reading.verdict.window
    guard !window.isEmpty else { return nil }
    let contributions = model.contributions(of: reading.features, in: window)
    var best = (sum: Int64(0), start: 0, end: 0)
    for start in contributions.indices {
      var sum: Int64 = 0
      for end in start..<min(start + 12, contributions.count) {
        sum += contributions[end]
        if sum > best.sum { best = (sum, start, end + 1) }
      }
    }
    guard best.end > best.start else { return nil }
    return span(
      text, reading, (window.lowerBound + best.start)...(window.lowerBound + best.end - 1))
  }

  /// The kind of scam: the one with the most points, else what the text is about.
  private func category(_ reading: Reading) -> ScamCategory {
    var topics = 0
    var points = [Double](repeating: 0, count: ScamCategory.allCases.count + 1)
    for (index, match) in reading.matches.enumerated() where reading.points[index] > 0 {
      if let category = rules.signals[match.signal].category {
        points[category.rawValue] += reading.points[index]
      }
    }
    for finding in reading.findings {
      for category in rules.topicsByAtom[finding.atom] where topics & 1 << category == 0 {
        topics |= 1 << category
        points[category] += 0.3
      }
    }
    var best = ScamCategory.other
    var most = 0.0
    for category in ScamCategory.allCases where points[category.rawValue] > most {
      (best, most) = (category, points[category.rawValue])
    }
    return best
  }

  /// How sure the engine is: far from the middle, long enough, in English, and of one mind.
  private func confidence(
    _ text: NormalizedText, _ reading: Reading, score: Double, modelLogOdds: Double,
    _ circumstances: Circumstances
  ) -> Double {
    let tokens = reading.tokenized.tokens
    var words = 0
    var common = 0
    var known = 0
    for token in tokens where token.kind == .word {
      words += 1
      if token.word != 0 {
        known += 1
        if rules.lexicon.isCommon[token.word] { common += 1 }
      }
    }
    var value = 0.5 + abs(score - 0.5)
    value *= Double(min(tokens.count, 8) + 2) / 10
    let english = isEnglish(text, words: words, common: common, known: known)
    if !english { value *= 0.5 } else if circumstances.language != "en" { value *= 0.9 }
    if modelLogOdds > 1, reading.ruleLogOdds < -1.5 || modelLogOdds < -1 && reading.ruleLogOdds > 1
    {
      value *= 0.8
    }
    return max(0.05, min(0.99, value))
  }

  /// Whether enough of the words are frequent English ones. Short texts get the benefit of the doubt.
  private func isEnglish(_ text: NormalizedText, words: Int, common: Int, known: Int) -> Bool {
    if text.foreignLetterCount * 4 > text.letterCount { return false }
    guard words >= 4 else { return words > 0 }
    return common * 8 >= words && known * 5 >= words
  }
}
