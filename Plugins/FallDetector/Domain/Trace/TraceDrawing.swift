/// Draws a trace as SVG: the length of the acceleration over time, and below it a bar for each
/// phase of each finding.
///
/// The drawing has a title and a description for screen readers, and says nothing by colour alone.
public struct TraceDrawing {
  private static let width = 1000.0
  private static let left = 118.0
  private static let right = 16.0
  private static let top = 58.0
  private static let plotHeight = 240.0
  private static let laneHeight = 22.0
  /// What the label of a phase takes.
  private static let labelWidth = 120.0
  private static let kinds: [Phase.Kind] = [
    .freeFall, .impact, .settling, .postureChange, .inactivity,
  ]

  private let points: [(nanoseconds: Int64, g: Double)]
  private let findings: [Finding]
  private let start: Int64
  private let seconds: Double
  private let ceilingG: Double

  /// The drawing of a trace with what was found in it. Samples that the detector skips are left
  /// out.
  public static func svg(samples: [AccelerationSample], findings: [Finding]) -> String {
    TraceDrawing(samples: samples, findings: findings).document
  }

  private init(samples: [AccelerationSample], findings: [Finding]) {
    var points: [(nanoseconds: Int64, g: Double)] = []
    for sample in samples where sample.isPlausible {
      if let last = points.last, last.nanoseconds >= sample.nanoseconds { continue }
      points.append((sample.nanoseconds, sample.magnitude))
    }
    self.points = points
    self.findings = findings
    start = points.first?.nanoseconds ?? 0
    let last = points.last?.nanoseconds ?? 0
    seconds = max(0.001, Double(last) / 1e9 - Double(start) / 1e9)
    let highest = points.reduce(2.0) { max($0, $1.g) }
    ceilingG = (highest * 1.05).rounded(.up)
  }

  // MARK: Parts

  private var height: Double {
    Self.top + Self.plotHeight + 40 + Double(Self.kinds.count) * Self.laneHeight + 14
  }

  private var document: String {
    var lines = [
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(text(Self.width)) \(text(height))\""
        + " role=\"img\" aria-labelledby=\"title description\" font-family=\"sans-serif\""
        + " font-size=\"13\" fill=\"#1a1a1a\">",
      "<title id=\"title\">Acceleration of a recorded trace</title>",
      "<desc id=\"description\">\(escaped(description))</desc>",
      "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>",
    ]
    lines += axes
    lines += findings.flatMap(bands)
    lines.append(curve)
    lines += lanes
    lines += markers
    lines.append("</svg>")
    return lines.joined(separator: "\n") + "\n"
  }

  /// What the drawing shows, in words.
  private var description: String {
    let highest = points.reduce(0.0) { max($0, $1.g) }
    let head =
      "\(points.count) samples in \(text(seconds)) s, at most \(Explanation.text(highest)) g."
    guard !findings.isEmpty else { return head + " Nothing was found." }
    return head + " "
      + findings.prefix(20).map { "At \(text(time($0.nanoseconds))) s: \($0.reason)." }.joined(
        separator: " ")
  }

  private var axes: [String] {
    let bottom = Self.top + Self.plotHeight
    var lines = [
      "<text x=\"\(text(Self.left - 8))\" y=\"\(text(Self.top - 12))\" text-anchor=\"end\""
        + " fill=\"#555555\">g</text>"
    ]
    let step = ceilingG <= 8 ? 1.0 : (ceilingG <= 16 ? 2 : 5)
    for g in stride(from: 0, through: ceilingG, by: step) {
      let y = text(self.y(g))
      lines.append(
        "<line x1=\"\(text(Self.left))\" x2=\"\(text(Self.width - Self.right))\" y1=\"\(y)\""
          + " y2=\"\(y)\" stroke=\"#e2e2e2\"/>"
          + "<text x=\"\(text(Self.left - 8))\" y=\"\(text(self.y(g) + 4))\" text-anchor=\"end\""
          + " fill=\"#555555\">\(Int(g))</text>")
    }
    let rough = seconds / 10
    let tick = [0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 300, 600, 1800].first { $0 >= rough } ?? 3600
    for index in 0...min(40, Int(seconds / tick)) {
      let x = text(Self.left + Double(index) * tick / seconds * plotWidth)
      lines.append(
        "<line x1=\"\(x)\" x2=\"\(x)\" y1=\"\(text(bottom))\" y2=\"\(text(bottom + 5))\""
          + " stroke=\"#555555\"/><text x=\"\(x)\" y=\"\(text(bottom + 20))\""
          + " text-anchor=\"middle\" fill=\"#555555\">\(text(Double(index) * tick)) s</text>")
    }
    return lines
  }

