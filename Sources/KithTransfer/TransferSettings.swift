/// How transfers reach the network, for all of them.
public struct TransferSettings: Sendable {
  /// A file of the certificates of authorities, in PEM, that are trusted in place of the system's;
  /// nil for the system's.
  public var authorities: String?
  /// A proxy for all transfers, such as `http://proxy.example.com:3128`; empty for none. The
  /// variables of the environment are not heeded.
  public var proxy: String
  /// How long a connection may take until it can be used, TLS included.
  public var connectTimeout: Duration
  /// The most connections to one host. Over HTTP/2 each carries many transfers.
  public var connectionsPerHost: Int
  /// Whether a host may be called, by its name in the URL.
  public var allows: @Sendable (_ host: String) -> Bool

  /// Settings.
  public init(
    authorities: String? = nil, proxy: String = "", connectTimeout: Duration = .seconds(10),
    connectionsPerHost: Int = 4, allows: @escaping @Sendable (String) -> Bool = { _ in true }
  ) {
    self.authorities = authorities
    self.proxy = proxy
    self.connectTimeout = connectTimeout
    self.connectionsPerHost = connectionsPerHost
    self.allows = allows
  }
}
