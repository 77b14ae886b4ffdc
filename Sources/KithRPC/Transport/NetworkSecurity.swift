/// Who a process is to others on the network, and whom it believes: the paths of files in PEM.
///
/// They are read anew for each connection that is dialled, and by
/// ``NngListener/reloadCredentials()``: a certificate is renewed by replacing the files.
public struct TLSCredentials: Sendable, Hashable {
  /// The certificates of the authorities whose word counts: the other side must have a certificate
  /// that one of them has signed.
  public var authorities: String
  /// The own certificate, and behind it those that lead to an authority.
  public var certificate: String
  /// Its private key; only its owner may read the file.
  public var privateKey: String
  /// The name that the certificate of the side that listens must be for; nil for the host of the
  /// address. Compared with the DNS names of the certificate, and needed where the address is a
  /// number: certificates are for names.
  public var serverName: String?

  /// Credentials in the given files.
  public init(
    authorities: String, certificate: String, privateKey: String, serverName: String? = nil
  ) {
    self.authorities = authorities
    self.certificate = certificate
    self.privateKey = privateKey
    self.serverName = serverName
  }
}

/// How what is said between two machines is protected.
public enum NetworkSecurity: Sendable, Hashable {
  /// By TLS 1.2 or later, with certificates on both sides. For `tls+tcp` addresses.
  case mutualTLS(TLSCredentials)
  /// Not at all: anybody on the way can read and change it, and anybody can connect. For `tcp`
  /// addresses, and only where somebody has said that this is wanted.
  case insecure
}
