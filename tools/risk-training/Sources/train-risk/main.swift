// train-risk --data DIR [--out DIR]: trains the text model from DIR/train.jsonl and our own templates, calibrates it and
// the blend with the rules on sources that were left out, and writes model.bin and model.json into the plugin's resources.
// The same input gives the same bytes.

import Foundation
import RiskEngineDomain
import RiskTraining

let modelVersion = "2.0.0"

func fail(_ message: String) -> Never {
  FileHandle.standardError.write(Data("train-risk: \(message)\n".utf8))
  exit(64)
}

func log(_ line: String) { print(line) }

do {
  guard let data = option("--data") else {
    fail("usage: tools/train-risk --data DIR   (DIR holds train.jsonl and tune.jsonl)")
  }
  let folder = URL(filePath: data)
  let settings = Trainer.Settings.fromCommandLine()
  let out = Bundle(folder: option("--out").map { URL(filePath: $0) } ?? Places.resources)
  let resources = Bundle(folder: Places.resources)
  let trainer = try Trainer(bundle: resources, modelVersion: modelVersion, settings: settings)
  let train = try LabelledText.read(folder.appending(path: "train.jsonl"))
  let tune = try LabelledText.read(folder.appending(path: "tune.jsonl"))
  let templates = try TemplateFile(Places.templates)
  let own = templates.generate(copies: settings.copies, seed: 2, .training)
  let ownHeld = templates.generate(copies: 4, seed: 3, .held)
  log(
    "\(train.count) texts, and \(own.count) of our own from \(templates.count(.training)) templates"
  )
  let held = trainer.leaveOneOut(train + own, log: log)
  var engine = trainer.fit(train + own, log: log)
  engine.model.parameters = trainer.calibrated(engine.model.parameters, on: held)
  log("parameters: \(engine.model.parameters)")

  let scored = (tune + ownHeld).map { (label: $0.label, score: engine.assess($0.text).score) }
  let medium = Figures(scored, threshold: Bands.standard.medium)
  var figures: [String: Double] = [:]
  figures["auc"] = medium.auc
  figures["ece"] = medium.ece
  figures["recall_at_medium"] = medium.recall
  figures["precision_at_medium"] = medium.precision
  figures["fpr_legit_at_medium"] = medium.falsePositivesLegit
  figures["recall_at_half_percent_fpr"] = medium.recallAtHalfPercent
  figures = figures.mapValues { ($0 * 10_000).rounded() / 10_000 }
  try out.write(engine.model) { checksum in
    Bundle.Metadata(
      version: modelVersion, rulesVersion: engine.rules.version, file: "model.bin",
      sha256: checksum, trainingTexts: train.count + own.count, generatedTexts: own.count,
      figures: figures)
  }
  for (name, value) in figures.sorted(by: { $0.key < $1.key }) { print("held \(name): \(value)") }
  print("wrote \(out.folder.path)/model.bin and model.json")
} catch {
  fail("\(error)")
}
