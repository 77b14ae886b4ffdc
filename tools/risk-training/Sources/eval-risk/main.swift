// eval-risk --data DIR: figures of the shipped engine on tune.jsonl and measure.jsonl, by source, beside the baseline.
// eval-risk --speed: texts a second on one core, and p50 and p99 of texts of 160 characters.

import Foundation
import RiskEngineDomain
import RiskTraining

/// One row of the report.
struct Row: Codable {
  var file: String
  var source: String
  var engine: String
  var threshold: Double
  var figures: Figures
}

func fail(_ message: String) -> Never {
  FileHandle.standardError.write(Data("eval-risk: \(message)\n".utf8))
  exit(64)
}

func cell(_ value: Double?, _ digits: Int = 3) -> String {
  guard let value else { return "     -" }
  let text = String(format: "%.\(digits)f", value)
  return String(repeating: " ", count: max(0, 6 - text.count)) + text
}

func percent(_ value: Double?) -> String {
  guard let value else { return "      -" }
  let text = String(format: "%.2f%%", 100 * value)
  return String(repeating: " ", count: max(0, 7 - text.count)) + text
}

func json(_ value: some Encodable) throws {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
  print(String(decoding: try encoder.encode(value), as: UTF8.self))
}

/// Scores by `file id`, made by baseline.py.
func baseline(_ folder: URL) throws -> [String: Double]? {
  guard let python = option("--python"), !python.isEmpty else { return nil }
  let output = FileManager.default.temporaryDirectory.appending(
    path: "kith-baseline-\(ProcessInfo.processInfo.processIdentifier).txt")
  defer { try? FileManager.default.removeItem(at: output) }
  let process = Process()
  process.executableURL = URL(filePath: python)
  process.arguments = [
    Places.package.appending(path: "baseline.py").path, folder.path, output.path,
  ]
  try process.run()
  process.waitUntilExit()
  guard process.terminationStatus == 0 else {
    throw ToolError("baseline.py ended with status \(process.terminationStatus)")
  }
  var scores: [String: Double] = [:]
  for line in try String(contentsOf: output, encoding: .utf8).split(separator: "\n") {
    let fields = line.split(separator: " ")
    guard fields.count == 3, let score = Double(fields[2]) else { continue }
    scores["\(fields[0]) \(fields[1])"] = score
  }
  return scores
}

func measureSpeed(_ engine: RiskEngine) throws {
  // Texts of our own, each cut or repeated to 160 characters.
  let texts = try TemplateFile(Places.templates).generate(copies: 4, seed: 9).map { text in
    var long = text.text
    while long.count < 160 { long += " " + text.text }
    return String(long.prefix(160))
  }
  var sum = 0.0
  for text in texts { sum += engine.assess(text).score }
  let clock = ContinuousClock()
  var times: [Duration] = []
  let begin = clock.now
  for _ in 0..<20 {
    for text in texts {
      let start = clock.now
      sum += engine.assess(text).score
      times.append(clock.now - start)
    }
  }
  let elapsed = clock.now - begin
  times.sort()
  func microseconds(_ duration: Duration) -> Double {
    Double(duration.components.attoseconds) / 1e12 + Double(duration.components.seconds) * 1e6
  }
  struct Speed: Codable {
    var textsPerSecond: Double
    var p50Microseconds: Double
    var p99Microseconds: Double
    var characters = 160
    var texts: Int
  }
  let speed = Speed(
    textsPerSecond: (Double(times.count) / (microseconds(elapsed) / 1e6)).rounded(),
    p50Microseconds: microseconds(times[times.count / 2]),
    p99Microseconds: microseconds(times[times.count * 99 / 100]), texts: times.count)
  guard sum.isFinite else { throw ToolError("a score is no number") }
  if CommandLine.arguments.contains("--json") {
    try json(speed)
  } else {
    print(
      "risk engine, one core, 160 characters: \(Int(speed.textsPerSecond)) texts/s, "
        + "p50 \(String(format: "%.1f", speed.p50Microseconds)) us, "
        + "p99 \(String(format: "%.1f", speed.p99Microseconds)) us (\(speed.texts) texts)")
  }
}

