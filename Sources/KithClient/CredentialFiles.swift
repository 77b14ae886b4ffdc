public import KithRPC
import KithTransportNng

/// The files that a process shows of itself on the network.
public enum CredentialFiles {
  /// Looks at them as a connection would: they are there and in PEM, the key is private and belongs
  /// to the certificate, and the certificate is valid now, by this machine's clock.
  ///
  /// - Throws: FAILED_PRECONDITION that names the file and what is wrong with it.
  public static func check(_ credentials: TLSCredentials) throws(RPCError) {
    try credentials.check()
  }
}
