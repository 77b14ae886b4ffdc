import KithManifest
import Testing

@Suite struct ProductPlacesTests {
  @Test func followsXDG() throws {
    let places = try ProductPlaces(
      product: "milo",
      environment: ["XDG_STATE_HOME": "/s/", "XDG_RUNTIME_DIR": "/run/user/1", "HOME": "/h"])
    #expect(places.stateDirectory == "/s/kith/milo")
    #expect(places.runtimeDirectory == "/run/user/1/kith/milo")
    #expect(places.logsDirectory == "/s/kith/milo/logs")
    #expect(places.controlSocket == "/run/user/1/kith/milo/host.sock")
    #expect(places.controlAddress == "ipc:///run/user/1/kith/milo/host.sock")
    #expect(places.lockFile == "/s/kith/milo/host.lock")
    #expect(places.stateDirectory(worker: "risk") == "/s/kith/milo/workers/risk")
    #expect(places.logFile(worker: "risk") == "/s/kith/milo/logs/risk.log")
    #expect(
      try places.socket(worker: "risk", generation: 7) == "/run/user/1/kith/milo/risk.7/sock")
  }

  @Test func fallsBackToTheHomeFolder() throws {
    let places = try ProductPlaces(
      product: "milo", environment: ["HOME": "/h", "XDG_STATE_HOME": "relative"])
    #expect(places.stateDirectory == "/h/.local/state/kith/milo")
    #expect(places.runtimeDirectory == "/h/.local/state/kith/milo/run")
  }

  @Test(arguments: ["/r", "/r/", "/r//"])
  func aRootHoldsEverything(root: String) throws {
    let places = try ProductPlaces(
      product: "milo", root: root, environment: ["XDG_RUNTIME_DIR": "/run/user/1"])
    #expect(places.stateDirectory == "/r")
    #expect(places.controlSocket == "/r/run/host.sock")
    #expect(places.logFile(worker: "kithd") == "/r/logs/kithd.log")
  }

  @Test func refusesWhatIsUnfit() {
    func code(_ product: String, root: String?, _ environment: [String: String])
      -> ManifestError.Code?
    {
      do throws(ManifestError) {
        _ = try ProductPlaces(product: product, root: root, environment: environment)
        return nil
      } catch {
        return error.code
      }
    }
    #expect(code("../x", root: "/r", [:]) == .outOfRange)
    #expect(code("milo", root: "r", [:]) == .outOfRange)
    #expect(code("milo", root: nil, [:]) == .environment)
    #expect(code("milo", root: nil, ["HOME": "relative"]) == .environment)
    #expect(code("milo", root: "/" + String(repeating: "x", count: 100), [:]) == .pathTooLong)
    #expect(code("milo", root: "/", [:]) == nil)
  }

  @Test func countsTheBytesOfASocketPath() throws {
    // "/run/host.sock" has 14 bytes, "/run/risk.1/sock" 16.
    let longest = "/" + String(repeating: "é", count: 46)
    let places = try ProductPlaces(product: "milo", root: longest, environment: [:])
    #expect(places.controlSocket.utf8.count == 107)
    let error = #expect(throws: ManifestError.self) {
      try places.socket(worker: "risk", generation: 1)
    }
    #expect(error?.code == .pathTooLong)
    #expect(error?.description.contains("109 bytes") == true)
    #expect(error?.description.contains("2 bytes shorter") == true)
    #expect(throws: ManifestError.self) { try places.checkSockets(workers: ["a"]) }
  }
}
