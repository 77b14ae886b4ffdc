import Glibc
import KithCertificates
public import KithRPC

/// The texts of the files of credentials, looked at before they are shown to anybody.
struct CredentialTexts {
  let authorities: String
  let certificate: String
  let privateKey: String

  /// Reads the files.
  ///
  /// - Throws: FAILED_PRECONDITION that names the file that cannot be read, or that others can.
  init(_ credentials: TLSCredentials) throws(RPCError) {
    authorities = try Self.text(of: credentials.authorities, "the authorities' certificates")
    certificate = try Self.text(of: credentials.certificate, "the certificate")
    try Self.checkOwnerOnly(credentials.privateKey)
    privateKey = try Self.text(of: credentials.privateKey, "the private key")
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

extension TLSCredentials {
  /// Looks at the own side as a connection would: the files are there and in PEM, the key is
  /// private and belongs to the certificate, and the certificate is valid now, by this machine's
  /// clock.
  ///
  /// - Throws: FAILED_PRECONDITION that names the file and what is wrong with it.
  public func check() throws(RPCError) { try check(CredentialTexts(self)) }

  func check(_ texts: CredentialTexts) throws(RPCError) {
    do throws(OwnCertificate.Problem) {
      try OwnCertificate(certificate: texts.certificate, privateKey: texts.privateKey)
        .check(at: time(nil))
    } catch {
      throw RPCError(.failedPrecondition, words(for: error))
    }
  }

  private func words(for problem: OwnCertificate.Problem) -> String {
    switch problem {
    case .certificateUnreadable(let reason): "\(certificate) holds no certificate: \(reason)"
    case .keyUnreadable(let reason):
      "\(privateKey) holds no private key that can be used: \(reason)"
    case .keyOfAnother:
      "the private key \(privateKey) is not the key of the certificate \(certificate)"
    case .expired(let date):
      "the certificate \(certificate) expired on \(date): put a new one there"
    case .notYetValid(let date):
      "the certificate \(certificate) is valid from \(date) on, which is not yet: is the clock right?"
    }
  }
}
