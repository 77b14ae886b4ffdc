/// Draws a recorded trace.
public enum TraceDrawing {
  /// The magnitude of the acceleration over time with the phases marked, as SVG.
  public static func svg(samples: [AccelerationSample], findings: [Finding]) -> String {
    guard let first = samples.first, let last = samples.last, samples.count > 1 else {
      return "<svg xmlns=\"http://www.w3.org/2000/svg\"/>\n"
    }
    let length = Double(max(1, last.nanoseconds - first.nanoseconds))
    func across(_ nanoseconds: Int64) -> Double {
      (Double(nanoseconds - first.nanoseconds) / length * 10_000).rounded() / 10
    }
    let points = samples.map { sample in
      "\(across(sample.nanoseconds)),\(((300 - sample.magnitude * 30) * 10).rounded() / 10)"
    }
    let marks = findings.flatMap(\.phases).map { phase in
      let width = max(1, across(phase.endNanoseconds) - across(phase.startNanoseconds))
      return """
        <rect x="\(across(phase.startNanoseconds))" y="0" width="\(width)" height="320" \
        fill="orange" opacity="0.3"><title>\(phase.kind.rawValue)</title></rect>
        """
    }
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1000 320">
      \(marks.joined(separator: "\n"))
      <polyline fill="none" stroke="black" points="\(points.joined(separator: " "))"/>
      </svg>

      """
  }
}
