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

  init?(_ value: ManifestValue, findings: Findings) {
    let before = findings.errors.count
    guard
      var fields = FieldDecoder(
        value, "a mapping: { port: 9464 }, { socket: true } or both", findings: findings)
    else { return nil }
    port = fields.value("port", default: nil) { scalars, value in
      scalars.integer(value, 1...65_535).map { UInt16($0) }
    }
    hasSocket = fields.value("socket", default: false) { $0.bool($1) }
    fields.finish()
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