do {
  let engine = try Bundle(folder: option("--bundle").map { URL(filePath: $0) } ?? Places.resources)
    .engine()
  if CommandLine.arguments.contains("--speed") {
    try measureSpeed(engine)
    exit(0)
  }
  guard let data = option("--data") else {
    fail(
      "usage: tools/eval-risk --data DIR [--json] [--no-baseline] | tools/eval-risk --speed [--json]"
    )
  }
  let folder = URL(filePath: data)
  let files = try ["tune", "measure"].map { name in
    (name, try LabelledText.read(folder.appending(path: "\(name).jsonl")))
  }
  let baselineScores = try baseline(folder)
  var baselineThreshold = 0.5
  if let baselineScores, let tune = files.first?.1 {
    let ham = tune.filter { $0.label == "legit" }
      .compactMap { baselineScores["tune \($0.id)"] }.sorted(by: >)
    if !ham.isEmpty { baselineThreshold = ham[ham.count / 100].nextUp }
  }
  var rows: [Row] = []
  for (name, texts) in files {
    let scores = texts.map { engine.assess($0.text).score }
    if let dump = option("--dump") {
      let lines = zip(texts, scores).map { text, score in
        let flat = text.text.replacing("\n", with: " ")
        let base = baselineScores?["\(name) \(text.id)"] ?? 0
        let evidence = engine.evidence(on: text.text)
        return "\(name)\t\(text.source)\t\(text.label)\t\(score)\t\(base)\t\(evidence.modelRaw)\t"
          + "\(evidence.ruleLogOdds)\t\(flat)"
      }
      try Data((lines.joined(separator: "\n") + "\n").utf8)
        .write(to: URL(filePath: dump + "-\(name).tsv"))
    }
    for source in Set(texts.map(\.source)).sorted() + ["all"] {
      let chosen = texts.indices.filter { source == "all" || texts[$0].source == source }
      let scored = chosen.map { (label: texts[$0].label, score: scores[$0]) }
      for (band, threshold) in [
        (">= medium", Bands.standard.medium), (">= high", Bands.standard.high),
      ] {
        rows.append(
          Row(
            file: name, source: source, engine: "kith \(band)", threshold: threshold,
            figures: Figures(scored, threshold: threshold)))
      }
      if let baselineScores {
        let scored = chosen.map {
          (label: texts[$0].label, score: baselineScores["\(name) \(texts[$0].id)"] ?? 0)
        }
        rows.append(
          Row(
            file: name, source: source, engine: "baseline", threshold: baselineThreshold,
            figures: Figures(scored, threshold: baselineThreshold)))
      }
    }
  }
  if CommandLine.arguments.contains("--json") {
    try json(rows)
  } else {
    print("engine \(engine.version). Bands: medium from 0.35, high from 0.70.")
    print(
      "baseline: scikit-learn TF-IDF (words 1-2, characters 3-5) + logistic regression on the same "
        + "train.jsonl, at the threshold of 1 % of tune's legitimate texts "
        + "(\(String(format: "%.3f", baselineThreshold))).")
    print("FPR: share of legitimate and of marketing texts that are flagged.\n")
    print(
      "file     source         engine          texts  scams   prec recall     F1    AUC    ECE "
        + "FPR legit FPR spam")
    func padded(_ text: String, _ width: Int) -> String {
      text + String(repeating: " ", count: max(1, width - text.count))
    }
    func right(_ value: Int, _ width: Int) -> String {
      let text = String(value)
      return String(repeating: " ", count: max(0, width - text.count)) + text
    }
    var last = ""
    for row in rows {
      let f = row.figures
      if row.file + row.source != last, !last.isEmpty { print("") }
      last = row.file + row.source
      print(
        padded(row.file, 9) + padded(row.source, 15) + padded(row.engine, 16)
          + right(f.texts, 5) + right(f.scams, 7) + " " + cell(f.precision) + " "
          + cell(f.recall) + " " + cell(f.f1) + " " + cell(f.auc) + " " + cell(f.ece) + "   "
          + percent(f.falsePositivesLegit) + "  " + percent(f.falsePositivesSpam))
    }
  }
} catch {
  fail("\(error)")
}
