import KithJSON
import KithManifest
import KithPlanning
import ManifestSamples
import Testing

/// What a manifest lets a worker do on the network.
@Suite struct GrantTests {
  private func plugin(_ line: String) throws -> PluginManifest {
    try PluginManifest(
      parsing: "plugin: a\nversion: 0.1.0\nexecutable: a-worker\n\(line)\n", file: "plugin.yaml")
  }

  private func plan(_ plugin: String, worker: String = "{}", more: String = "") throws -> Plan {
    try Plan(
      product: Samples.product("  a: \(worker)", more: more),
      catalogue: PluginCatalogue(plugins: [try Samples.plugin("a", more: plugin)]))
  }

  @Test(
    arguments: [
      ("network: none", .none, []),
      ("network: outbound", .outbound, nil),
      (
        "network: { hosts: [api.example.com], ports: [443, 8443] }",
        .limited(hosts: ["api.example.com"], ports: [443, 8443]), [443, 8443]
      ),
      // Hosts alone are hosts of the web.
      (
        "network: { hosts: [api.example.com] }", .limited(hosts: ["api.example.com"], ports: [443]),
        [443]
      ),
      ("network: { ports: [25] }", .limited(hosts: [], ports: [25]), [25]),
      (
        "network: { hosts: [\"*.example.com\", 192.0.2.7, 10.0.0.0/8, \"2001:db8::/32\", \"::1\"] }",
        .limited(
          hosts: ["*.example.com", "192.0.2.7", "10.0.0.0/8", "2001:db8::/32", "::1"], ports: [443]),
        [443]
      ),
    ] as [(String, NetworkGrant, [UInt16]?)])
  func aGrantNamesHostsAndPorts(
    _ line: String, _ expected: NetworkGrant, _ ports: [UInt16]?
  ) throws {
    let grant = try plugin(line).network
    #expect(grant == expected)
    #expect(grant.ports == ports)
  }

