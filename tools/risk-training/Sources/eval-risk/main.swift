// eval-risk --data DIR: figures of the shipped engine on texts that training never saw, by set and
// channel, as they are and disguised, beside the baseline and SpamAssassin. eval-risk
// --leave-one-out --data DIR: figures on each source of a model that was trained without it.
// eval-risk --speed: texts a second on one core.

import Foundation
import RiskEngineDomain
import RiskTraining

func fail(_ message: String) -> Never {
  FileHandle.standardError.write(Data("eval-risk: \(message)\n".utf8))
  exit(64)
}

/// Texts of one set and channel, with the scores of whoever scored them.
struct Group {
  var set: String
  var channel: String
  var texts: [LabelledText]
}

func groups(_ texts: [(set: String, text: LabelledText)]) -> [Group] {
  var order: [String] = []
  var byKey: [String: Group] = [:]
  for (set, text) in texts {
    let key = set + " " + text.channel
    if byKey[key] == nil {
      order.append(key)
      byKey[key] = Group(set: set, channel: text.channel, texts: [])
    }
    byKey[key]?.texts.append(text)
  }
  return order.sorted().compactMap { byKey[$0] }
}

func dump(_ rows: [(LabelledText, RiskEngine.Evidence, Double)], _ name: String) throws {
  guard let folder = option("--dump") else { return }
  try FileManager.default.createDirectory(
    at: URL(filePath: folder), withIntermediateDirectories: true)
  let lines = rows.map { text, evidence, score in
    "\(String(format: "%.4f", score))\t\(text.source)\t\(text.channel)\t\(text.label)\t"
      + "\(String(format: "%.2f", evidence.modelRaw))\t\(String(format: "%.2f", evidence.ruleLogOdds))\t"
      + text.text.replacing("\n", with: " / ")
  }
  try Data((lines.joined(separator: "\n") + "\n").utf8)
    .write(to: URL(filePath: folder).appending(path: name + ".tsv"))
}

/// Sample of fixed size by hash: the same texts in every run.
func sample(_ texts: [LabelledText], _ count: Int) -> [LabelledText] {
  guard texts.count > count else { return texts }
  func key(_ text: LabelledText) -> UInt64 {
    var random = SplitMix(seed: text.id.utf8.reduce(7) { $0 &* 31 &+ UInt64($1) })
    return random.next()
  }
  return texts.map { (key($0), $0) }.sorted { ($0.0, $0.1.id) < ($1.0, $1.1.id) }.prefix(count)
    .map(\.1)
}

func leaveOneOut(_ data: URL) throws {
  let settings = Trainer.Settings.fromCommandLine()
  let trainer = try Trainer(
    bundle: Bundle(folder: Places.resources), modelVersion: "leave-one-out", settings: settings)
  let train = try LabelledText.read(data.appending(path: "train.jsonl"))
  let measure = try LabelledText.read(data.appending(path: "measure.jsonl"))
  let templates = try TemplateFile(Places.templates)
  let own =
    try templates.generate(copies: settings.copies, seed: 2, .training)
    + WrittenTexts.read(Places.written, .training)
  let folds = option("--folds")?.split(separator: ",").map(String.init)
  func log(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }
  var held = trainer.leaveOneOut(train + own, folds: folds, log: log)
  let engine = trainer.fit(train + own, log: log)
  let parameters = trainer.calibrated(engine.model.parameters, on: held)
  log("parameters: \(parameters)")
  for text in measure { held.append(.init(text: text, evidence: engine.evidence(on: text.text))) }
  let heldBack =
    try templates.generate(copies: 4, seed: 3, .held).map { ("templates held out", $0) }
    + WrittenTexts.read(Places.written, .held).map { ("written held out", $0) }
  for (source, text) in heldBack {
    var text = text
    text.source = source
    held.append(.init(text: text, evidence: engine.evidence(on: text.text)))
  }
  let scored = held.map { ($0.text, $0.evidence, Trainer.score($0.evidence, parameters)) }
  try dump(scored, "leave-one-out")
  // One threshold for all: a set of scams alone has no legitimate texts of its own.
  let ham = scored.filter { $0.0.label == "legit" && $0.0.source != "own" }.map(\.2)
  var rows: [Row] = []
  for source in Set(scored.map(\.0.source)).sorted() + ["all"] {
    for channel in ["sms", "email", "voicemail_or_call", "web", "letter"] {
      let chosen = scored.filter {
        (source == "all" || $0.0.source == source) && $0.0.channel == channel
      }
      guard !chosen.isEmpty else { continue }
      rows.append(
        Row(
          set: source, channel: channel, engine: "kith", threshold: Bands.standard.medium,
          figures: Figures(
            chosen.map { (label: $0.0.label, score: $0.2) }, threshold: Bands.standard.medium,
            ham: ham)))
    }
  }
  if CommandLine.arguments.contains("--json") {
    try Table.json(rows)
  } else {
    print(
      "Each source scored by a model that was trained without it; spamhunter, super, exais and the held templates by the "
        + "whole one. Flagged: score >= 0.35. @0.5%: recall above 99.5 % of all legitimate texts of the sources."
    )
    Table.print(rows)
  }
}

