import HostContract
import KithJSON
import KithMetrics
import MetricsContract
import Testing

@testable import KithCommands
@testable import KithTerminal

@Suite struct LiveTests {
  /// A reading after so many seconds, when so many calls had been made.
  private func reading(
    second: Int64, calls: UInt64, errors: UInt64 = 0, generation: UInt64 = 1
  ) -> GetMetricsResponse {
    let process = ProcessMetrics(
      pid: 9, residentBytes: 40 << 20, cpuUs: second * 250_000, uptimeUs: second * 1_000_000)
    let latency = LatencyHistogram(
      count: calls, sumUs: calls * 100,
      buckets: [
        LatencyBucket(upperUs: 103, count: calls - calls / 10),
        LatencyBucket(upperUs: 53_247, count: calls / 10),
      ])
    return GetMetricsResponse(
      atUs: second * 1_000_000,
      host: ProcessMetrics(
        pid: 1, residentBytes: 21 << 20, cpuUs: second * 1000, uptimeUs: second * 1_000_000),
      workers: [
        WorkerMetrics(
          name: "risk-engine", state: .ready, generation: generation, process: process,
          methods: [
            MethodMetrics(
              method: "kith.risk.v1.RiskEngine/Analyze", calls: calls, errors: errors, inFlight: 3,
              latency: latency),
            MethodMetrics(method: "kith.risk.v1.RiskEngine/GetModel"),
          ]),
        WorkerMetrics(name: "reminders", state: .backingOff, generation: 4),
      ],
      alerts: [
        Alert(
          name: "slow", worker: "risk-engine", condition: "p95 above 5 s over 5 min",
          severity: .page, state: .firing, value: "7.5 s"),
        Alert(name: "quiet", worker: "risk-engine", state: .quiet),
      ])
  }

