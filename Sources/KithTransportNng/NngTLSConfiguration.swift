import CNng
import Glibc
import KithRPC

/// The TLS configuration of one end (`nng_tls_config`), made from files.
///
/// Unchecked: the pointer is set once and released by `deinit`; what it points to has a lock of its own, and nng holds
/// it for as long as it uses it.
final class NngTLSConfiguration: @unchecked Sendable {
  let pointer: OpaquePointer

  /// Reads the files of `credentials`. `server` is the name that the other side's certificate must be for; nil on the
  /// listening side.
  ///
  /// - Throws: FAILED_PRECONDITION that names the file and what is wrong with it.
  init(_ credentials: TLSCredentials, server: String?) throws(RPCError) {
    let authorities = try Self.text(of: credentials.authorities, "the authorities' certificates")
    let certificate = try Self.text(of: credentials.certificate, "the certificate")
    try Self.checkOwnerOnly(credentials.privateKey)
    let key = try Self.text(of: credentials.privateKey, "the private key")

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
      nng_tls_config_ca_chain(allocated, authorities, nil)
    }
    try Self.check(
      "\(credentials.certificate) and \(credentials.privateKey) are no certificate and its key in PEM"
    ) {
      nng_tls_config_own_cert(allocated, certificate, key, nil)
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

  private static func text(of path: String, _ what: String) throws(RPCError) -> String {
    // Larger than any chain of certificates.
    let limit = 1 << 20
    guard let file = fopen(path, "re") else {
      throw RPCError(
        .failedPrecondition,
        "\(what) cannot be read from \(path): \(String(cString: strerror(errno)))")
    }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: limit)
    let count = fread(&bytes, 1, limit, file)
    guard count < limit, let text = String(validating: bytes[..<count], as: UTF8.self),
      text.contains("-----BEGIN")
    else {
      throw RPCError(.failedPrecondition, "\(path) is not in PEM: expected \(what)")
    }
    return text
  }

  private static func checkOwnerOnly(_ path: String) throws(RPCError) {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & 0o077 != 0 else { return }
    throw RPCError(
      .failedPrecondition,
      "the private key \(path) can be read by others (mode "
        + "\(String(status.st_mode & 0o777, radix: 8))): run chmod 600 on it")
  }
}
