// train-risk --data DIR [--out DIR]: trains the text model from DIR/train.jsonl and our own templates, calibrates it and
// the blend with the rules on DIR/tune.jsonl, and writes model.bin and model.json into the plugin's resources.
// The same input gives the same bytes.

import Foundation
import RiskEngineDomain
import RiskTraining

let modelVersion = "1.0.0"
/// Marketing is not fraud, so it trains as "no scam"; with less weight, because the public collections are not of one mind
/// about where it ends.
let spamWeight = Double(option("--spam-weight") ?? "0.5") ?? 0.5
let ownWeight = Double(option("--own-weight") ?? "0.4") ?? 0.4
let miningFrom = Double(option("--mining") ?? "-2.5") ?? -2.5
let copies = Int(option("--copies") ?? "10") ?? 10
let penalty = Double(option("--penalty") ?? "0.3") ?? 0.3
/// The share of the model in the blend. Fitted on texts of the training's own sources it would come out higher than it
/// deserves on new ones, so it is set.
let share = Double(option("--share") ?? "0.5") ?? 0.5

func fail(_ message: String) -> Never {
  FileHandle.standardError.write(Data("train-risk: \(message)\n".utf8))
  exit(64)
}

func weight(_ text: LabelledText) -> Double {
  let bySource: [String: Double] = ["own": ownWeight, "ftc_robocall": 2]
  return (text.label == "spam" ? spamWeight : 1) * (bySource[text.source] ?? 1)
}

do {
  guard let data = option("--data") else {
    fail("usage: tools/train-risk --data DIR   (DIR holds train.jsonl and tune.jsonl)")
  }
  let folder = URL(filePath: data)
  let bundle = Bundle(folder: option("--out").map { URL(filePath: $0) } ?? Places.resources)
  let rules = try Bundle(folder: Places.resources).rules()
  let train = try LabelledText.read(folder.appending(path: "train.jsonl"))
  let tune = try LabelledText.read(folder.appending(path: "tune.jsonl"))
  let templates = try TemplateFile(Places.templates)
  let own = templates.generate(copies: copies, seed: 2)
  let ownHeld = templates.generate(copies: 1, seed: 3)

  func engine(_ parameters: TextModel.Parameters, _ weights: [Int16]) -> RiskEngine {
    RiskEngine(
      bundle: rules, model: TextModel(parameters: parameters, weights: weights),
      modelVersion: modelVersion)
  }
  var parameters = TextModel.Parameters(
    unit: 1, bias: 0, leastNorm: Examples.leastNorm, calibrationSlope: 1, calibrationOffset: 0,
    share: share, blendOffset: 0, blendSlope: 1)
  let reader = engine(parameters, [Int16](repeating: 0, count: TextModel.bucketCount))

  print(
    "reading \(train.count) texts and \(own.count) of our own from \(templates.count) templates")
  var examples: [LogisticRegression.Example] = []
  for text in train + own {
    examples += Examples.examples(
      of: reader.features(of: text.text), isPositive: text.isScam, weight: weight(text))
  }
  func fit(_ examples: [LogisticRegression.Example]) -> [Int16] {
    let examples = Examples.pruned(examples, least: 3)
    print("fitting \(examples.count) windows")
    let fit = LogisticRegression(
      examples: examples, dimensions: TextModel.bucketCount, penalty: penalty, iterations: 120)
    let largest = fit.weights.reduce(0) { max($0, abs($1)) }
    parameters.unit = largest / 32767
    parameters.bias = fit.bias
    return fit.weights.map { Int16(($0 / parameters.unit).rounded(.toNearestOrEven)) }
  }
  var weights = fit(examples)
  // The model answers for its worst window, so it learns from the worst windows of texts that are no scams.
  let rounds = Int(option("--rounds") ?? "3") ?? 3
  for round in 1...rounds {
    let fitted = engine(parameters, weights)
    for text in train + own where !text.isScam {
      let features = reader.features(of: text.text)
      let evidence = fitted.evidence(on: text.text)
      guard evidence.window.count < features.ends.count, evidence.modelRaw > miningFrom else {
        continue
      }
      let long = features.ends.count > 40
      examples.append(
        Examples.example(
          of: features, in: evidence.window, isPositive: false,
          weight: weight(text) * (long ? 1 : 0.5) / Double(round)))
    }
    weights = fit(examples)
  }
  print("weights: \(weights.filter { $0 != 0 }.count) of \(weights.count) are not zero")

  // Calibration (Platt) of the model alone, then of its blend with the rules, on texts not trained on.
  var fitted = engine(parameters, weights)
  func scaled(
    _ points: [(x: Double, isPositive: Bool, weight: Double)]
  ) -> (slope: Double, offset: Double) {
    let fit = LogisticRegression(
      examples: points.map {
        LogisticRegression.Example(
          buckets: [0], values: [Float($0.x)], isPositive: $0.isPositive, weight: $0.weight)
      }, dimensions: 1, penalty: 1e-3, iterations: 100)
    return (fit.weights[0], fit.bias)
  }
  let held = tune + ownHeld
  let evidence = held.map { fitted.evidence(on: $0.text) }
  (parameters.calibrationSlope, parameters.calibrationOffset) = scaled(
    zip(held, evidence).map { ($1.modelRaw, $0.isScam, weight($0)) })
  (parameters.blendSlope, parameters.blendOffset) = scaled(
    zip(held, evidence).map { text, evidence in
      let model = parameters.calibrationSlope * evidence.modelRaw + parameters.calibrationOffset
      return (share * model + (1 - share) * evidence.ruleLogOdds, text.isScam, weight(text))
    })
  fitted.model.parameters = parameters
  print("parameters: \(parameters)")

  let scored = tune.map { (label: $0.label, score: fitted.assess($0.text).score) }
  let medium = Figures(scored, threshold: Bands.standard.medium)
  let legit = scored.filter { $0.label == "legit" }.map(\.score).sorted(by: >)
  let threshold = legit.isEmpty ? 1 : legit[legit.count / 100]
  let scams = scored.filter { $0.label == "scam" }
  let found = scams.filter { $0.score > threshold }.count
  var figures: [String: Double] = [:]
  figures["auc"] = medium.auc
  figures["ece"] = medium.ece
  figures["recall_at_medium"] = medium.recall
  figures["precision_at_medium"] = medium.precision
  figures["fpr_legit_at_medium"] = medium.falsePositivesLegit
  figures["recall_at_1_percent_fpr"] = Double(found) / Double(max(1, scams.count))
  figures = figures.mapValues { ($0 * 10_000).rounded() / 10_000 }
  try bundle.write(fitted.model) { checksum in
    Bundle.Metadata(
      version: modelVersion, rulesVersion: rules.rules.version, file: "model.bin", sha256: checksum,
      trainingTexts: train.count + own.count, generatedTexts: own.count, figures: figures)
  }
  for (name, value) in figures.sorted(by: { $0.key < $1.key }) { print("tune \(name): \(value)") }
  print("wrote \(bundle.folder.path)/model.bin and model.json")
} catch {
  fail("\(error)")
}
