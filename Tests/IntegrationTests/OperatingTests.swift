import Glibc
import HostContract
import KithJSON
import KithManifest
import KithRPC
import KithTesting
import MetricsContract
import RiskContract
import Testing

/// What an operator sees and sets: logs and their levels, metrics, alerts.
@Suite struct OperatingTests {
  private func watched() -> ProductSetup {
    var setup = Setups.odd()
    setup.product += """
      metrics: { socket: true }
      alerts:
        errors: { measure: error_rate, above: 10%, window: 10s, severity: page, minimum_calls: 5 }

      """
    return setup
  }

  private let options = CallOptions(timeout: RunningProduct.patience)

  /// Runs `kith` on a product.
  private func kith(_ product: RunningProduct, _ arguments: String...) async throws -> String {
    let outcome = try await Program.built(
      "kith", ["--root", product.places.stateDirectory] + arguments,
      environment: ["NO_COLOR": "1", "COLUMNS": "80"]
    ).run()
    #expect(outcome.exitCode == 0, "\(outcome)")
    return outcome.output
  }

  @Test func aLevelIsSetWhileTheWorkerRunsAndHoldsForTheNext() async throws {
    try await RunningProduct.run(Setups.odd()) { product in
      try await product.settle()
      try await product.tell("log debug unseen")
      #expect(try await kith(product, "log-level", "odd") == "odd logs from info on\n")
      _ = try await kith(product, "log-level", "odd", "debug")
      try await product.tell("log debug seen")
      try await product.waitForLine(of: "odd", "seen")
      _ = try await product.host.restartWorkers(
        RestartWorkersRequest(names: ["odd"]), options: options)
      try await product.tell("log debug again")
      try await product.waitForLine(of: "odd", "again")
      let lines = try await product.log(of: "odd")
      let own = lines.filter { $0.level == .debug }
      #expect(own.map(\.text) == ["seen", "again"])
      #expect(own.map(\.generation) == [1, 2])
      #expect(own.allSatisfy { !$0.call.isEmpty && $0.name == "odd" })
      // Another level than it has is filtered out by the reader.
      let warnings = try await product.host.readLog(
        ReadLogRequest(names: ["odd"], lastLines: 100, minimumLevel: .warning), options: options)
      #expect(warnings.lines.isEmpty, "\(warnings.lines)")
    }
  }

