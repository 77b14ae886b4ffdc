import FallDetectorDomain
import Testing

/// Recorded traces: their reading and their drawing.
@Suite struct DetectionTraceTests {
  private func problem(_ text: String, unit: CSVTrace.Unit = .standardGravity) -> CSVTrace.Problem?
  {
    do {
      _ = try CSVTrace.read(text.utf8, unit: unit)
      return nil
    } catch {
      return error
    }
  }

  @Test func aTraceIsReadByTheNamesOfItsColumns() throws {
    let text =
      "\u{FEFF}Z, note ,X,time,Y\r\n# by hand\r\n1,a,0.5,0.02,-0.25\r\n\r\n2,b,0,0.04,1e-1\r\n"
    #expect(
      try CSVTrace.read(text.utf8) == [
        AccelerationSample(nanoseconds: 20_000_000, x: 0.5, y: -0.25, z: 1),
        AccelerationSample(nanoseconds: 40_000_000, x: 0, y: 0.1, z: 2),
      ])
  }

  @Test func nanosecondsAreReadExactly() throws {
    let samples = try CSVTrace.read("time_ns,x,y,z\n9007199254740993,0,0,1\n".utf8)
    #expect(samples[0].nanoseconds == 9_007_199_254_740_993)
  }

  @Test func aRateStandsForMissingTimes() throws {
    let samples = try CSVTrace.read("x,y,z\n0,0,1\n0,0,1\n0,0,1\n".utf8, rateHz: 25)
    #expect(samples.map(\.nanoseconds) == [0, 40_000_000, 80_000_000])
    #expect(CSVTrace.rateHz(of: samples) == 25)
    #expect(CSVTrace.rateHz(of: []) == 0)
  }

  @Test func case12MetresPerSecondSquaredAreConvertedAndNotGuessed() throws {
    let text = "time,x,y,z\n0,0,0,9.80665\n0.02,0,0,58.8399\n"
    let samples = try CSVTrace.read(text.utf8, unit: .metresPerSecondSquared)
    #expect(abs(samples[0].z - 1) < 1e-12 && abs(samples[1].z - 6) < 1e-9)
    let found = try #require(problem(text))
    #expect(found.line == 3 && found.description.contains("m/s2"))
  }

  @Test(arguments: [
    ("", 1, 0, "header"),
    ("time,x,y\n", 1, 0, "column z"),
    ("x,y,z\n0,0,1\n", 1, 0, "time_ns, or a rate"),
    ("time,x,y,z\n0,0,0,1\n0.1,0,up,1\n", 3, 3, "found 'up'"),
    ("time,x,y,z\n0,0,0\n", 2, 4, "has 3 columns"),
    ("time,x,y,z\n0,nan,0,1\n", 2, 2, "expected a number"),
    ("time,x,y,z\n0,inf,0,1\n", 2, 2, "expected a number"),
    ("time,x,y,z\n1e30,0,0,1\n", 2, 1, "292 years"),
    ("\n\n# only this\n", 1, 0, "header"),
  ])
  func case13AProblemHasItsLineAndColumn(text: String, line: Int, column: Int, says: String) throws
  {
    let found = try #require(problem(text))
    #expect(found.line == line && found.column == column)
    #expect(found.description.contains(says), "\(found)")
  }

  @Test(arguments: 0..<30)
  func anyBytesAreReadOrRefused(seed: UInt64) {
    var random = TestRandom(seed: seed)
    let alphabet = Array("time,xyz\n\r 0123456789.e-+#\u{FF}".utf8)
    let bytes =
      Array("time,x,y,z\n".utf8)
      + (0..<500).map { _ in alphabet.randomElement(using: &random) ?? 0 }
    _ = try? CSVTrace.read(bytes)
  }

  @Test func theDrawingShowsPhasesAndSaysThemInWords() throws {
    let samples = TestTrace.fall(stillSeconds: 8).samples()
    let drawing = TraceDrawing.svg(samples: samples, findings: findings(in: samples))
    for part in [
      "<svg xmlns=", "role=\"img\"", "<title id=\"title\">", "possible fall", "posture change",
      "degrees", "free fall", "</svg>",
    ] {
      #expect(drawing.contains(part), "\(part)")
    }
    #expect(!drawing.contains("nan") && !drawing.contains("inf\""))
    // No peak is lost in the columns of a long trace.
    let long = TestTrace.fall(stillSeconds: 600).samples()
    #expect(TraceDrawing.svg(samples: long, findings: []).utf8.count < 120_000)
  }

  @Test func aDrawingOfNothingOrOfAnythingIsADrawing() {
    #expect(TraceDrawing.svg(samples: [], findings: []).contains("Nothing was found"))
    let odd = Finding(
      verdict: .candidate, score: 2, reason: "<a & b>",
      phases: [
        Phase(
          kind: .impact, startNanoseconds: .min, endNanoseconds: .max, value: .infinity, weight: 0)
      ], nanoseconds: .max)
    let samples = [
      AccelerationSample(nanoseconds: .min, x: .nan, y: 0, z: 0),
      AccelerationSample(nanoseconds: .min, x: 0, y: 0, z: 1),
      AccelerationSample(nanoseconds: .max, x: 0, y: 0, z: 1),
    ]
    let drawing = TraceDrawing.svg(samples: samples, findings: [odd])
    #expect(drawing.contains("&lt;a &amp; b&gt;") && drawing.hasSuffix("</svg>\n"))
  }
}
