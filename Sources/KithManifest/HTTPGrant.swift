/// The right to listen at one TCP port, for callers that speak HTTP.
///
/// ```yaml
/// http: { port: 8080 }
/// ```
/// In a `plugin.yaml` it is the port that the plugin listens at unless its product says otherwise; in a product it stands under the
/// worker. The kernel (Landlock, Linux 6.7) refuses every other port. The worker is handed the number.
public struct HTTPGrant: Sendable, Hashable {
  /// The TCP port.
  public let port: UInt16

  /// Reads a grant; what is wrong is noted.
  init?(_ value: ManifestValue, findings: Findings) {
    guard var fields = FieldDecoder(value, "{ port: 8080 }", findings: findings) else { return nil }
    let port = fields.require("port", "a TCP port: { port: 8080 }").flatMap { entry in
      Scalars(name: "'port'", findings: findings).integer(entry.value, 1...65_535)
    }
    fields.finish()
    guard let port else { return nil }
    self.port = UInt16(port)
  }
}
