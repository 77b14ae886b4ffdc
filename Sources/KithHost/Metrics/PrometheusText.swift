/// Builds a page in Prometheus' text exposition format, version 0.0.4.
struct PrometheusText {
  /// The page so far.
  private(set) var text = ""

  /// What kind of metric a family is.
  enum Kind: String {
    case counter, gauge, histogram
  }

  /// The media type of the page.
  static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

  /// Begins a family of samples: all of one name come together, as the format asks.
  mutating func family(_ name: String, _ kind: Kind, _ help: String) {
    text += "# HELP \(name) \(Self.escaped(help, quotes: false))\n# TYPE \(name) \(kind.rawValue)\n"
  }

  /// Adds a sample.
  mutating func sample(_ name: String, _ labels: [(String, String)], _ value: Double) {
    let labels = labels.map { "\($0)=\"\(Self.escaped($1, quotes: true))\"" }
    text += name + (labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}") + " "
    text += Self.number(value) + "\n"
  }

  /// Adds a count.
  mutating func sample(_ name: String, _ labels: [(String, String)], _ value: UInt64) {
    sample(name, labels, Double(value))
  }

  private static func number(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
    return Int64(exactly: value).map { "\($0)" } ?? "\(value)"
  }

  private static func escaped(_ text: String, quotes: Bool) -> String {
    var result = ""
    for character in text {
      switch character {
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\"" where quotes: result += "\\\""
      default: result.append(character)
      }
    }
    return result
  }
}
