import CNng
import KithRPC

/// The TLS configuration of one end (`nng_tls_config`), made from files.
///
/// Unchecked: the pointer is set once and released by `deinit`; what it points to has a lock of its
/// own, and nng holds it for as long as it uses it.
final class NngTLSConfiguration: @unchecked Sendable {
  let pointer: OpaquePointer

  /// Reads the files of `credentials`. `server` is the name that the other side's certificate must
  /// be for; nil on the listening side. What is shown is checked first, save by tests of what the
  /// other side makes of it.
  ///
  /// - Throws: FAILED_PRECONDITION that names the file and what is wrong with it.
  init(
    _ credentials: TLSCredentials, server: String?, checksCertificate: Bool = true
  ) throws(RPCError) {
    let texts = try CredentialTexts(credentials)
    if checksCertificate { try credentials.check(texts) }

    var allocated: OpaquePointer?
    try NngCode.check("TLS cannot be set up") {
      nng_tls_config_alloc(
        &allocated, server == nil ? NNG_TLS_MODE_SERVER : NNG_TLS_MODE_CLIENT)
    }
    guard let allocated else { preconditionFailure("nng_tls_config_alloc succeeded without one") }
    pointer = allocated
    try Self.check("TLS 1.2 cannot be demanded") {
      nng_tls_config_version(allocated, NNG_TLS_1_2, NNG_TLS_1_3)
    }
    try Self.check("the other side's certificate cannot be demanded") {
      nng_tls_config_auth_mode(allocated, NNG_TLS_AUTH_MODE_REQUIRED)
    }
    try Self.check("\(credentials.authorities) holds no certificates in PEM") {
      nng_tls_config_ca_chain(allocated, texts.authorities, nil)
    }
    try Self.check(
      "\(credentials.certificate) and \(credentials.privateKey) are no certificate and its key in PEM"
    ) {
      nng_tls_config_own_cert(allocated, texts.certificate, texts.privateKey, nil)
    }
    if let server {
      try Self.check("the name \(server) cannot be checked") {
        nng_tls_config_server_name(allocated, server)
      }
    }
  }

  deinit { nng_tls_config_free(pointer) }

  private static func check(_ what: @autoclosure () -> String, _ call: () -> Int32) throws(RPCError)
  {
    let code = NngCode(rawValue: call())
    guard code != .ok else { return }
    throw RPCError(.failedPrecondition, "\(what()): \(code.text)")
  }
}
