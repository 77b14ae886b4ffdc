// train-risk --data DIR [--out DIR]: trains the text model from DIR/train.jsonl and our own
// templates, calibrates it and the blend with the rules on sources that were left out, and writes
// model.bin and model.json into the plugin's resources. The same input gives the same bytes.

import Foundation
import RiskEngineDomain
import RiskTraining

let modelVersion = "2.1.0"
/// When this version was made. Not the clock's word: the same input gives the same bytes.
let createdAt = "2026-11-22T00:00:00Z"

func fail(_ message: String) -> Never {
  FileHandle.standardError.write(Data("train-risk: \(message)\n".utf8))
  exit(64)
}

func log(_ line: String) { print(line) }

do {
  guard let data = option("--data") else {
    fail("usage: tools/train-risk --data DIR   (DIR holds train.jsonl and tune.jsonl)")
  }
  let folder = Places.data(data, or: "risk_text")
  let settings = Trainer.Settings.fromCommandLine()
  let out = Bundle(folder: option("--out").map { URL(filePath: $0) } ?? Places.resources)
  let resources = Bundle(folder: Places.resources)
  let trainer = try Trainer(bundle: resources, modelVersion: modelVersion, settings: settings)
  let train = try LabelledText.read(folder.appending(path: "train.jsonl"))
  let tune = try LabelledText.read(folder.appending(path: "tune.jsonl"))
  let templates = try TemplateFile(Places.templates)
  let generated = templates.generate(copies: settings.copies, seed: 2, .training)
  let own = try generated + WrittenTexts.read(Places.written, .training)
  let ownHeld = templates.generate(copies: 4, seed: 3, .held)
  let writtenHeld = try WrittenTexts.read(Places.written, .held)
  log(
    "\(train.count) texts, \(own.count - generated.count) that we wrote, and \(generated.count) from "
      + "\(templates.count(.training)) templates of ours"
  )
  // Calibration does not use the mail of 2002: see `Trainer.calibrated`.
  let folds = Set((train + own).map(Trainer.fold)).subtracting(["spamassassin"]).sorted()
  let held = trainer.leaveOneOut(train + own, folds: folds, log: log)
  var engine = trainer.fit(train + own, log: log)
  engine.model.parameters = trainer.calibrated(engine.model.parameters, on: held)
  log("parameters: \(engine.model.parameters)")

  // Figures: of texts left out, and of the shipped model on texts that it did not train on.
  let medium = Bands.standard.medium
  var rows: [ModelCard.Row] = []
  func add(_ held: String, _ scored: [(text: LabelledText, score: Double)]) {
    let groups = Dictionary(grouping: scored) { "\($0.text.source), \($0.text.channel)" }
    for (name, texts) in groups.sorted(by: { $0.key < $1.key }) {
      rows.append(
        .init(
          name: name, held: held,
          figures: Figures(
            texts.map { (label: $0.text.label, score: $0.score) }, threshold: medium)))
    }
  }
  func scored(_ texts: [LabelledText]) -> [(text: LabelledText, score: Double)] {
    texts.map { ($0, engine.assess($0.text).score) }
  }
  add("left out", held.map { ($0.text, Trainer.score($0.evidence, engine.model.parameters)) })
  let measureFile = folder.appending(path: "measure.jsonl")
  if FileManager.default.fileExists(atPath: measureFile.path) {
    add("unseen", scored(try LabelledText.read(measureFile)))
  }
  add(
    "unseen",
    scored(
      ownHeld.map { text in
        var text = text
        text.source = "own templates"
        return text
      }))
  add("unseen", scored(writtenHeld))
  let tuned = scored(tune)
  add("same source", tuned)
  let overall = Figures(
    tuned.map { (label: $0.text.label, score: $0.score) }, threshold: medium)
  var figures: [String: Double] = [:]
  figures["auc"] = overall.auc
  figures["ece"] = overall.ece
  figures["recall_at_medium"] = overall.recall
  figures["precision_at_medium"] = overall.precision
  figures["fpr_legit_at_medium"] = overall.falsePositivesLegit
  figures["recall_at_half_percent_fpr"] = overall.recallAtHalfPercent
  figures = figures.mapValues { ($0 * 10_000).rounded() / 10_000 }
  var checksum = ""
  try out.write(engine.model) { sum in
    checksum = sum
    return Bundle.Metadata(
      version: modelVersion, createdAt: createdAt, rulesVersion: engine.rules.version,
      file: "model.bin", sha256: sum, trainingTexts: train.count + own.count,
      generatedTexts: generated.count, figures: figures)
  }
  let counts = Dictionary(grouping: train + own, by: \.source).mapValues(\.count)
  let card = ModelCard(
    version: modelVersion, rulesVersion: engine.rules.version, checksum: checksum,
    sources: counts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) },
    templates: (templates.count(.training), templates.count(.held)),
    parameters: engine.model.parameters, rows: rows)
  try Data(card.markdown.utf8).write(
    to: option("--out").map { URL(filePath: $0).appending(path: "MODEL.md") } ?? Places.modelCard)
  for (name, value) in figures.sorted(by: { $0.key < $1.key }) { print("tune \(name): \(value)") }
  for row in rows {
    print(
      "\(row.held) \(row.name): \(row.figures.texts) texts, recall \(row.figures.recall ?? -1), "
        + "flagged legitimate \(row.figures.falsePositivesLegit ?? -1), marketing "
        + "\(row.figures.falsePositivesSpam ?? -1), calibration error \(row.figures.ece)")
  }
  print("wrote \(out.folder.path)/model.bin and model.json, and the model card")
} catch {
  fail("\(error)")
}