  @Test(
    arguments: [
      ("network: outbuond", 4, 10, "did you mean 'outbound'?"),
      ("network: [443]", 4, 10, "expected none, outbound, or {"),
      ("network:", 4, 9, "expected none, outbound, or {"),
      ("network: {}", 4, 10, "names neither hosts nor ports"),
      ("network: { host: [a.b] }", 4, 12, "did you mean 'hosts'?"),
      ("network: { hosts: a.b }", 4, 19, "a list of hosts"),
      ("network: { hosts: [] }", 4, 19, "or no 'hosts' at all"),
      ("network: { hosts: [a.b, a.b] }", 4, 25, "names a.b twice"),
      ("network: { hosts: [\"https://a.b\"] }", 4, 20, "a host's name"),
      ("network: { hosts: [\"a.b:443\"] }", 4, 20, "a host's name"),
      ("network: { hosts: [A.b] }", 4, 20, "a host's name"),
      ("network: { hosts: [\"*\"] }", 4, 20, "a host's name"),
      ("network: { hosts: [\"a.*.b\"] }", 4, 20, "a host's name"),
      ("network: { hosts: [-a.b] }", 4, 20, "a host's name"),
      ("network: { hosts: [\"a..b\"] }", 4, 20, "a host's name"),
      ("network: { hosts: [10.0.0.0/33] }", 4, 20, "a host's name"),
      ("network: { hosts: [\"a.b/8\"] }", 4, 20, "a host's name"),
      ("network: { hosts: [10.0.0.256] }", 4, 20, "a host's name"),
      ("network: { hosts: [10.0.0.010] }", 4, 20, "a host's name"),
      ("network: { hosts: [\"1::2::3\"] }", 4, 20, "a host's name"),
      ("network: { ports: [0] }", 4, 20, "expected 1..65535"),
      ("network: { ports: [65536] }", 4, 20, "expected 1..65535"),
      ("network: { ports: [https] }", 4, 20, "a whole number"),
      ("http: 8080", 4, 7, "expected { port: 8080 }"),
      ("http: {}", 4, 7, "'port' is missing"),
      ("http: { port: 0 }", 4, 15, "expected 1..65535"),
      ("http: { port: 8080, host: x }", 4, 21, "unknown key 'host'"),
      ("programs: all", 4, 11, "expected { user: ada"),
      ("programs: {}", 4, 11, "'names' is missing"),
      ("programs: { user: root, names: [/bin/a] }", 4, 19, "the name of an account"),
      ("programs: { user: -a, names: [/bin/a] }", 4, 19, "the name of an account"),
      ("programs: { names: [] }", 4, 11, "has 0 entries"),
      ("programs: { names: [\"/*\"] }", 4, 21, "an absolute path"),
      ("programs: { names: [/a/../b] }", 4, 21, "an absolute path"),
      ("programs: { names: [\"/a/*/b\"] }", 4, 21, "an absolute path"),
      ("programs: { names: [firefox] }", 4, 21, "an absolute path"),
      ("programs: { names: [.desktop] }", 4, 21, "an absolute path"),
      ("programs: { names: [a/b.scope] }", 4, 21, "an absolute path"),
    ] as [(String, Int, Int, String)])
  func whatIsNoGrantIsRefusedWhereItStands(
    _ line: String, _ number: Int, _ column: Int, _ part: String
  ) throws {
    let found = errors { _ = try plugin(line) }
    let error = try #require(found.first, "\(line) was taken")
    #expect(error.description.contains(part), "\(error)")
    #expect(
      error.location == SourceLocation(file: "plugin.yaml", line: number, column: column),
      "\(error)")
    #expect(error.expected?.isEmpty == false, "\(error)")
  }

  @Test(
    arguments: [
      ("\"0.0.0.0/0\"", true), ("10.0.0.1/32", true), ("\"10.0.0.0/+8\"", false),
      ("\"10.0.0.0/\"", false), ("\"::/0\"", true), ("\"::1/128\"", true), ("\"::1/129\"", false),
      ("\"1:2:3:4:5:6:7:8\"", true), ("\"1:2:3:4:5:6:7\"", false), ("\"1:2:3:4:5:6:7::\"", true),
      ("\"1:2:3:4::5:6:7:8\"", false), ("\"12345::\"", false),
      ("\(String(repeating: "a", count: 63)).b", true),
      ("\(String(repeating: "a", count: 64)).b", false),
    ] as [(String, Bool)])
  func aHostIsANameAnAddressOrANetworkWithinTheirBounds(_ host: String, _ isHost: Bool) {
    let found = errors { _ = try plugin("network: { hosts: [\(host)] }") }
    #expect(found.isEmpty == isHost, "\(found)")
  }

  @Test func aGrantNames64PortsAndNotOneMore() {
    func found(_ count: Int) -> [ManifestError] {
      let ports = (1...count).map { String($0) }.joined(separator: ", ")
      return errors { _ = try plugin("network: { ports: [\(ports)] }") }
    }
    #expect(found(64).isEmpty)
    #expect(found(65).map(\.expected) == ["at most 64"])
  }

  @Test(
    arguments: [
      ("memory: 16MiB", true), ("memory: 16777215B", false),
      ("memory: 64MiB, memory_high: 64MiB", true), ("memory: 64MiB, memory_high: 65MiB", false),
      ("open_files: 64", true), ("open_files: 63", false), ("processes: 8", true),
      ("processes: 7", false), ("cpu: 0.01", true), ("cpu: 0.009", false), ("cpu_weight: 1", true),
      ("cpu_weight: 0", false),
    ] as [(String, Bool)])
  func aLimitMayBeAsLowAsItsBoundAndNoLower(_ limits: String, _ isRight: Bool) {
    let found = errors { _ = try plugin("limits: { \(limits) }") }
    #expect(found.isEmpty == isRight, "\(found)")
  }

  @Test func aPlanShowsAllGrantsInOnePart() throws {
    let plan = try plan(
      "network: { hosts: [api.example.com], ports: [443] }\nhttp: { port: 8080 }",
      worker: "{ listen: { address: \"tcp://127.0.0.1:7443\", insecure: true } }")
    #expect(
      plan.description.contains(
        """
             grants    network: api.example.com at port 443 (the kernel keeps the ports, the worker itself the hosts)
                       http: listens at port 8080
                       listen: tcp://127.0.0.1:7443
        """), "\(plan.description)")
    #expect(
      plan.json["workers"]?.arrayValue?.first?["grants"] == [
        "network": ["hosts": ["api.example.com"], "ports": [443]], "http": ["port": 8080],
        "listen": "tcp://127.0.0.1:7443",
      ])
  }

  @Test func aWorkerThatReachesNothingHasNoGrants() throws {
    let plan = try plan("network: none")
    #expect(plan.workers[0].grants.isEmpty)
    #expect(!plan.description.contains("grants"))
    #expect(plan.json["workers"]?.arrayValue?.first?["grants"] == [:])
  }

  @Test func aGrantOfProgramsNamesThemAndNoOthers() throws {
    let line = "programs: { user: ada, names: [/usr/games/tux, \"/opt/g/*\", a.desktop] }"
    let grant = try #require(try plugin(line).programs)
    for (path, isGranted) in [
      ("/usr/games/tux", true), ("/usr/games/tux2", false), ("/usr/games", false),
      ("/opt/g/a/b", true), ("/opt/g", false), ("/opt/go", false), ("a.desktop", false),
    ] {
      #expect(grant.grants(executable: path) == isGranted, "\(path)")
    }
    #expect(grant.namesUnits)
    let plan = try plan("", worker: "{ programs: { names: [/usr/games/tux] } }")
    #expect(plan.workers[0].programs?.names == ["/usr/games/tux"])
    #expect(plan.description.contains("programs: sees, freezes and ends those of the host's own"))
    #expect(
      plan.json["workers"]?.arrayValue?.first?["grants"]
        == ["programs": ["names": ["/usr/games/tux"]]])
  }

  @Test func aProductGrantsTheNetworkInPlaceOfThePlugin() throws {
    let own = try plan(
      "network: none", worker: "{ network: { hosts: [mail.example.com], ports: [587] } }")
    #expect(own.workers[0].network == .limited(hosts: ["mail.example.com"], ports: [587]))
    #expect(own.description.contains("mail.example.com at port 587"))
    #expect(try plan("network: outbound", worker: "{ network: none }").workers[0].network == .none)
    #expect(try plan("network: outbound").workers[0].network == .outbound)
  }

  @Test func aProductSaysAtWhichPortAPluginListens() throws {
    let own = try plan("http: { port: 8080 }", worker: "{ http: { port: 9090 } }")
    #expect(own.workers[0].http?.port == 9090)
    #expect(try plan("http: { port: 8080 }").workers[0].http?.port == 8080)
    #expect(try plan("", worker: "{ http: { port: 9090 } }").workers[0].http?.port == 9090)
    // Two processes cannot listen at one port.
    #expect(try !plan("http: { port: 8080 }\noverlap: true").workers[0].overlap)
    #expect(try plan("overlap: true").workers[0].overlap)
  }

  @Test(arguments: [
    ("  a: {}\n  b: {}", "", "'http' of a has"),
    ("  a: {}", "metrics: { port: 8080 }", "the product's metrics has"),
    (
      "  a: { listen: { address: \"tcp://127.0.0.1:8080\", insecure: true } }", "",
      "'listen' of a has"
    ),
  ])
  func aPortHasOneOwner(_ workers: String, _ more: String, _ part: String) throws {
    let catalogue = PluginCatalogue(plugins: [
      try Samples.plugin("a", more: "http: { port: 8080 }"),
      try Samples.plugin("b", more: "http: { port: 8080 }"),
    ])
    let found = errors {
      _ = try Plan(product: Samples.product(workers, more: more), catalogue: catalogue)
    }
    #expect(found.count == 1)
    #expect(found.first?.message.contains(part) == true, "\(found)")
    #expect(found.first?.location != nil)
  }

  @Test(arguments: [
    ("network: outbound", "network", "outbound"),
    ("network: { ports: [25, 587] }", "network", "any host at ports 25, 587"),
    ("http: { port: 8080 }", "http.port", "8080"),
    ("programs: { user: ada, names: [/a/b] }", "programs", "of ada: /a/b"),
  ])
  func aChangedGrantNeedsANewProcess(_ line: String, _ key: String, _ new: String) throws {
    let (before, after) = (try plan(""), try plan(line))
    let changes = PlannedChanges(
      from: before, running: before.workers.map { PlannedChanges.RunningWorker($0) }, to: after
    ).changes
    #expect(changes.map(\.kind) == [.restart])
    #expect(changes.first?.settings.first { $0.key == key }?.new == new, "\(changes)")
  }
}