  @Test func whatHappenedSinceTheLastReadingIsShown() {
    let sample = MetricsSample(
      reading(second: 12, calls: 5000, errors: 50), since: reading(second: 10, calls: 1000))
    let report = TopReport(product: "boomer-buddy", sample: sample, terminal: Terminal())
    #expect(
      report.lines == [
        "boomer-buddy  2000 calls/s  host 21 MiB, 0.1 %",
        "",
        "WORKER       CALLS/S    P50   P95   P99  ERRORS  BUSY  MEMORY   CPU",
        "risk-engine     2000  103us  53ms  53ms   1.3 %     3  40 MiB  25 %",
        "reminders          -      -     -     -       -     -       -     -",
        "    backing off",
        "",
        "PAGE slow: risk-engine, p95 above 5 s over 5 min; now 7.5 s",
      ])
  }

  @Test func theFirstReadingTellsOfTheWholeLife() {
    let sample = MetricsSample(reading(second: 10, calls: 1000), since: nil)
    let report = TopReport(
      product: "boomer-buddy", sample: sample, terminal: Terminal(), showsMethods: true)
    #expect(report.lines[0].hasSuffix("(since each worker started)"))
    #expect(report.lines[3].hasPrefix("risk-engine      100  103us"))
    #expect(report.lines[4].hasPrefix("  Analyze        100  103us"))
    #expect(report.lines[5].hasPrefix("  GetModel         0      -"))
  }

  @Test func aNewProcessHasCountsOfItsOwn() {
    let sample = MetricsSample(
      reading(second: 12, calls: 24, generation: 2), since: reading(second: 10, calls: 1000))
    #expect(sample.workers[0].row.calls.calls == 24)
    #expect(sample.workers[0].row.callsPerSecond == 2)
  }

  @Test func programsGetOneObject() throws {
    let sample = MetricsSample(
      reading(second: 12, calls: 5000), since: reading(second: 10, calls: 1000))
    let report = TopReport(product: "x", sample: sample, terminal: Terminal())
    let json = report.json(atMilliseconds: 5)
    #expect(!json.text().contains("\n"))
    let worker = try #require(json["workers"]?.arrayValue?.first)
    #expect(worker["callsPerSecond"]?.doubleValue == 2000)
    #expect(worker["p50"]?.doubleValue == 0.000103)
    #expect(worker["state"]?.stringValue == "READY")
    #expect(worker["methods"]?.arrayValue?.count == 2)
    #expect(json["workers"]?.arrayValue?.last?["p50"]?.isNull == true)
    #expect(json["alerts"]?.arrayValue?.count == 1)
  }

  // MARK: Drawing

  private let ten = (0..<10).map { "line \($0)" }

  private func frame(
    _ width: Int, _ height: Int, _ scroll: LiveScroll = LiveScroll()
  ) -> [String] {
    var scroll = scroll
    return LiveView.frame(ten, width: width, height: height, scroll: &scroll)
  }

  @Test func aReportFitsTheTerminal() {
    #expect(frame(80, 24) == ten)
    #expect(frame(80, 5) == ["line 0", "line 1", "line 2", "... 7 more lines"])
    #expect(frame(80, 5, LiveScroll(hasKeys: true)).last?.hasSuffix("q quits") == true)
    #expect(frame(4, 24).first == "line")
    #expect(frame(80, 1).count == 1)
    let coloured = Terminal(hasColour: true).text("a long word", .red)
    #expect(TextWidth.clipped(coloured, to: 6) == "\u{1b}[31ma long\u{1b}[0m")
  }

  @Test(
    arguments: [
      ([.down], "line 1", "lines 2 to 4 of 10"),
      ([.up], "line 0", "... 7 more lines"),
      ([.pageDown, .down, .up], "line 2", "lines 3 to 5 of 10"),
      ([.last], "line 7", "lines 8 to 10 of 10"),
      ([.last, .pageDown, .pageUp], "line 5", "lines 6 to 8 of 10"),
      ([.last, .first], "line 0", "... 7 more lines"),
    ] as [([LiveKey], String, String)])
  func keysScroll(_ keys: [LiveKey], first: String, last: String) {
    var scroll = LiveScroll()
    for key in keys { scroll.take(key, lines: 10, room: 4) }
    let shown = frame(80, 5, scroll)
    #expect(shown.first == first)
    #expect(shown.last == last)
  }

  @Test func aReportThatGrowsShorterIsScrolledBack() {
    var scroll = LiveScroll()
    scroll.take(.last, lines: 10, room: 4)
    #expect(scroll.frame(["a", "b"], room: 4) == ["a", "b"])
    #expect(scroll.above == 0)
  }

  @Test(
    arguments: [
      ("q", [.quit]), ("\u{1b}[A\u{1b}OB", [.up, .down]),
      ("\u{1b}[5~ g", [.pageUp, .pageDown, .first]),
      ("\u{1b}[200~x\u{1b}[1;5C", []), ("\u{1b}", []), ("é", []), ("\u{1b}[", []),
    ] as [(String, [LiveKey])])
  func keysAreReadFromWhatATerminalSends(_ sent: String, keys: [LiveKey]) {
    #expect(LiveKey.keys(in: Array(sent.utf8)) == keys)
  }

  @Test func aReportIsWrittenOverTheOneBefore() {
    #expect(LiveView.redraw(["a"], over: 0) == "a\u{1b}[K\n\u{1b}[J")
    #expect(LiveView.redraw(["a", "b"], over: 3).hasPrefix("\u{1b}[3A\ra\u{1b}[K\nb"))
  }

  @Test(
    arguments: [
      (0, "0us"), (999, "999us"), (1000, "1ms"), (1250, "1.3ms"), (9999, "10ms"),
      (48_400, "48ms"), (999_000, "999ms"), (2_500_000, "2.5s"), (90_000_000, "90s"),
    ] as [(UInt64, String)])
  func latenciesAreShort(microseconds: UInt64, text: String) {
    #expect(Quantities.latency(microseconds: microseconds) == text)
  }
}
