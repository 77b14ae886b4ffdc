import Crypto
import KithJSON
import KithManifest
import KithPlanning

extension PlannedWorker {
  /// Tells definitions apart from which different processes come; what only its supervision depends
  /// on is left out.
  func digest(in plan: Plan, account: WorkerAccount?) -> String {
    let required = requires.map(\.name)
    let remote = plan.remoteServices.filter { required.contains($0.service) }
    // A worker without the grant is told apart as it was before there was one: an upgraded host
    // takes its process over.
    let http: [JSONValue] = http.map { [.string("http \($0.port)")] } ?? []
    let programs: [JSONValue] = programs.map { [.string("programs \($0)")] } ?? []
    let user: [JSONValue] = account.map { [.string("user \($0.user)")] } ?? []
    let parts: [JSONValue] = [
      .string(plan.posture.rawValue), .string(plugin), .string(pluginVersion),
      .string(pluginDirectory), .string(executablePath), .array(provides.map { .string($0) }),
      .string("\(limits)"), .string("\(store)"), .string("\(network)"),
      .bool(actsForUsers), .array(required.map { .string($0) }),
      .string("\(String(describing: listen))"),
      .string("\(remote)"), .object(configuration),
    ]
    let text = JSONValue.array(parts + http + programs + user).text()
    return SHA256.hash(data: Array(text.utf8)).map { byte in
      String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }.joined()
  }
}