func evaluate(_ data: URL) throws {
  let engine = try Bundle(folder: option("--bundle").map { URL(filePath: $0) } ?? Places.resources)
    .engine()
  var all: [(set: String, text: LabelledText)] = []
  for file in ["tune", "measure"] {
    for text in try LabelledText.read(data.appending(path: "\(file).jsonl")) {
      all.append(("\(file) \(text.source)", text))
    }
  }
  for text in try TemplateFile(Places.templates).generate(copies: 4, seed: 3, .held) {
    all.append(("templates held out", text))
  }
  for text in try WrittenTexts.read(Places.written, .held) {
    all.append(("written held out", text))
  }
  let groups = groups(all)
  let medium = Bands.standard.medium
  let texts = groups.flatMap(\.texts)
  let kith = texts.map { engine.assess($0.text).score }
  try dump(
    zip(texts, kith).map { ($0, engine.evidence(on: $0.text), $1) }, "held")
  let baseline = try Rivals.baseline(texts, data: data)
  func isHam(_ index: Int) -> Bool { texts[index].label == "legit" }
  func threshold(_ scores: [Double], _ part: Int) -> Double {
    let ham = scores.indices.filter(isHam).map { scores[$0] }.sorted(by: >)
    return ham.isEmpty ? 0.5 : ham[ham.count / part].nextUp
  }
  var rows: [Row] = []
  var first = 0
  let kithHam = kith.indices.filter(isHam).map { kith[$0] }
  let baselineThreshold = baseline.map { threshold($0, 200) } ?? 0
  let baselineHam = baseline.map { scores in scores.indices.filter(isHam).map { scores[$0] } }
  for group in groups {
    let range = first..<(first + group.texts.count)
    first = range.upperBound
    func row(_ name: String, _ scores: [Double], _ threshold: Double, _ ham: [Double]?) {
      rows.append(
        Row(
          set: group.set, channel: group.channel, engine: name, threshold: threshold,
          figures: Figures(
            range.map { (label: texts[$0].label, score: scores[$0]) }, threshold: threshold,
            ham: ham)))
    }
    row("kith", kith, medium, kithHam)
    row("kith high", kith, Bands.standard.high, kithHam)
    if let baseline { row("baseline", baseline, baselineThreshold, baselineHam) }
    let sampled = sample(group.texts, 100)
    if let points = try Rivals.spamAssassin(sampled) {
      rows.append(
        Row(
          set: group.set, channel: group.channel, engine: "SpamAssassin", threshold: 5,
          figures: Figures(
            zip(sampled, points).map {
              (label: $0.label, score: 1 / (1 + DeterministicMath.exponential(5 - $1)))
            }, threshold: 0.5)))
    }
  }
  // All together, as one that knows nothing of sets sees them.
  for channel in Set(texts.map(\.channel)).sorted() {
    let places = texts.indices.filter { texts[$0].channel == channel }
    for (name, threshold) in [("kith", medium), ("kith high", Bands.standard.high)] {
      rows.append(
        Row(
          set: "all", channel: channel, engine: name, threshold: threshold,
          figures: Figures(
            places.map { (label: texts[$0].label, score: kith[$0]) }, threshold: threshold,
            ham: kithHam)))
    }
  }
  var disguises: [Row] = []
  for group in groups {
    let scams = sample(group.texts.filter(\.isScam), 300)
    guard scams.count >= 10 else { continue }
    let found = Double(scams.filter { engine.assess($0.text).score >= medium }.count)
    for way in Obfuscation.allCases {
      let scored = scams.map {
        (label: "scam", score: engine.assess(way.applied(to: $0.text)).score)
      }
      let figures = Figures(scored, threshold: medium)
      disguises.append(
        Row(
          set: group.set, channel: group.channel, engine: "kith", threshold: medium,
          figures: figures, disguise: way.rawValue,
          recallLost: found / Double(scams.count) - (figures.recall ?? 0)))
    }
    guard option("--python").map({ !$0.isEmpty }) == true else { continue }
    let hidden = Obfuscation.allCases.flatMap { way in
      scams.map { text in
        var text = text
        text.text = way.applied(to: text.text)
        return text
      }
    }
    guard let scores = try Rivals.baseline(scams + hidden, data: data) else { continue }
    let plain =
      Double(scores.prefix(scams.count).filter { $0 >= baselineThreshold }.count)
      / Double(scams.count)
    for (number, way) in Obfuscation.allCases.enumerated() {
      let figures = Figures(
        scores[(scams.count * (number + 1))..<(scams.count * (number + 2))].map {
          (label: "scam", score: $0)
        }, threshold: baselineThreshold)
      disguises.append(
        Row(
          set: group.set, channel: group.channel, engine: "baseline", threshold: baselineThreshold,
          figures: figures, disguise: way.rawValue, recallLost: plain - (figures.recall ?? 0)))
    }
  }
  if CommandLine.arguments.contains("--json") {
    try Table.json(rows + disguises)
    return
  }
  print(
    "engine \(engine.version). kith flags from 0.35 (medium), kith high from 0.70; @0.5%: recall above 99.5 % of all "
      + "legitimate texts here.")
  print(
    "baseline: scikit-learn TF-IDF (words 1-2, characters 3-5) + logistic regression on the same train.jsonl, flagging "
      + "above 99.5 % of all legitimate texts here (\(String(format: "%.3f", baselineThreshold))).")
  print(
    "SpamAssassin: Debian's rules without network, at its 5 points, on at most 100 texts a set, chosen by hash.\n"
  )
  Table.print(rows)
  print("")
  Table.printDisguises(disguises.sorted { ($0.disguise ?? "") < ($1.disguise ?? "") })
}

do {
  if CommandLine.arguments.contains("--speed") {
    let engine = try Bundle(
      folder: option("--bundle").map { URL(filePath: $0) } ?? Places.resources
    ).engine()
    try Speed.measure(engine)
    exit(0)
  }
  guard let data = option("--data") else {
    fail(
      "usage: tools/eval-risk --data DIR [--leave-one-out] [--json] [--no-baseline] [--no-spamassassin] | "
        + "tools/eval-risk --speed [--json]")
  }
  let folder = Places.data(data, or: "risk_text")
  if CommandLine.arguments.contains("--leave-one-out") {
    try leaveOneOut(folder)
  } else {
    try evaluate(folder)
  }
} catch {
  fail("\(error)")
}
