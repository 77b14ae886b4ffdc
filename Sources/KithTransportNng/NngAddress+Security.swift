import KithRPC

extension NngAddress {
  /// The TLS configuration for this address; nil where it needs none. `dials`: the other side is
  /// the one that listens.
  ///
  /// - Throws: INVALID_ARGUMENT when address and security do not belong together.
  func configuration(
    _ security: NetworkSecurity?, dials: Bool, checksCertificate: Bool = true
  ) throws(RPCError) -> NngTLSConfiguration? {
    switch (kind, security) {
    case (.ipc, nil), (.tcp, .insecure): return nil
    case (.tls(let host), .mutualTLS(let credentials)):
      return try NngTLSConfiguration(
        credentials, server: dials ? credentials.serverName ?? host : nil,
        checksCertificate: checksCertificate)
    case (.tcp, nil):
      throw RPCError(
        .invalidArgument,
        "plain tcp at \(url) is refused: anybody on the way could read and change what is said. Use "
          + "tls+tcp with certificates, or say that it is to be insecure")
    case (.tls, nil):
      throw RPCError(
        .invalidArgument,
        "\(url) needs credentials: the authorities' certificates, a certificate and its key")
    default:
      throw RPCError(
        .invalidArgument,
        "the address \(url) and the security given for it do not belong together: credentials are for "
          + "tls+tcp, insecure is for tcp, and ipc needs neither")
    }
  }
}
