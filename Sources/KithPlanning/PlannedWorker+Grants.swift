import KithJSON
import KithManifest

/// What the manifests let a worker do beyond the sockets and files of its own: what an operator
/// reads before running it.
extension PlannedWorker {
  /// A line of a manifest that lets the worker do something.
  public struct Grant: Sendable, Hashable {
    /// As the manifests name it: `network`, `http`, `listen`.
    public let name: String
    /// What it lets the worker do, for people.
    public let text: String
  }

  /// The grants, in a fixed order. None for a worker that reaches nothing.
  public var grants: [Grant] {
    var grants: [Grant] = []
    switch network {
    case .none: break
    case .outbound: grants.append(Grant(name: "network", text: "any host at any port"))
    case .limited(let hosts, _):
      // An operator must not take for kept what nothing keeps.
      let note = hosts.isEmpty ? "" : " (the kernel keeps the ports, the worker itself the hosts)"
      grants.append(Grant(name: "network", text: "\(network)\(note)"))
    }
    if let http { grants.append(Grant(name: "http", text: "listens at port \(http.port)")) }
    if let listen {
      let people = listen.actsForText.isEmpty ? "" : ", callers act for \(listen.actsForText)"
      grants.append(Grant(name: "listen", text: listen.address + people))
    }
    if let programs {
      grants.append(Grant(name: "programs", text: "sees, freezes and ends those \(programs)"))
    }
    if actsForUsers {
      grants.append(Grant(name: "acts_for", text: "users: it may speak for every person"))
    }
    return grants
  }

  /// The grants as JSON: a member for each that there is.
  var grantsJSON: JSONValue {
    var object = JSONObject()
    switch network {
    case .none: break
    case .outbound: object["network"] = "outbound"
    case .limited(let hosts, let ports):
      object["network"] = [
        "hosts": .array(hosts.map { .string($0) }),
        "ports": .array(ports.map { .integer(Int64($0)) }),
      ]
    }
    if let http { object["http"] = ["port": .integer(Int64(http.port))] }
    if let listen { object["listen"] = .string(listen.address) }
    if let programs {
      var named: JSONObject = ["names": .array(programs.names.map { .string($0) })]
      if let user = programs.user { named["user"] = .string(user) }
      object["programs"] = .object(named)
    }
    if actsForUsers { object["actsFor"] = .string(ActsFor.users.rawValue) }
    return .object(object)
  }
}
