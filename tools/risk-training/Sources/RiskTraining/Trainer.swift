import Foundation
public import RiskEngineDomain

/// Trains the text model: from labelled texts and our own, with disguised copies, with windows of
/// genuine texts that it got wrong, and with a calibration on sources that it did not see.
public struct Trainer {
  /// What can be chosen.
  public struct Settings: Sendable {
    /// Marketing is not fraud, so it trains as "no scam"; with less weight, because the public
    /// collections are not of one mind about where it ends.
    public var marketingWeight = 0.5
    /// The weight of a text by its source; 1 where none is named.
    public var sourceWeights: [String: Double] = [
      "ftc_robocall": 2, "ncsu": 0.7, "written": 2,
    ]
    /// The weight of texts of the public gateways that offer an opt-out.
    public var optOutWeight = 0.1
    /// The weight of a disguised copy of a text.
    public var disguiseWeight = 0.3
    /// Windows of genuine texts from this raw score on are learned from once more.
    public var miningFrom = -2.5
    /// How often.
    public var rounds = 3
    /// How many texts are generated from each template.
    public var copies = 4
    /// The factor of the L2 penalty.
    public var penalty = 0.2
    /// How many examples have to use a feature.
    public var leastUses = 3
    /// The share of the genuine texts of sources not seen that may be above low. Every second that
    /// we wrote is on purpose hard: with these, one in twenty is one in two hundred of what people
    /// receive.
    public var falsePositives = 0.055
    /// What the fitted log-odds are multiplied with: a model that saw the source is surer than one
    /// that did not.
    public var sharpness = 1.25

    /// What ships.
    public init() {}

    /// What ships, but for what the command line says.
    public static func fromCommandLine() -> Settings {
      var settings = Settings()
      func number(_ name: String, _ value: inout Double) {
        if let given = option(name).flatMap(Double.init) { value = given }
      }
      func count(_ name: String, _ value: inout Int) {
        if let given = option(name).flatMap({ Int($0) }) { value = given }
      }
      number("--marketing-weight", &settings.marketingWeight)
      number("--disguise-weight", &settings.disguiseWeight)
      number("--mining-from", &settings.miningFrom)
      number("--penalty", &settings.penalty)
      number("--false-positives", &settings.falsePositives)
      number("--sharpness", &settings.sharpness)
      count("--rounds", &settings.rounds)
      count("--copies", &settings.copies)
      count("--least-uses", &settings.leastUses)
      for name in [
        "own", "written", "ftc_robocall", "ncsu", "uci", "mendeley", "otp_th", "spamassassin",
      ] {
        if let given = option("--weight-\(name)").flatMap(Double.init) {
          settings.sourceWeights[name] = given
        }
      }
      return settings
    }
  }

  private struct Item {
    var text: LabelledText
    var features: FeatureExtractor.Features
    var weight: Double
  }

  /// The settings.
  public let settings: Settings
  /// The engine with a model of zeros: it reads features.
  public let reader: RiskEngine
  private let makeEngine: (TextModel) -> RiskEngine

  /// A trainer for the rules of a bundle.
  public init(bundle: Bundle, modelVersion: String, settings: Settings) throws {
    self.settings = settings
    let rules = try bundle.rules()
    makeEngine = { RiskEngine(bundle: rules, model: $0, modelVersion: modelVersion) }
    reader = makeEngine(
      TextModel(
        parameters: Self.neutral,
        weights: [Int16](repeating: 0, count: TextModel.bucketCount)))
  }

  private static func offersOptOut(_ text: String) -> Bool {
    let text = text.lowercased()
    return ["opt-out", "optout", "opt out", "stop", "unsub"].contains { text.contains($0) }
  }

  private static let neutral = TextModel.Parameters(
    unit: 1, bias: 0, leastNorm: Examples.leastNorm, calibrationSlope: 1, calibrationOffset: 0,
    share: 0.5, blendOffset: 0, blendSlope: 1)

