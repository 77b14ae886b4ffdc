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

  /// Whether ``hosts`` allow a host: a name or an IP address as a URL has it, in any case. Every
  /// host is allowed where they name none. A network of addresses allows those in it that stand in
  /// the URL as addresses of IPv4; names are not resolved.
  public func allows(host: String) -> Bool {
    let host = host.lowercased()
    return hosts.isEmpty
      || hosts.contains { granted in
        if granted.hasPrefix("*.") { return host.hasSuffix(granted.dropFirst()) }
        return granted == host || Self.contains(network: granted, address: host)
      }
  }

  private static func contains(network: String, address: String) -> Bool {
    let parts = network.split(separator: "/")
    guard parts.count == 2, let bits = Int(parts[1]), (0...32).contains(bits),
      let base = number(parts[0]), let address = number(address[...])
    else { return false }
    return bits == 0 || (base ^ address) >> UInt32(32 - bits) == 0
  }

  /// The number of an address of IPv4.
  private static func number(_ address: Substring) -> UInt32? {
    let parts = address.split(separator: ".", omittingEmptySubsequences: false)
    let bytes = parts.compactMap { UInt8($0) }
    guard parts.count == 4, bytes.count == 4 else { return nil }
    return bytes.reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Those in these variables of an environment.
  init(variable: (String) -> String?) {
    hosts =
      variable("KITH_NETWORK_HOSTS").map { $0.split(separator: ",").map(String.init) } ?? []
    httpPort = variable("KITH_HTTP_PORT").flatMap { UInt16($0) }
  }

  /// Those of this process.
  static let ofThisProcess = WorkerGrants { getenv($0).map { String(cString: $0) } }
}