  /// The trace: the lowest and the highest sample of each column, so that no peak is lost.
  private var curve: String {
    var columns: [(x: Double, low: Double, high: Double)] = []
    for point in points {
      let x = (self.x(point.nanoseconds) * 2).rounded() / 2
      if let last = columns.last, last.x == x {
        columns[columns.count - 1].low = min(last.low, point.g)
        columns[columns.count - 1].high = max(last.high, point.g)
      } else {
        columns.append((x, point.g, point.g))
      }
    }
    let corners = columns.flatMap { column -> [String] in
      let low = "\(text(column.x)),\(text(y(column.low)))"
      let high = "\(text(column.x)),\(text(y(column.high)))"
      return low == high ? [low] : [low, high]
    }
    return "<polyline fill=\"none\" stroke=\"#1a1a1a\" stroke-width=\"1.2\""
      + " stroke-linejoin=\"round\" points=\"\(corners.joined(separator: " "))\"/>"
  }

  /// The phases of a finding behind the curve.
  private func bands(of finding: Finding) -> [String] {
    finding.phases.filter { $0.kind == .impact || $0.kind == .freeFall }.map { phase in
      let (from, width) = extent(phase)
      return "<rect x=\"\(text(from))\" y=\"\(text(Self.top))\" width=\"\(text(width))\""
        + " height=\"\(text(Self.plotHeight))\" fill=\"\(Self.colour(phase.kind))\""
        + " fill-opacity=\"0.22\"/>"
    }
  }

  /// A row for each kind of phase.
  private var lanes: [String] {
    Self.kinds.enumerated().flatMap { index, kind -> [String] in
      let y = Self.top + Self.plotHeight + 40 + Double(index) * Self.laneHeight
      var lines = [
        "<text x=\"\(text(Self.left - 8))\" y=\"\(text(y + 13))\" text-anchor=\"end\">"
          + "\(Self.name(kind))</text>",
        "<line x1=\"\(text(Self.left))\" x2=\"\(text(Self.width - Self.right))\""
          + " y1=\"\(text(y + 18.5))\" y2=\"\(text(y + 18.5))\" stroke=\"#eeeeee\"/>",
      ]
      let bars = findings.flatMap(\.phases).filter { $0.kind == kind }.map { ($0, extent($0)) }
      for (place, (phase, extent)) in bars.enumerated() {
        let end = extent.from + extent.width
        lines.append(
          "<rect x=\"\(text(extent.from))\" y=\"\(text(y + 2))\" width=\"\(text(extent.width))\""
            + " height=\"14\" rx=\"2\" fill=\"\(Self.colour(kind))\"/>")
        let isRight = end > Self.width - Self.right - Self.labelWidth
        let next = place + 1 < bars.count ? bars[place + 1].1.from : .infinity
        let last = place > 0 ? bars[place - 1].1.from + bars[place - 1].1.width : -.infinity
        let hasRoom =
          isRight ? extent.from - last > 2 * Self.labelWidth : next - end > Self.labelWidth
        guard hasRoom else { continue }
        lines.append(
          "<text x=\"\(text(isRight ? extent.from - 5 : end + 5))\" y=\"\(text(y + 13))\""
            + " text-anchor=\"\(isRight ? "end" : "start")\" font-size=\"11\""
            + " stroke=\"#ffffff\" stroke-width=\"3\" paint-order=\"stroke\">"
            + "\(Self.value(phase)), +\(Explanation.text(phase.weight))</text>")
      }
      return lines
    }
  }

