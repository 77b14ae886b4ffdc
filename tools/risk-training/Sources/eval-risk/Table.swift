import Foundation
import RiskTraining

/// One row of a report.
struct Row: Codable {
  var set: String
  var channel: String
  var engine: String
  var threshold: Double
  var figures: Figures
  /// The disguise of the texts; nil for the texts as they are.
  var disguise: String?
  /// The share of the scams found without the disguise that are not found with it.
  var recallLost: Double?
}

/// Rows as a person reads them.
enum Table {
  static func cell(_ value: Double?) -> String {
    pad(value.map { String(format: "%.3f", $0) } ?? "-", 6)
  }

  static func percent(_ value: Double?) -> String {
    pad(value.map { String(format: "%.2f%%", 100 * $0) } ?? "-", 8)
  }

  static func pad(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }

  static func left(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
  }

  static func print(_ rows: [Row]) {
    Swift.print(
      left("set", 27) + left("channel", 19) + left("engine", 14)
        + " texts  scams recall @0.5%    AUC    ECE w/o mk. FPR legit FPR mark.")
    var last = ""
    for row in rows {
      let f = row.figures
      if row.set + row.channel != last, !last.isEmpty { Swift.print("") }
      last = row.set + row.channel
      Swift.print(
        left(row.set, 27) + left(row.channel, 19) + left(row.engine, 14)
          + pad(String(f.texts), 6) + pad(String(f.scams), 7) + " " + cell(f.recall) + " "
          + cell(f.recallAtHalfPercent) + " " + cell(f.auc) + " " + cell(f.ece) + "  "
          + cell(f.eceWithoutMarketing) + "  "
          + percent(f.falsePositivesLegit) + " " + percent(f.falsePositivesSpam))
    }
  }

  static func printDisguises(_ rows: [Row]) {
    Swift.print(
      left("disguise", 20) + left("set", 27) + left("engine", 14) + " scams recall   lost")
    for row in rows {
      Swift.print(
        left(row.disguise ?? "", 20) + left(row.set, 27) + left(row.engine, 14)
          + pad(String(row.figures.scams), 6) + " " + cell(row.figures.recall) + " "
          + cell(row.recallLost))
    }
  }

  static func json(_ value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    Swift.print(String(decoding: try encoder.encode(value), as: UTF8.self))
  }
}
