import KithJSON
import KithManifest
import ManifestSamples
import Testing

@Suite struct ProductManifestTests {
  @Test func readsEveryKey() throws {
    let product = try ProductManifest(
      parsing: """
        product: boomer-buddy
        title: Boomer Buddy
        posture: personal
        extends: base.yaml
        workers:
          risk-engine:
            config: { label_high: 0.75 }
          second-opinion:
            plugin: risk-engine
            restart: { type: temporary }
            limits: { memory: 128MiB }
            start_timeout: 2s
            stop_timeout: 3s
          reminders: {}
          notes:
        """, file: "boomer-buddy.yaml")
    #expect(product.name == "boomer-buddy")
    #expect(product.title == "Boomer Buddy")
    #expect(product.posture == .personal)
    #expect(product.extends?.path == "base.yaml")
    #expect(product.workers.map(\.name) == ["risk-engine", "second-opinion", "reminders", "notes"])
    #expect(product.workers.map(\.plugin) == ["risk-engine", "risk-engine", "reminders", "notes"])
    #expect(product.workers[0].configuration.map(\.key) == ["label_high"])
  }

  @Test func hasDocumentedDefaults() throws {
    let product = try ProductManifest(parsing: "product: a\nworkers: { b: {} }", file: "a.yaml")
    #expect(product.title == "a")
    #expect(product.posture == .ephemeral)
    #expect(product.extends == nil)
  }

  @Test(arguments: [
    ("product: a", ManifestError.Code.missingKey, 1, "no workers"),
    ("product: a\nworkers: {}", .missingKey, 2, "no workers"),
    ("product: a\nworkers: [b]", .wrongType, 2, "a mapping of names"),
    ("product: a\nworkers: { b: [] }", .wrongType, 2, "a mapping"),
    ("product: a\nworkers: { b: yes }", .wrongType, 2, "a mapping"),
    ("product: a\nworkers: { B: {} }", .outOfRange, 2, "small letters"),
    ("product: a\nworkers: { host: {} }", .outOfRange, 2, "another name"),
    (
      "product: a\nworkers:\n  status: { plugin: b }", .outOfRange, 3,
      "expected another name, with the plugin's under 'plugin' where they differ: `kith status` is"
    ),
    ("product: a\nworkers: { help: {} }", .outOfRange, 2, "`kith help` is a command"),
    ("product: a\nworkers:\n  b: { confg: {} }", .unknownKey, 3, "did you mean 'config'?"),
    ("product: a\nworkers:\n  b: { config: [] }", .wrongType, 3, "configuration keys"),
    ("product: a\nworkers:\n  b: { plugin: 'B b' }", .outOfRange, 3, "small letters"),
    ("product: a\nworkers:\n  b: { restart: { type: always } }", .outOfRange, 3, "permanent"),
    ("product: a\nworkers:\n  b: {}\n  b: {}", .duplicateKey, 4, "first in line 3"),
    ("product: a\nworker: { b: {} }", .unknownKey, 2, "did you mean 'workers'?"),
    ("product: a\nposture: public\nworkers: { b: {} }", .outOfRange, 2, "ephemeral, personal"),
    ("workers: { b: {} }", .missingKey, 1, "'product' is missing"),
    ("product: a\nextends: 1: 2\nworkers: { b: {} }", .syntax, 2, "mapping values"),
    ("product: a\nextends: ''\nworkers: { b: {} }", .outOfRange, 2, "a path"),
  ])
  func refusesWhatIsWrong(text: String, code: ManifestError.Code, line: Int, message: String) {
    let found = errors { _ = try ProductManifest(parsing: text, file: "a.yaml") }
    #expect(
      found.contains {
        $0.code == code && $0.location?.line == line && $0.description.contains(message)
      }, "\(found)")
  }

  @Test func extendingKeepsWhatIsNotStated() throws {
    let base = try ProductManifest(
      parsing: """
        product: base
        posture: personal
        title: Base
        workers:
          one: { config: { a: 1, b: 2 }, restart: { type: temporary, intensity: 1 } }
          two: { plugin: other }
        """, file: "base.yaml")
    let product = try ProductManifest(
      parsing: """
        product: variant
        extends: base.yaml
        workers:
          three: {}
          one: { config: { b: 3 }, restart: { intensity: 2 } }
        """, file: "variant.yaml"
    ).extending(base)
    #expect(product.name == "variant" && product.title == "variant")
    #expect(product.posture == .personal)
    #expect(product.extends == nil)
    #expect(product.workers.map(\.name) == ["one", "two", "three"])
    #expect(product.workers[1].plugin == "other")
    #expect(product.workers[0].configuration.map(\.key) == ["a", "b"])
  }

  @Test func extendingIsOneLevelDeep() throws {
    let base = try ProductManifest(parsing: "product: b\nextends: c.yaml", file: "b.yaml")
    let product = try ProductManifest(parsing: "product: a\nextends: b.yaml", file: "a.yaml")
    let found = errors { _ = try product.extending(base) }
    #expect(found.first?.location == SourceLocation(file: "b.yaml", line: 2, column: 10))
    #expect(found.first?.expected?.contains("one level") == true)
  }
}

