extension RiskEngine {
  /// How many words of a long text the rules take together.
  static let ruleWindowTokens = 96

  func read(_ text: NormalizedText, _ circumstances: Circumstances) -> Reading {
    var tokenized = tokenizer.tokenize(text)
    addWholeTextFindings(text, circumstances, &tokenized)
    let said = rules.findings(in: tokenized)
    var findings = said
    let senders = sendersNamed(in: findings)
    let claims = claimFindings(text, tokenized, findings, senders, circumstances)
    if !claims.isEmpty {
      findings += claims
      findings.sort(by: Finding.precedes)
    }
    let matches = densest(rules.matches(of: findings), tokenCount: tokenized.tokens.count)
    // What the text says, not what is known beside it: the model was trained on texts alone.
    let features = FeatureExtractor.features(
      of: text, tokenized, findings: said, atomFeatures: rules.atomFeatures)
    return Reading(
      tokenized: tokenized, findings: findings, matches: matches,
      weighing: Weighing(of: matches.map(\.signal), by: rules), features: features,
      verdict: model.verdict(on: features), senders: senders)
  }

  /// The matches that count: of those that speak for a scam, the ones of the stretch of text where
  /// they weigh most, each signal once. A long letter is not a scam because its pages add up, and
  /// padding does not hide the page that is one. What speaks against counts wherever it stands.
  private func densest(_ all: [RuleSet.Match], tokenCount: Int) -> [RuleSet.Match] {
    // Few signals match in one place: looking through them is faster than hashing.
    func distinct(_ matches: [RuleSet.Match]) -> [RuleSet.Match] {
      var kept: [RuleSet.Match] = []
      for match in matches where !kept.contains(where: { $0.signal == match.signal }) {
        kept.append(match)
      }
      return kept
    }
    let against = distinct(all.filter { rules.weights[$0.signal] < 0 })
    let found = all.filter { rules.weights[$0.signal] >= 0 }
    guard tokenCount > Self.ruleWindowTokens else { return distinct(found) + against }
    let wide = found.filter { $0.tokens == nil }
    let narrow = found.compactMap { match in match.tokens.map { (match, $0.lowerBound) } }
      .sorted { $0.1 < $1.1 }
    // How often each signal is in the stretch: points are only counted anew when one comes or goes.
    var counts = [Int](repeating: 0, count: rules.signalCount)
    for match in wide { counts[match.signal] += 1 }
    var best = 0..<0
    var most = -1.0
    var first = 0
    var end = 0
    var start = 0
    while start < tokenCount {
      var changed = false
      while end < narrow.count, narrow[end].1 < start + Self.ruleWindowTokens {
        counts[narrow[end].0.signal] += 1
        if counts[narrow[end].0.signal] == 1 { changed = true }
        end += 1
      }
      while first < end, narrow[first].1 < start {
        counts[narrow[first].0.signal] -= 1
        if counts[narrow[first].0.signal] == 0 { changed = true }
        first += 1
      }
      if changed {
        let points = Weighing.points(of: counts.indices.lazy.filter { counts[$0] > 0 }, by: rules)
        if points > most { (best, most) = (first..<end, points) }
      }
      start += TextModel.windowStride
    }
    return distinct(wide + narrow[best].map(\.0)) + against
  }

  // MARK: - What no phrase shows

  func addWholeTextFindings(
    _ text: NormalizedText, _ circumstances: Circumstances, _ tokenized: inout TokenizedText
  ) {
    func note(_ observation: Observation) {
      tokenized.findings.append(Finding(atom: observation.rawValue, first: 0, last: 0))
    }
    for observation in observations(of: circumstances) { note(observation) }
    guard !tokenized.tokens.isEmpty else { return }
    if text.letterCount >= 20, text.upperCaseCount * 10 >= text.letterCount * 7 { note(.shouting) }
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

  /// What is to be seen of the sender's address.
  private func observations(of circumstances: Circumstances) -> [Observation] {
    var result: [Observation] = circumstances.senderIsContact ? [.contact] : []
    switch circumstances.sender {
    case .phone(let digits):
      if circumstances.suspectedNumbers.contains(digits) { result.append(.senderReported) }
      if circumstances.sender?.isCallBackTrap == true { result.append(.senderOneRing) }
      if circumstances.sender?.isImpossible == true { result.append(.senderImpossible) }
    case .shortCode: result.append(.senderShortCode)
    case .email(let domain):
      var traits: LinkTraits = []
      let scalars = domain.unicodeScalars.map(\.value)
      let isASCII = scalars.allSatisfy { $0 < 0x80 }
      let reading = catalogue.examine(
        host: Punycode.folded(scalars), scalars: isASCII ? nil : scalars, traits: &traits)
      if reading.reason != nil {
        result.append(.senderLookalike)
      }
    case nil: break
    }
    return result
  }

  private func sendersNamed(in findings: [Finding]) -> [Int] {
    var senders: [Int] = []
    for finding in findings where rules.senderAtoms.contains(finding.atom) {
      let sender = finding.atom - rules.senderAtoms.lowerBound
      if !senders.contains(sender), senders.count < Self.mostSenders { senders.append(sender) }
    }
    return senders
  }

  /// What does not fit together: who is named, and the hour, the number to call, the link, the
  /// address.
  private func claimFindings(
    _ text: NormalizedText, _ tokenized: TokenizedText, _ findings: [Finding], _ named: [Int],
    _ circumstances: Circumstances
  ) -> [Finding] {
    var result: [Finding] = []
    func note(_ observation: Observation, at token: Int) {
      result.append(Finding(atom: observation.rawValue, first: token, last: token))
    }
    let entries = named.map { senders.entries[$0] }
    let numbers = entries.reduce(into: Set<String>()) { $0.formUnion($1.numbers) }
    if !numbers.isEmpty || !circumstances.suspectedNumbers.isEmpty {
      for (index, token) in tokenized.tokens.enumerated() where token.kind == .phone {
        guard case .phone(let digits)? = text.phone(in: token.range) else { continue }
        if circumstances.suspectedNumbers.contains(digits) { note(.phoneReported, at: index) }
        if !numbers.isEmpty {
          note(numbers.contains(digits) ? .callbackOwn : .callbackMismatch, at: index)
        }
      }
    }
    guard !entries.isEmpty else { return result }
    for link in tokenized.links where link.traits.isUnknown || link.traits.contains(.short) {
      note(.linkMismatch, at: link.token)
    }
    let closed = { (entry: SenderDirectory.Entry) in
      entry.hours.map { hours in !circumstances.localTimes.contains { hours.contain($0) } } ?? false
    }
    if !circumstances.localTimes.isEmpty,
      let sender = named.first(where: { closed(senders.entries[$0]) })
    {
      let atom = rules.senderAtoms.lowerBound + sender
      for finding in findings where finding.atom == atom {
        note(.offHours, at: finding.first)
        break
      }
    }
    if case .email(let domain)? = circumstances.sender {
      let own = entries.contains { entry in
        entry.domains.contains { domain == $0 || domain.hasSuffix("." + $0) }
      }
      if own {
        note(.senderOwnDomain, at: 0)
      } else if catalogue.listing(of: domain.utf8).contains(.freeMail) {
        note(.senderFreeMail, at: 0)
      }
    }
    return result
  }
}

extension NormalizedText {
  /// The telephone number in a range, as an address.
  func phone(in range: Range<Int>) -> SenderAddress? {
    var digits: [UInt8] = []
    for index in range where scalars[index] &- 0x30 < 10 { digits.append(UInt8(scalars[index])) }
    return SenderAddress(digits: digits, international: scalars[range.lowerBound] == 0x2B)
  }
}
