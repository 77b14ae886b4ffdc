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

  @Test func withoutThemNothingIsGranted() {
    let grants = WorkerGrants { _ in nil }
    #expect(grants.hosts.isEmpty)
    #expect(grants.httpPort == nil)
    #expect(WorkerGrants { $0 == "KITH_HTTP_PORT" ? "70000" : "" }.httpPort == nil)
  }
}