  @Test func theLogsOfWorkersAndHostAreMergedByTime() async throws {
    try await RunningProduct.run(Setups.odd()) { product in
      try await product.settle()
      try await product.tell("write 20 10")
      try await product.tell("log info last")
      try await product.waitForLine(of: "odd", "last")
      let read = try await product.host.readLog(
        ReadLogRequest(names: ["odd", "kithd"], lastLines: 1000), options: options)
      #expect(Set(read.lines.map(\.name)) == ["odd", "kithd"])
      // The lines of one log keep their order, also where a worker's own line is older than what
      // the host wrapped before it.
      for (index, line) in read.lines.enumerated() {
        let other = read.lines[index...].first { $0.name != line.name }
        #expect(line.atMs <= other?.atMs ?? .max)
      }
      // What was written past the logger is wrapped.
      let plain = read.lines.filter { $0.text.hasSuffix(" xxxxxxxxxx") }
      #expect(plain.count == 20 && plain.allSatisfy { $0.level == .error && $0.stream == .stderr })
      for names in [[], ["odd", "odd"]] {
        let error = await #expect(throws: RPCError.self) {
          try await product.host.readLog(ReadLogRequest(names: names), options: options)
        }
        #expect(error?.code == .invalidArgument)
      }
    }
  }

  @Test func callsAreCountedAndShown() async throws {
    try await RunningProduct.run(watched()) { product in
      try await product.settle()
      for _ in 0..<7 { try await product.tell("nothing") }
      let text = try await kith(product, "top", "--json", "--count", "1")
      #expect(text.split(separator: "\n").count == 1)
      let worker = try #require(try JSONValue(parsing: text)["workers"]?.arrayValue?.first)
      #expect(worker["calls"]?.integerValue == 7 && worker["errors"]?.integerValue == 0)
      #expect((worker["p99"]?.doubleValue ?? 0) >= (worker["p50"]?.doubleValue ?? 1))
      #expect((worker["residentBytes"]?.integerValue ?? 0) > 1 << 20)
      #expect((worker["cpu"]?.doubleValue ?? 0) > 0)
      let shown = try await kith(product, "top", "--count", "2", "--every", "100ms", "--methods")
      #expect(shown.contains("CALLS/S") && shown.contains("  Analyze"), "\(shown)")
      #expect(shown.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(shown)")
      let watch = try await kith(product, "status", "--watch", "--count", "2", "--every", "100ms")
      #expect(watch.matches(of: /WORKER/).count == 2, "\(watch)")

      let page = try UnixSocket.ask(
        Array("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n".utf8), at: product.places.metricsSocket)
      #expect(page.hasPrefix("HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4"))
      #expect(
        page.contains(
          #"kith_rpc_server_calls_total{product="test",worker="odd",method="kith.risk.v1.RiskEngine/Analyze",code="OK"} 7"#
        ), "\(page)")
      #expect(page.contains(#"kith_worker_ready{product="test",worker="odd"} 1"#))
      for (request, status) in [
        ("GET / HTTP/1.1", "404"), ("PUT /metrics HTTP/1.1", "405"), ("hello", "400"),
      ] {
        let answer = try UnixSocket.ask(
          Array("\(request)\r\n\r\n".utf8), at: product.places.metricsSocket)
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
      }
    }
  }

  @Test func anAlertFiresAndIsShownEverywhere() async throws {
    try await RunningProduct.run(watched()) { product in
      try await product.settle()
      let quiet = try await kith(product, "alerts")
      #expect(quiet.contains("too few calls"), "\(quiet)")
      let client = RiskEngineClient(product.client(of: "odd"))
      // This worker has no model: each such call is its fault.
      for _ in 0..<6 {
        await #expect(throws: RPCError.self) {
          try await client.getModel(GetModelRequest(), options: options)
        }
      }
      try await product.waitForLine(
        of: "kithd", "alert errors: odd, error rate above 10 % over 10 s")
      let status = try await product.host.getStatus(GetStatusRequest(), options: options)
      let alert = try #require(status.alerts.first)
      #expect(alert.state == .firing && alert.severity == .page && alert.worker == "odd")
      #expect(alert.value == "100 %" && alert.figure == 1)
      let line = "PAGE errors: odd, error rate above 10 % over 10 s; now 100 %"
      #expect(try await kith(product, "status").contains(line))
      #expect(try await kith(product, "top", "-n", "1").contains(line))
      #expect(try await kith(product, "alerts").contains("PAGE"))
      let page = try UnixSocket.ask(
        Array("GET /metrics HTTP/1.1\r\n\r\n".utf8), at: product.places.metricsSocket)
      #expect(
        page.contains(
          #"kith_alert_firing{product="test",alert="errors",worker="odd",severity="page"} 1"#))
    }
  }

  @Test func aWorkerInQuarantinePagesSomebodyAndSaysWhenItIsBack() async throws {
    let folder = try TemporaryFolder()
    let page = "\(folder.path)/page"
    try folder.write(
      "#!/bin/sh\ncat >> \(folder.path)/pages\n", to: "page", mode: 0o700)
    var setup = Setups.odd(
      restart: "{ intensity: 0, quarantine: { shortest: 10m, longest: 10m } }")
    setup.product += """
      pager: { command: [\(page)] }
      alerts:
        stopped: { measure: quarantined, severity: page }
        gone: { measure: down, above: 1h, severity: page }
        unsteady: { measure: restarts, above: 0 }

      """
    func pages() throws -> [JSONValue] {
      try (TemporaryFolder.text(of: "\(folder.path)/pages") ?? "").split(separator: "\n")
        .map { try JSONValue(parsing: String($0)) }
    }
    try await RunningProduct.run(setup) { product in
      try await product.settle()
      _ = try await product.kill("odd")
      try await product.waitForLine(
        of: "kithd", "alert stopped of odd: sent by the pager's command")
      let first = try #require(try pages().first)
      #expect(first["alert"] == "stopped" && first["worker"] == "odd", "\(first)")
      #expect(first["state"] == "firing" && first["severity"] == "page", "\(first)")
      #expect(first["text"] == "Test: odd quarantined", "\(first)")
      #expect(try await kith(product, "alerts").contains("PAGE"))
      #expect(try await kith(product, "status").contains("PAGE stopped: odd, quarantined; now"))
      _ = try await kith(product, "start", "odd")
      try await product.waitForLine(of: "kithd", "alert stopped: odd, quarantined: fires no more")
      try await product.waitForLine(
        of: "kithd", "alert stopped of odd: sent by the pager's command", count: 2)
      #expect(try pages().map { $0["state"]?.stringValue } == ["firing", "resolved"])
    }
  }

  @Test func aPortThatSomebodyHasIsTakenWhenItIsFree() async throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        #expect(bind(listener, address, length) == 0 && listen(listener, 1) == 0)
        #expect(getsockname(listener, address, &length) == 0)
      }
    }
    var setup = Setups.odd()
    setup.product += "metrics: { port: \(address.sin_port.byteSwapped) }\n"
    try await RunningProduct.run(setup) { product in
      try await product.settle()
      let degradations = try await product.status().degradations
      #expect(degradations.contains { $0.hasPrefix("metrics are not served") }, "\(degradations)")
      close(listener)
      try await product.waitForLine(of: "kithd", "metrics are served")
      #expect(try await !product.status().degradations.contains { $0.contains("metrics") })
    }
  }
}
