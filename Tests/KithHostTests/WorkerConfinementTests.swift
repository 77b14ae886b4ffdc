import KithManifest
import KithPlanning
import Testing

@testable import KithHost

/// What the manifests of a worker come to as its confinement.
@Suite struct WorkerConfinementTests {
  /// The confinement of a worker of this plugin and this entry in the product.
  private func confinement(
    plugin: String = "", worker: String = "{}", state: String = "/state"
  ) throws -> Confinement {
    let manifest = try PluginManifest(
      parsing: "plugin: a\nversion: 0.1.0\nexecutable: a-worker\n\(plugin)\n", file: "plugin.yaml")
    let plan = try Plan(
      product: try ProductManifest(
        parsing: "product: sample\nworkers:\n  a: \(worker)\n", file: "sample.yaml"),
      catalogue: PluginCatalogue(plugins: [
        CataloguedPlugin(
          manifest: manifest, directory: "/plugins/a", executablePath: "/programs/a-worker",
          executableCandidates: [])
      ]))
    return Confinement(
      of: try #require(plan.worker(named: "a")), state: state, sockets: "/run/a.1", runtime: "/run",
      remoteServices: plan.remoteServices)
  }

  @Test func aWorkerOfNoGrantsIsOffTheNetwork() throws {
    let confinement = try confinement()
    #expect(confinement.listeningPorts == [] && confinement.outboundPorts == [])
    #expect(confinement.isOffTheNetwork)
    #expect(confinement.confinesFiles && confinement.keepsToItself && confinement.confinesCalls)
  }

  @Test func itListensAtThePortOfItsWebServerAndCallsNobody() throws {
    let confinement = try confinement(plugin: "http: { port: 8080 }")
    #expect(confinement.listeningPorts == [8080] && confinement.outboundPorts == [])
    #expect(!confinement.isOffTheNetwork)
  }

  @Test func itCallsAtThePortsThatAreGrantedAndListensNowhere() throws {
    let some = try confinement(plugin: "network: { ports: [25, 443] }")
    #expect(some.outboundPorts == [25, 443] && some.listeningPorts == [])
    let any = try confinement(plugin: "network: outbound")
    #expect(any.outboundPorts == nil && any.listeningPorts == [])
  }

  @Test func itWritesItsStateAloneAndReadsItsPluginAndItsProgram() throws {
    let confinement = try confinement()
    #expect(confinement.writable == ["/state"])
    #expect(confinement.socketFolders == ["/run/a.1"] && confinement.visible == ["/run"])
    #expect(confinement.readable.contains("/plugins/a"))
    #expect(confinement.readable.contains("/programs"))
    #expect(!confinement.readable.contains("/state"))
    #expect(try self.confinement(state: "").writable.isEmpty)
  }
}