@Suite struct NetworkEndpointTests {
  private func product(_ tail: String) throws -> ProductManifest {
    try ProductManifest(
      parsing: "product: a\nworkers: { b: {} }\n\(tail)", file: "/etc/kith/a.yaml")
  }

  private func listening(_ listen: String) throws -> NetworkEndpoint? {
    try ProductManifest(
      parsing: "product: a\nworkers: { b: { listen: \(listen) } }", file: "/etc/kith/a.yaml"
    ).workers.first?.listen
  }

  @Test func pathsAreFromTheFolderOfTheFile() throws {
    let endpoint = try #require(
      try listening(
        "{ address: tls+tcp://0.0.0.0:7443, authorities: ca.pem, certificate: tls/b.pem, "
          + "private_key: /run/keys/b.key }"))
    #expect(endpoint.address == "tls+tcp://0.0.0.0:7443")
    #expect(endpoint.credentials?.authorities == "/etc/kith/ca.pem")
    #expect(endpoint.credentials?.certificate == "/etc/kith/tls/b.pem")
    #expect(endpoint.credentials?.privateKey == "/run/keys/b.key")
  }

  @Test func aCertificateIsForANameAlsoWhereTheAddressIsANumber() throws {
    func remote(_ address: String, _ more: String = "") throws -> NetworkEndpoint? {
      try product(
        "remote: { kith.b.v1.B: { address: \"tls+tcp://\(address):7443\", authorities: a, "
          + "certificate: b, private_key: c\(more) } }"
      ).remoteServices.first?.endpoint
    }
    #expect(try remote("pi.local")?.credentials?.serverName == nil)
    #expect(
      try remote("10.0.0.2", ", server_name: pi.local")?.credentials?.serverName == "pi.local")
    for address in ["10.0.0.2", "[fe80::1]"] {
      let errors = #expect(throws: ManifestErrors.self) { try remote(address) }
      #expect(errors?.description.contains("server_name") == true)
    }
    #expect(try remote("10.0.0")?.address == "tls+tcp://10.0.0:7443")
    #expect(throws: ManifestErrors.self) { try remote("h", ", server_name: \"a b\"") }
    #expect(throws: ManifestErrors.self) {
      try listening(
        "{ address: tls+tcp://h:1, authorities: a, certificate: b, private_key: c, server_name: d }"
      )
    }
  }

  @Test func plainTCPIsTakenOnlyInSoManyWords() throws {
    let endpoint = try listening("{ address: \"tcp://127.0.0.1:7443\", insecure: true }")
    #expect(endpoint?.credentials == nil)
    let errors = #expect(throws: ManifestErrors.self) {
      try listening("{ address: \"tcp://127.0.0.1:7443\" }")
    }
    #expect(errors?.description.contains("insecure: true") == true)
    #expect(errors?.description.contains("/etc/kith/a.yaml:2:") == true)
  }

  @Test(arguments: [
    "{ address: tls+tcp://0.0.0.0:7443 }",
    "{ address: tls+tcp://0.0.0.0:7443, authorities: a, certificate: b }",
    "{ address: tls+tcp://0.0.0.0:7443, authorities: a, certificate: b, private_key: c, insecure: true }",
    "{ address: \"tcp://h:1\", insecure: true, certificate: b }",
    "{ address: tls+tcp://0.0.0.0, authorities: a, certificate: b, private_key: c }",
    "{ address: tls+tcp://0.0.0.0:0, authorities: a, certificate: b, private_key: c }",
    "{ address: ipc:///x, authorities: a, certificate: b, private_key: c }",
    "{ address: tls+tcp://h:1, authorities: a, certificate: b, private_key: c, ciphers: all }",
    "{ authorities: a, certificate: b, private_key: c }", "[]", "yes",
  ])
  func whatCannotWorkIsRefused(_ listen: String) {
    #expect(throws: ManifestErrors.self) { try listening(listen) }
  }

  @Test func aServiceMayBeElsewhere() throws {
    let remote = try product(
      "remote: { kith.b.v1.B: { address: \"tcp://10.0.0.2:7443\", insecure: true } }"
    ).remoteServices
    #expect(remote.map(\.service) == ["kith.b.v1.B"])
    #expect(remote.first?.endpoint.address == "tcp://10.0.0.2:7443")
    for wrong in ["remote: [a]", "remote: { B: { address: \"tcp://h:1\", insecure: true } }"] {
      #expect(throws: ManifestErrors.self) { try product(wrong) }
    }
  }
}
