/// The right to listen at one TCP port, for callers that speak HTTP.
///
/// ```yaml
/// http: { port: 8080 }
/// ```
/// In a `plugin.yaml` it is the port that the plugin listens at unless its product says otherwise;
/// in a product it stands under the worker. The kernel (Landlock, Linux 6.7) refuses every other
/// port. The worker is handed the number.
public struct HTTPGrant: Sendable, Hashable {
  /// The TCP port.
  public let port: UInt16

  private static let portKey = Key<Int>(
    required: "port", type: "TCP port", missing: "a TCP port: { port: 8080 }",
    doc: "The TCP port at which it may listen."
  ) { $0.integer($1, 1...65_535) }

  static let section = ManifestSection(
    "http", "The right to listen for HTTP. The worker reads the port from KITH_HTTP_PORT.",
    form: "{ port: 8080 }", keys: [portKey.manifest])

  static let key = Key.nested(
    "http", shown: "none", section: "http", doc: "The TCP port at which it may listen for HTTP.")

  /// Reads a grant; what is wrong is noted.
  init?(_ value: ManifestValue, findings: Findings) {
    guard let fields = FieldDecoder(value, Self.section, findings: findings),
      let port = fields.read(Self.portKey)
    else { return nil }
    self.port = UInt16(port)
  }
}
