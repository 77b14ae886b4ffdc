import Glibc

/// What the manifests let this worker do on the network, as its host told it.
///
/// ```swift
/// let grants = context.grants
/// guard grants.hosts.contains(host) else { throw RPCError(.permissionDenied, "\(host) is not granted") }
/// let server = try await HTTPServer(port: grants.httpPort ?? 8080)
/// ```
/// The kernel refuses TCP ports that are not granted. It knows no names: a worker keeps itself to
/// ``hosts``. Programs in any language find the same in the variables `KITH_NETWORK_HOSTS`, with
/// commas in between, and `KITH_HTTP_PORT`.
public struct WorkerGrants: Sendable, Hashable {
  /// The hosts of `network: { hosts: [...] }`: names, `*.` and a name, IP addresses, networks such
  /// as `10.0.0.0/8`. Empty where the manifest names none.
  public let hosts: [String]
  /// The port of `http: { port: ... }`; nil where there is none.
  public let httpPort: UInt16?

  /// Those in these variables of an environment.
  init(variable: (String) -> String?) {
    hosts =
      variable("KITH_NETWORK_HOSTS").map { $0.split(separator: ",").map(String.init) } ?? []
    httpPort = variable("KITH_HTTP_PORT").flatMap { UInt16($0) }
  }

  /// Those of this process.
  static let ofThisProcess = WorkerGrants { getenv($0).map { String(cString: $0) } }
}
