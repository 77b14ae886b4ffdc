import HostContract
import MetricsContract
import Testing

@testable import KithHost

@Suite struct MetricsPageTests {
  private static let metrics = GetMetricsResponse(
    atUs: 1, host: ProcessMetrics(pid: 1, residentBytes: 1000, cpuUs: 1_500_000, uptimeUs: 2),
    workers: [
      WorkerMetrics(
        name: "risk", state: .ready, generation: 3, restarts: 2,
        process: ProcessMetrics(pid: 2, residentBytes: 2000, cpuUs: 10, uptimeUs: 4_000_000),
        methods: [
          MethodMetrics(
            method: "x.Y/Z", calls: 5, errors: 1, callsByStatus: [0: 4, 14: 1], inFlight: 2,
            latency: LatencyHistogram(
              count: 5, sumUs: 61_000,
              buckets: [
                LatencyBucket(upperUs: 95, count: 3), LatencyBucket(upperUs: 61_439, count: 2),
              ]))
        ]),
      WorkerMetrics(name: "pills", state: .quarantined, generation: 9),
    ],
    alerts: [
      Alert(name: "slow", worker: "risk", severity: .page, state: .firing, figure: 5.5),
      Alert(name: "slow", worker: "pills", severity: .page, state: .tooFewCalls),
    ],
    logTroubles: [
      LogTrouble(
        name: "risk", reason: "full", linesWaiting: 4, linesLost: 7, linesDropped: 5,
        bytesDropped: 90)
    ])

  private let lines = MetricsPage(Self.metrics, product: "p\"q").text.split(separator: "\n")
    .map(String.init)

  @Test func hasASampleForEachFigure() {
    for line in [
      #"kith_rpc_server_calls_total{product="p\"q",worker="risk",method="x.Y/Z",code="OK"} 4"#,
      #"kith_rpc_server_calls_total{product="p\"q",worker="risk",method="x.Y/Z",code="UNAVAILABLE"} 1"#,
      #"kith_rpc_server_errors_total{product="p\"q",worker="risk",method="x.Y/Z"} 1"#,
      #"kith_rpc_server_in_flight_calls{product="p\"q",worker="risk",method="x.Y/Z"} 2"#,
      #"kith_rpc_server_duration_seconds_sum{product="p\"q",worker="risk",method="x.Y/Z"} 0.061"#,
      #"kith_rpc_server_duration_seconds_count{product="p\"q",worker="risk",method="x.Y/Z"} 5"#,
      #"kith_worker_up{product="p\"q",worker="pills"} 0"#,
      #"kith_worker_ready{product="p\"q",worker="risk"} 1"#,
      #"kith_worker_restarts_total{product="p\"q",worker="risk"} 2"#,
      #"kith_process_resident_memory_bytes{product="p\"q",process="kithd"} 1000"#,
      #"kith_process_cpu_seconds_total{product="p\"q",process="kithd"} 1.5"#,
      #"kith_process_cpu_seconds_total{product="p\"q",process="risk"} 1e-05"#,
      #"kith_process_uptime_seconds{product="p\"q",process="risk"} 4"#,
      #"kith_log_lines_lost_total{product="p\"q",log="risk"} 7"#,
      #"kith_log_lines_dropped_total{product="p\"q",log="risk"} 5"#,
      #"kith_log_bytes_dropped_total{product="p\"q",log="risk"} 90"#,
      #"kith_alert_firing{product="p\"q",alert="slow",worker="risk",severity="page"} 1"#,
      #"kith_alert_firing{product="p\"q",alert="slow",worker="pills",severity="page"} 0"#,
      #"kith_alert_value{product="p\"q",alert="slow",worker="risk"} 5.5"#,
    ] {
      #expect(lines.contains(line), "\(line)")
    }
    #expect(lines.filter { $0.hasPrefix("kith_alert_value") }.count == 1)
  }

  @Test func theHistogramIsCumulative() {
    let buckets = lines.filter { $0.hasPrefix("kith_rpc_server_duration_seconds_bucket") }
    let counts = buckets.compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }
    #expect(counts == counts.sorted() && counts.first == 3 && counts.last == 5)
    #expect(counts.count == MetricsPage.bounds.count + 1)
    let bounds = buckets.compactMap { $0.firstMatch(of: /le="([^"]*)"/).map { String($0.1) } }
    #expect(
      bounds == [
        "0.0001", "0.00025", "0.0005", "0.001", "0.0025", "0.005", "0.01", "0.025", "0.05", "0.1",
        "0.25", "0.5", "1", "2.5", "5", "10", "30", "60", "+Inf",
      ])
  }

  @Test func eachFamilyIsDescribedOnceAndStandsTogether() {
    var seen: Set<String> = []
    var current = ""
    for line in lines {
      if line.hasPrefix("# HELP ") {
        current = String(line.split(separator: " ")[2])
        #expect(seen.insert(current).inserted, "\(current)")
      } else if line.hasPrefix("# TYPE ") {
        #expect(line.hasPrefix("# TYPE \(current) "))
      } else {
        #expect(line.hasPrefix(current), "\(line)")
      }
    }
    #expect(seen.count == 17)
  }
}

@Suite struct HTTPRequestTests {
  private func parse(_ text: String) -> HTTPRequest.Parsing { HTTPRequest.parse(Array(text.utf8)) }

  @Test func aHeadIsTooLongFromItsLimitOn() {
    let head = [UInt8](repeating: UInt8(ascii: "x"), count: HTTPRequest.longestHead)
    #expect(HTTPRequest.parse(head) == .refused(.tooLarge))
    #expect(HTTPRequest.parse(Array(head.dropLast())) == .incomplete)
  }

  @Test func readsARequestHoweverItsBytesCome() {
    let text = "GET /metrics?x=1 HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: */*\r\n\r\n"
    let bytes = Array(text.utf8)
    for count in bytes.indices {
      #expect(HTTPRequest.parse(Array(bytes.prefix(count))) == .incomplete, "\(count)")
    }
    #expect(parse(text) == .request(HTTPRequest(method: "GET", path: "/metrics")))
    #expect(parse("HEAD / HTTP/1.0\n\n") == .request(HTTPRequest(method: "HEAD", path: "/")))
  }

  @Test(
    arguments: [
      "\r\n\r\n", "GET\r\n\r\n", "GET /\r\n\r\n", "GET  / HTTP/1.1\r\n\r\n", "GET / HTTP/2\r\n\r\n",
      "GET metrics HTTP/1.1\r\n\r\n", "GET /\u{1b} HTTP/1.1\r\n\r\n", " / HTTP/1.1\r\n\r\n",
      "GET / HTTP/1.1 x\r\n\r\n",
    ])
  func refusesWhatIsNone(_ text: String) {
    #expect(parse(text) == .refused(.badRequest), "\(text)")
  }

  @Test func aHeadIsBounded() {
    let text = "GET / HTTP/1.1\r\nX: " + String(repeating: "x", count: HTTPRequest.longestHead)
    #expect(parse(text) == .refused(.tooLarge))
  }

  @Test func answersAreWhole() {
    let answer = String(
      decoding: HTTPResponse(status: .ok, body: "é", sendsBody: false).bytes, as: UTF8.self)
    #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(answer.contains("Content-Length: 2\r\n"))
    #expect(answer.hasSuffix("Connection: close\r\n\r\n"))
    let refusal = String(decoding: HTTPResponse.failure(.notAllowed).bytes, as: UTF8.self)
    #expect(refusal.contains("Allow: GET, HEAD\r\n"))
    #expect(refusal.hasSuffix("\r\n\r\n405 Method Not Allowed\n"))
  }
}