  /// The instants of the findings with what was decided, in two rows. Where many follow each other,
  /// an activity has only its line.
  private var markers: [String] {
    var ends = [-Double.infinity, -Double.infinity]
    return findings.flatMap { finding -> [String] in
      let x = min(max(x(finding.nanoseconds), Self.left), Self.width - Self.right)
      var lines = [
        "<line x1=\"\(text(x))\" x2=\"\(text(x))\" y1=\"\(text(Self.top - 6))\""
          + " y2=\"\(text(Self.top + Self.plotHeight))\" stroke=\"#1a1a1a\""
          + " stroke-dasharray=\"4 3\"/>"
      ]
      let free = ends.firstIndex { x - $0 > 190 }
      if free != nil || finding.verdict != .activity {
        let row = free ?? 0
        ends[row] = x
        let anchor = x > Self.width * 0.7 ? "end" : (x < Self.width * 0.3 ? "start" : "middle")
        let percent = Int((min(max(finding.score, 0), 1) * 100).rounded())
        lines.append(
          "<text x=\"\(text(x))\" y=\"\(row == 0 ? "44" : "24")\" text-anchor=\"\(anchor)\""
            + " font-weight=\"bold\">\(Self.name(finding.verdict)), score \(percent) %"
            + "<title>\(escaped(finding.reason))</title></text>")
      }
      return lines
    }
  }

  // MARK: Words

  private static func name(_ kind: Phase.Kind) -> String {
    switch kind {
    case .freeFall: "free fall"
    case .impact: "impact"
    case .settling: "settling"
    case .postureChange: "posture change"
    case .inactivity: "afterwards"
    }
  }

  private static func name(_ verdict: Finding.Verdict) -> String {
    switch verdict {
    case .candidate: "possible fall"
    case .deviceDrop: "device dropped"
    case .activity: "activity"
    case .possibleLongLie: "possible long lie"
    }
  }

  private static func value(_ phase: Phase) -> String {
    phase.kind == .postureChange
      ? "\(Int(min(360, max(0, phase.value)).rounded())) degrees"
      : "\(Explanation.text(phase.value)) g"
  }

  /// Colours that people with any colour vision tell apart (Okabe and Ito).
  private static func colour(_ kind: Phase.Kind) -> String {
    switch kind {
    case .freeFall: "#56b4e9"
    case .impact: "#d55e00"
    case .settling: "#e69f00"
    case .postureChange: "#cc79a7"
    case .inactivity: "#009e73"
    }
  }

  // MARK: Places

  private var plotWidth: Double { Self.width - Self.left - Self.right }

  private func time(_ nanoseconds: Int64) -> Double {
    Double(nanoseconds) / 1e9 - Double(start) / 1e9
  }

  private func x(_ nanoseconds: Int64) -> Double {
    Self.left + time(nanoseconds) / seconds * plotWidth
  }

  private func y(_ g: Double) -> Double {
    Self.top + Self.plotHeight * (1 - g / ceilingG)
  }

  /// The left edge and the width of a phase within the plot.
  private func extent(_ phase: Phase) -> (from: Double, width: Double) {
    let end = Self.width - Self.right
    let from = min(max(x(phase.startNanoseconds), Self.left), end - 2)
    return (from, max(2, min(x(phase.endNanoseconds), end) - from))
  }

  /// A number with at most one decimal.
  private func text(_ value: Double) -> String {
    let tenths = Int((min(max(value, -1e9), 1e9) * 10).rounded())
    let sign = tenths < 0 ? "-" : ""
    let rest = abs(tenths) % 10
    return "\(sign)\(abs(tenths) / 10)" + (rest == 0 ? "" : ".\(rest)")
  }

  private func escaped(_ text: String) -> String {
    text.reduce(into: "") { escaped, character in
      switch character {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      default: escaped.append(character)
      }
    }
  }
}
