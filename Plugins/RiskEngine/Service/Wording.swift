import RiskContract
import RiskEngineDomain

/// Puts what the engine found into the words of a contract: sentences of the catalogue, contacts of
/// the person's state.
struct Wording {
  let bundle: ResourceBundle
  let strings: StringCatalogue
  /// The person's state; nil when it is not known.
  let state: ContactFile.State?

  init(bundle: ResourceBundle, language: String, state: ContactFile.State?) {
    self.bundle = bundle
    strings = bundle.strings(for: language)
    self.state = state
  }

  func response(_ assessment: Assessment) -> AnalyzeResponse {
    let (level, label): (Level, Label) =
      switch assessment.level {
      case .low: (.low, .likelySafe)
      case .medium: (.medium, .suspicious)
      case .high: (.high, .likelyScam)
      }
    return AnalyzeResponse(
      score: assessment.score, score100: UInt32(assessment.score100), level: level, label: label,
      category: Self.category(assessment.category), confidence: assessment.confidence,
      reasons: assessment.reasons.map(reason),
      counterEvidence: assessment.counterEvidence.map(reason),
      recommendedActions: strings.actions(for: assessment.category, isSure: assessment.isSure).map {
        Action(title: $0.title, steps: $0.steps)
      },
      federalContacts: bundle.contacts.federal(for: assessment.category).map {
        Contact(
          name: $0.name, purpose: strings.purposes[$0.id] ?? "", phone: $0.phone, url: $0.url)
      },
      stateContacts: state.map {
        [
          Contact(
            name: $0.office, purpose: strings.purposes["state"] ?? "", phone: $0.phone, url: $0.url)
        ]
      } ?? [],
      legalNote: strings.legalNote, engineVersion: bundle.engine.version)
  }

  func explanation(_ calculation: Calculation) -> Explanation {
    let parameters = bundle.engine.model.parameters
    let rules = bundle.engine.rules
    return Explanation(
      verdict: response(calculation.assessment),
      signals: calculation.signals.map {
        SignalPoints(
          signal: $0.id, group: $0.group, weight: $0.weight, points: $0.points,
          sentence: sentence($0.id, $0.sender), span: $0.span.map(Self.span))
      },
      groups: calculation.groups.map { GroupPoints(group: $0.name, sum: $0.sum, cap: $0.cap) },
      pointsFor: calculation.forPoints, pointsAgainst: calculation.againstPoints,
      counterFactor: calculation.counterFactor, ruleLogOdds: calculation.ruleLogOdds,
      threshold: rules.threshold, slope: rules.slope,
      model: ModelPart(
        rawLogOdds: calculation.modelRaw, logOdds: calculation.modelLogOdds,
        probability: DeterministicMath.sigmoid(calculation.modelLogOdds),
        window: calculation.window.map(Self.span),
        tokens: calculation.words.map { TokenWeight(span: Self.span($0.span), weight: $0.weight) }),
      modelShare: parameters.share, blendSlope: parameters.blendSlope,
      blendOffset: parameters.blendOffset, blendedLogOdds: calculation.blendedLogOdds,
      floor: calculation.floor, links: calculation.links.map(Self.link),
      senders: calculation.senders)
  }

  func rule(_ rule: SignalRule) -> Rule {
    Rule(
      id: rule.id, group: rule.group, weight: rule.weight,
      category: Self.category(rule.category.flatMap(ScamCategory.init(name:))), pattern: rule.all,
      within: UInt32(clamping: rule.within ?? 0), unless: rule.unless ?? [],
      floor: rule.floor ?? 0, sentence: sentence(rule.id, nil))
  }

  static func link(_ report: RiskEngineDomain.LinkReport) -> RiskContract.LinkReport {
    RiskContract.LinkReport(
      registrableDomain: report.registrableDomain, publicSuffix: report.publicSuffix,
      bucket: report.bucket.rawValue, imitates: report.imitates ?? "",
      observations: report.observations, span: report.span.map(span))
  }

  private func reason(_ reason: Assessment.Reason) -> Reason {
    Reason(
      signal: reason.signal, sentence: sentence(reason.signal, reason.sender), share: reason.share,
      span: reason.span.map(Self.span))
  }

  private func sentence(_ signal: String, _ sender: String?) -> String {
    strings.sentence(for: signal, about: sender.flatMap(bundle.engine.senderName))
  }

  private static func category(_ category: ScamCategory?) -> RiskContract.Category {
    category.map { RiskContract.Category(rawValue: Int32($0.rawValue)) } ?? .unspecified
  }

  private static func span(_ span: ByteSpan) -> Span {
    Span(start: UInt32(clamping: span.start), end: UInt32(clamping: span.end))
  }
}