  /// The weight of a text.
  public func weight(of text: LabelledText) -> Double {
    // Many of the campaigns of the public gateways are marketing; those say how to stop them.
    if text.source == "ncsu", Self.offersOptOut(text.text) { return settings.optOutWeight }
    return (text.label == "spam" ? settings.marketingWeight : 1)
      * (settings.sourceWeights[text.source] ?? 1)
  }

  /// Disguised copies: of every second scam one, each time in another way, and of some genuine
  /// texts, so that a disguise alone is not all that is learned.
  private func disguised(_ texts: [LabelledText]) -> [LabelledText] {
    texts.compactMap { text in
      var random = SplitMix(seed: TemplateFile.hash(text.id + text.text))
      guard random.below(text.isScam ? 2 : 8) == 0 else { return nil }
      let way = Obfuscation.allCases[random.below(Obfuscation.allCases.count)]
      var copy = text
      copy.text = way.applied(to: text.text)
      return copy.text == text.text ? nil : copy
    }
  }

  /// Fits an uncalibrated model.
  public func fit(_ texts: [LabelledText], log: (String) -> Void = { _ in }) -> RiskEngine {
    var items = texts.map {
      Item(text: $0, features: reader.features(of: $0.text), weight: weight(of: $0))
    }
    items += disguised(texts).map {
      Item(
        text: $0, features: reader.features(of: $0.text),
        weight: settings.disguiseWeight * weight(of: $0))
    }
    var examples: [LogisticRegression.Example] = []
    for item in items {
      examples += Examples.examples(
        of: item.features, isPositive: item.text.isScam, weight: item.weight)
    }
    var engine = fitted(examples, log)
    // The model answers for its worst window, so it learns from the worst windows of texts that are
    // no scams.
    for round in 1...max(1, settings.rounds) where settings.rounds > 0 {
      for item in items where !item.text.isScam {
        let verdict = engine.model.worstWindow(of: item.features)
        guard verdict.window.count < item.features.ends.count, verdict.raw > settings.miningFrom
        else { continue }
        let long = item.features.ends.count > 40
        examples.append(
          Examples.example(
            of: item.features, in: verdict.window, isPositive: false,
            weight: item.weight * (long ? 1 : 0.5) / Double(round)))
      }
      engine = fitted(examples, log)
    }
    return engine
  }

  private func fitted(
    _ examples: [LogisticRegression.Example], _ log: (String) -> Void
  ) -> RiskEngine {
    let pruned = Examples.pruned(examples, least: settings.leastUses)
    let fit = LogisticRegression(
      examples: pruned, dimensions: TextModel.bucketCount, penalty: settings.penalty,
      iterations: 100)
    let largest = fit.weights.reduce(0) { max($0, abs($1)) }
    var parameters = Self.neutral
    parameters.unit = max(largest, 1e-9) / 32767
    parameters.bias = fit.bias
    let weights = fit.weights.map { Int16(($0 / parameters.unit).rounded(.toNearestOrEven)) }
    log("fitted \(pruned.count) windows, \(weights.filter { $0 != 0 }.count) weights are not 0")
    return makeEngine(TextModel(parameters: parameters, weights: weights))
  }

  /// A text with what a model that never saw its source says of it.
  public struct Held {
    /// The text.
    public var text: LabelledText
    /// What model and rules say.
    public var evidence: RiskEngine.Evidence

    /// A text with its evidence.
    public init(text: LabelledText, evidence: RiskEngine.Evidence) {
      self.text = text
      self.evidence = evidence
    }
  }

  /// Which part of the texts is left out together: a source, or a fold of our own templates.
  public static func fold(of text: LabelledText) -> String {
    switch text.source {
    // The two share many campaigns.
    case "uci", "mendeley": return "uci+mendeley"
    case "own":
      let number = text.id.split(separator: "-").dropFirst().first.flatMap { Int($0) } ?? 0
      return "own \(TemplateFile.hash(String(number)) % 2)"
    default: return text.source
    }
  }

