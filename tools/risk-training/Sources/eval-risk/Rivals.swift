import Foundation
import RiskTraining

/// Other classifiers, run on the same texts beside the engine.
enum Rivals {
  /// Scores of the scikit-learn baseline, in the order of the texts; nil when `--python` names
  /// none.
  ///
  /// - Parameter data: the folder with the texts that it trains on, the same as the engine's.
  static func baseline(_ texts: [LabelledText], data: URL) throws -> [Double]? {
    guard let python = option("--python"), !python.isEmpty else { return nil }
    let output = try run(
      python, [Places.package.appending(path: "baseline.py").path, data.path], on: texts)
    return try scores(output, texts.count, "baseline.py")
  }

  /// SpamAssassin's points, in the order of the texts; nil when `--spamassassin` names no perl.
  static func spamAssassin(_ texts: [LabelledText]) throws -> [Double]? {
    guard let perl = option("--spamassassin"), !perl.isEmpty else { return nil }
    let output = try run(perl, [Places.package.appending(path: "spamassassin.pl").path], on: texts)
    return try scores(output, texts.count, "spamassassin.pl")
  }

  private static func scores(_ output: String, _ count: Int, _ name: String) throws -> [Double] {
    let scores = output.split(separator: "\n").compactMap { Double($0) }
    guard scores.count == count else {
      throw ToolError("\(name) gave \(scores.count) scores, expected \(count)")
    }
    return scores
  }

  /// Runs a program with the texts as lines of JSON in a file, the last argument, and returns what
  /// it prints.
  private static func run(
    _ program: String, _ arguments: [String], on texts: [LabelledText]
  ) throws -> String {
    let file = FileManager.default.temporaryDirectory.appending(
      path: "kith-eval-risk-\(ProcessInfo.processInfo.processIdentifier).jsonl")
    defer { try? FileManager.default.removeItem(at: file) }
    let encoder = JSONEncoder()
    var lines = Data()
    for text in texts {
      lines.append(try encoder.encode(text))
      lines.append(UInt8(ascii: "\n"))
    }
    try lines.write(to: file)
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments + [file.path]
    process.standardOutput = pipe
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw ToolError(
        "\(arguments.first ?? program) ended with status \(process.terminationStatus)")
    }
    return String(decoding: output, as: UTF8.self)
  }
}
