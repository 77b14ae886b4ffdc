import Testing

@testable import KithWorker

/// What a worker is told of its grants.
@Suite struct WorkerGrantsTests {
  @Test func grantsAreReadFromTheEnvironment() {
    let variables = ["KITH_NETWORK_HOSTS": "api.example.com,10.0.0.0/8", "KITH_HTTP_PORT": "8080"]
    let grants = WorkerGrants { variables[$0] }
    #expect(grants.hosts == ["api.example.com", "10.0.0.0/8"])
    #expect(grants.httpPort == 8080)
  }

  @Test func hostsAreAllowedAsTheyAreGranted() {
    let grants = WorkerGrants {
      $0 == "KITH_NETWORK_HOSTS" ? "api.example.com,*.push.example.com,10.0.0.0/8,192.0.2.7" : nil
    }
    for host in [
      "api.example.com", "API.example.com", "a.push.example.com", "10.9.8.7", "192.0.2.7",
    ] {
      #expect(grants.allows(host: host), "\(host)")
    }
    for host in [
      "example.com", "xapi.example.com", "push.example.com", "evilpush.example.com", "11.0.0.1",
      "192.0.2.8", "10.0.0", "10.0.0.256", "",
    ] {
      #expect(!grants.allows(host: host), "\(host)")
    }
    #expect(WorkerGrants { _ in nil }.allows(host: "anywhere.example"))
  }

  @Test func withoutThemNothingIsGranted() {
    let grants = WorkerGrants { _ in nil }
    #expect(grants.hosts.isEmpty)
    #expect(grants.httpPort == nil)
    #expect(WorkerGrants { $0 == "KITH_HTTP_PORT" ? "70000" : "" }.httpPort == nil)
  }
}