  /// For each text what a model says that was trained without the text's fold.
  public func leaveOneOut(
    _ texts: [LabelledText], folds: [String]? = nil, log: (String) -> Void = { _ in }
  ) -> [Held] {
    let byFold = Dictionary(grouping: texts, by: Self.fold)
    var held: [Held] = []
    for fold in (folds ?? byFold.keys.sorted()) {
      let engine = fit(texts.filter { Self.fold(of: $0) != fold })
      log("left out \(fold): \(byFold[fold]?.count ?? 0) texts")
      for text in byFold[fold] ?? [] {
        held.append(Held(text: text, evidence: engine.evidence(on: text.text)))
      }
    }
    return held
  }

  /// The calibration (Platt) of the model alone, then of its blend with the rules, on texts of
  /// sources not seen.
  public func calibrated(
    _ parameters: TextModel.Parameters, on held: [Held]
  ) -> TextModel.Parameters {
    var parameters = parameters
    // Mail of 2002 is not what the engine is for: a model that never saw any would decide for all.
    // And marketing that counts as fraud does not calibrate.
    let held = held.filter {
      $0.text.source != "spamassassin"
        && !($0.text.source == "ncsu" && Self.offersOptOut($0.text.text))
    }
    // Each fold and label counts alike up to a point: a big source does not decide for all.
    let sizes = Dictionary(grouping: held) { Self.fold(of: $0.text) + $0.text.label }
      .mapValues { Double($0.count) }
    let weights = held.map { item in
      let size = sizes[Self.fold(of: item.text) + item.text.label] ?? 1
      return weight(of: item.text) * min(1, 400 / size)
    }
    func fit(_ columns: [[Double]]) -> (weights: [Double], bias: Double) {
      let fit = LogisticRegression(
        examples: held.indices.map { index in
          LogisticRegression.Example(
            buckets: columns.indices.map { Int32($0) }, values: columns.map { Float($0[index]) },
            isPositive: held[index].text.isScam, weight: weights[index])
        }, dimensions: columns.count, penalty: 1e-3, iterations: 200)
      return (fit.weights, fit.bias)
    }
    let raw = held.map(\.evidence.modelRaw)
    let rules = held.map(\.evidence.ruleLogOdds)
    let alone = fit([raw])
    (parameters.calibrationSlope, parameters.calibrationOffset) = (alone.weights[0], alone.bias)
    // How much each half is worth shows on sources that neither has seen: the model's are left out,
    // and the rules were written for none.
    let both = fit([raw, rules])
    let (model, rule) = (max(both.weights[0], 0.05), max(both.weights[1], 0.05))
    parameters.share = model / (model + rule * parameters.calibrationSlope)
    parameters.blendSlope = rule / (1 - parameters.share)
    parameters.blendOffset =
      both.bias - parameters.blendSlope * parameters.share * parameters.calibrationOffset
    // Genuine texts are far more frequent than in the sets: the offset is where few of them are
    // above low.
    let ham = held.filter { $0.text.label == "legit" }
      .map { Self.logOdds($0.evidence, parameters) }.sorted(by: >)
    if !ham.isEmpty {
      let edge = ham[Int(Double(ham.count) * settings.falsePositives)]
      let medium = Bands.standard.medium
      let wanted = DeterministicMath.logarithm(medium / (1 - medium))
      parameters.blendSlope *= settings.sharpness
      parameters.blendOffset =
        wanted - settings.sharpness * (edge - parameters.blendOffset)
    }
    return parameters
  }

  private static func logOdds(
    _ evidence: RiskEngine.Evidence, _ parameters: TextModel.Parameters
  ) -> Double {
    let model = parameters.calibrationSlope * evidence.modelRaw + parameters.calibrationOffset
    let mixed = parameters.share * model + (1 - parameters.share) * evidence.ruleLogOdds
    return parameters.blendSlope * mixed + parameters.blendOffset
  }

  /// The score that an engine with these parameters gives.
  public static func score(
    _ evidence: RiskEngine.Evidence, _ parameters: TextModel.Parameters
  ) -> Double {
    let blended = logOdds(evidence, parameters)
    return max(
      1 / (1 + DeterministicMath.exponential(-max(-20, min(20, blended)))), evidence.floor)
  }
}
