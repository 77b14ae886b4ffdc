import KithRPC
import RiskContract
import RiskEngineDomain

extension RiskContract.FeatureVector {
  /// A vector as it leaves.
  init(_ vector: RiskEngineDomain.FeatureVector, channel: Channel, state: String) {
    self.init(
      v: UInt32(clamping: vector.version), channel: channel, language: vector.language,
      lengthChars: UInt32(clamping: vector.lengthCharacters), hasLinks: vector.hasLinks,
      linkDomains: vector.linkDomains, signals: vector.signals,
      brandSuspects: vector.brandSuspects, timeOfDayBucket: vector.timeOfDay?.rawValue ?? "",
      state: state, modelScore: vector.modelScore ?? 0)
  }

  /// A vector that came in, in the domain's terms.
  ///
  /// - Throws: INVALID_ARGUMENT naming the field that is wrong.
  func checked() throws(RPCError) -> RiskEngineDomain.FeatureVector {
    guard v > 0 else {
      throw .invalidArgument(field: "v", "it is 0, expected the version of the vector: 1")
    }
    let score = modelScore
    guard (0...1).contains(score) else {
      throw .invalidArgument(field: "model_score", "expected a number from 0 to 1")
    }
    let most = RiskEngineDomain.FeatureVector.mostNames
    for (field, count) in [
      ("signals", signals.count), ("link_domains", linkDomains.count),
      ("brand_suspects", brandSuspects.count),
    ] where count > most {
      throw .invalidArgument(field: field, "it has \(count) names, at most \(most) are taken")
    }
    // A part of the day that is not known comes from a newer version, which may say more.
    return RiskEngineDomain.FeatureVector(
      version: Int(v), language: language.isEmpty ? "en" : language,
      lengthCharacters: Int(lengthChars), hasLinks: hasLinks, linkDomains: linkDomains,
      signals: signals, brandSuspects: brandSuspects,
      timeOfDay: LocalTime.PartOfDay(rawValue: timeOfDayBucket),
      modelScore: score == 0 ? nil : score)
  }
}
