/// Where a product's metrics are to be had as Prometheus text.
///
/// ```yaml
/// metrics: { port: 9464 }      # http://127.0.0.1:9464/metrics; only this machine reaches it
/// metrics: { socket: true }    # GET /metrics on metrics.sock beside the host's control socket; only this user reaches it
/// ```
public struct MetricsEndpoint: Sendable, Hashable {
  /// The port of 127.0.0.1; nil for none.
  public let port: UInt16?
  /// Whether there is a socket.
  public let hasSocket: Bool

  private enum Keys {
    static let port = Key.integer(
      "port", 1...65_535, doc: "Serves http://127.0.0.1:PORT/metrics.")
    static let socket = Key.flag(
      "socket", doc: "Serves GET /metrics on metrics.sock beside the host's control socket.")
  }

  static let section = ManifestSection(
    "metrics", "Where the product's metrics are served as Prometheus text.",
    form: "a mapping: { port: 9464 }, { socket: true } or both",
    keys: [Keys.port.manifest, Keys.socket.manifest])

  init?(_ value: ManifestValue, findings: Findings) {
    let before = findings.errors.count
    guard let fields = FieldDecoder(value, Self.section, findings: findings) else { return nil }
    port = fields.read(Keys.port).map { UInt16($0) }
    hasSocket = fields.read(Keys.socket) ?? false
    guard findings.errors.count == before else { return nil }
    guard port != nil || hasSocket else {
      findings.add(
        ManifestError(
          .missingKey, "'metrics' names no place", at: value.location,
          expected: "'port: 9464' or 'socket: true'"))
      return nil
    }
  }
}
