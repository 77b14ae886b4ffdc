import Foundation
import RiskEngineDomain
import RiskTraining

/// Texts a second on one core, and how long one text takes.
enum Speed {
  struct Report: Codable {
    var textsPerSecond: Double
    var p50Microseconds: Double
    var p99Microseconds: Double
    var texts: Int
    var longTextBytes: Int
    var longP50Microseconds: Double
    var longP99Microseconds: Double
  }

  static func measure(_ engine: RiskEngine) throws {
    // Texts of our own, each cut or repeated to 160 characters.
    let own = try TemplateFile(Places.templates).generate(copies: 1, seed: 9, .all)
    let texts = own.map { text in
      var long = text.text
      while long.count < 160 { long += " " + text.text }
      return String(long.prefix(160))
    }
    // Letters of 64 KiB out of the same texts.
    var letters: [String] = []
    var letter = ""
    for text in own + own {
      letter += text.text + "\n"
      if letter.utf8.count >= 65536 {
        letters.append(String(decoding: Array(letter.utf8).prefix(65536), as: UTF8.self))
        letter = ""
      }
    }
    var sum = 0.0
    for text in texts { sum += engine.assess(text).score }
    let clock = ContinuousClock()
    func time(_ texts: [String], rounds: Int) -> [Duration] {
      var times: [Duration] = []
      for _ in 0..<rounds {
        for text in texts {
          let start = clock.now
          sum += engine.assess(text).score
          times.append(clock.now - start)
        }
      }
      return times.sorted()
    }
    let short = time(texts, rounds: max(1, 40_000 / texts.count))
    let long = time(letters, rounds: max(1, 200 / max(1, letters.count)))
    func microseconds(_ duration: Duration) -> Double {
      Double(duration.components.attoseconds) / 1e12 + Double(duration.components.seconds) * 1e6
    }
    func part(_ times: [Duration], _ percent: Int) -> Double {
      times.isEmpty ? 0 : microseconds(times[times.count * percent / 100])
    }
    let total = short.reduce(Duration.zero, +)
    let report = Report(
      textsPerSecond: (Double(short.count) / (microseconds(total) / 1e6)).rounded(),
      p50Microseconds: part(short, 50), p99Microseconds: part(short, 99), texts: short.count,
      longTextBytes: 65536, longP50Microseconds: part(long, 50),
      longP99Microseconds: part(long, 99))
    guard sum.isFinite else { throw ToolError("a score is no number") }
    if CommandLine.arguments.contains("--json") {
      try Table.json(report)
    } else {
      func text(_ value: Double) -> String { String(format: "%.1f", value) }
      print(
        "risk engine, one core, 160 characters: \(Int(report.textsPerSecond)) texts/s, p50 "
          + "\(text(report.p50Microseconds)) us, p99 \(text(report.p99Microseconds)) us "
          + "(\(report.texts) texts)")
      print(
        "64 KiB: p50 \(text(report.longP50Microseconds / 1000)) ms, p99 "
          + "\(text(report.longP99Microseconds / 1000)) ms (\(long.count) texts)")
    }
  }
}
