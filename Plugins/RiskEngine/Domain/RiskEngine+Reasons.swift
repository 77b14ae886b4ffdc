extension RiskEngine {
  /// Reasons below this share are left out.
  static let leastShare = 0.10
  static let mostReasons = 3
  /// What the text model's own evidence is called.
  static let modelSignal = "model"

  /// What speaks for a scam, in units of log-odds.
  struct ForEvidence {
    var model: Double
    /// What a point of the rules is worth.
    var ruleUnit: Double
    var total: Double
  }

  func evidence(modelLogOdds: Double?, _ weighing: Weighing) -> ForEvidence {
    let parameters = model.parameters
    let share = modelLogOdds == nil ? 0 : parameters.share
    let own = (modelLogOdds ?? 0) - model.calibrated(parameters.bias)
    let model = share * max(0, own)
    let unit = (1 - share) / rules.file.slope
    return ForEvidence(model: model, ruleUnit: unit, total: model + weighing.forPoints * unit)
  }

  func reasons(
    _ text: NormalizedText, _ reading: Reading, _ evidence: ForEvidence
  ) -> [Assessment.Reason] {
    var all: [Assessment.Reason] = []
    for (match, points) in zip(reading.matches, reading.weighing.points) where points > 0 {
      all.append(
        reason(
          match.signal, share: points * evidence.ruleUnit / evidence.total,
          span: span(text, reading, match.tokens), sender: sender(of: match, reading)))
    }
    if evidence.model > 0 {
      all.append(
        Assessment.Reason(
          signal: Self.modelSignal, share: evidence.model / evidence.total,
          span: modelSpan(text, reading)))
    }
    return Self.strongest(all)
  }

  func counterEvidence(_ text: NormalizedText, _ reading: Reading) -> [Assessment.Reason] {
    guard reading.weighing.againstPoints > 0 else { return [] }
    var all: [Assessment.Reason] = []
    for (match, points) in zip(reading.matches, reading.weighing.points) where points < 0 {
      all.append(
        reason(
          match.signal, share: -points / reading.weighing.againstPoints,
          span: span(text, reading, match.tokens), sender: sender(of: match, reading)))
    }
    return Self.strongest(all)
  }

  func reason(
    _ signal: Int, share: Double, span: ByteSpan?, sender: String?
  ) -> Assessment.Reason {
    Assessment.Reason(
      signal: rules.signals[signal].rule.id, share: share, span: span,
      sender: sender)
  }

  /// The reasons that are worth telling, strongest first; equal ones in the order of the text. The
  /// model comes behind those that a person can check.
  static func strongest(_ reasons: [Assessment.Reason]) -> [Assessment.Reason] {
    let told = reasons.enumerated()
      .sorted { ($1.element.share, $0.offset) < ($0.element.share, $1.offset) }
      .map(\.element).prefix(mostReasons).filter { $0.share >= leastShare }
    return told.filter { $0.signal != modelSignal } + told.filter { $0.signal == modelSignal }
  }

  /// Whom a match is about, by the sender's or brand's id: whom its link imitates, a sender that it
  /// names, else the first that the text does.
  func sender(of match: RuleSet.Match, _ reading: Reading) -> String? {
    if let tokens = match.tokens {
      for link in reading.tokenized.links where tokens.contains(link.token) {
        if let imitated = catalogue.imitated(by: link) { return imitated.id }
      }
    }
    guard let first = reading.senders.first else { return nil }
    guard let tokens = match.tokens, reading.senders.count > 1 else {
      return senders.entries[first].id
    }
    for finding in reading.findings
    where finding.first >= tokens.lowerBound && finding.last <= tokens.upperBound
      && rules.senderAtoms.contains(finding.atom)
    {
      return senders.entries[finding.atom - rules.senderAtoms.lowerBound].id
    }
    return senders.entries[first].id
  }

  /// Whom a text seems to pose as, by their ids: those it names, and those its links imitate.
  func suspects(_ reading: Reading) -> [String] {
    var ids = reading.senders.map { senders.entries[$0].id }
    for link in reading.tokenized.links where ids.count < Self.mostSenders {
      if let imitated = catalogue.imitated(by: link), !ids.contains(imitated.id) {
        ids.append(imitated.id)
      }
    }
    return ids
  }

  func span(
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
  func category(_ reading: Reading) -> ScamCategory {
    var topics = 0
    var points = categoryPoints(reading.matches.map(\.signal), reading.weighing)
    for finding in reading.findings where finding.atom < rules.topicsByAtom.count {
      for category in rules.topicsByAtom[finding.atom] where topics & 1 << category == 0 {
        topics |= 1 << category
        points[category] += 0.3
      }
    }
    return category(with: points, suspects: suspects(reading))
  }

  /// The kind of scam that signals alone tell, and who is suspected.
  func category(_ signals: [Int], _ weighing: Weighing, _ suspects: [String]) -> ScamCategory {
    category(with: categoryPoints(signals, weighing), suspects: suspects)
  }

  /// Who is named decides where stories and threats do not: a note in the name of a bank is about
  /// the bank.
  private func category(with points: [Double], suspects: [String]) -> ScamCategory {
    var points = points
    for id in suspects.prefix(Self.mostSenders) {
      // A shop is named in stories of every kind; a bank or a carrier mostly in its own.
      if let category = senders.entry(id)?.kind.posedAs {
        points[category.rawValue] += category == .businessImpersonation ? 0.3 : 0.8
      }
    }
    return Self.category(with: points)
  }

  /// For each category's number the points of the signals that speak for it.
  func categoryPoints(_ signals: [Int], _ weighing: Weighing) -> [Double] {
    var points = [Double](repeating: 0, count: ScamCategory.allCases.count + 1)
    for (signal, own) in zip(signals, weighing.points) where own > 0 {
      if let category = rules.signals[signal].category { points[category.rawValue] += own }
    }
    return points
  }

  static func category(with points: [Double]) -> ScamCategory {
    var best = ScamCategory.other
    var most = 0.0
    for category in ScamCategory.allCases where points[category.rawValue] > most {
      (best, most) = (category, points[category.rawValue])
    }
    return best
  }

  /// How sure the engine is: far from the middle, long enough, in English, and of one mind.
  func confidence(
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
    // A list of numbers is sure of what it names, whatever the text says, or if there is none.
    if reading.matches.contains(where: { rules.floors[$0.signal] >= 0.9 }) { return 0.9 }
    let english = isEnglish(text, words: words, common: common, known: known)
    return confidence(
      score: score, words: tokens.count, isEnglish: english, language: circumstances.language,
      modelLogOdds: modelLogOdds, ruleLogOdds: reading.weighing.ruleLogOdds)
  }

  /// The same from numbers alone.
  func confidence(
    score: Double, words: Int, isEnglish: Bool, language: String, modelLogOdds: Double,
    ruleLogOdds: Double
  ) -> Double {
    var value = 0.5 + abs(score - 0.5)
    value *= Double(min(words, 8) + 2) / 10
    if !isEnglish { value *= 0.5 } else if language != "en" { value *= 0.9 }
    if modelLogOdds > 1 && ruleLogOdds < -1.5 || modelLogOdds < -1 && ruleLogOdds > 1 {
      value *= 0.8
    }
    return max(0.05, min(0.99, value))
  }

  /// Whether enough of the words are frequent English ones. Short texts get the benefit of the
  /// doubt.
  private func isEnglish(_ text: NormalizedText, words: Int, common: Int, known: Int) -> Bool {
    if text.foreignLetterCount * 4 > text.letterCount { return false }
    guard words >= 4 else { return words > 0 }
    return common * 5 >= words && known * 4 >= words
  }
}
