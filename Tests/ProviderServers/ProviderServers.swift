import Crypto
public import CryptoExtras
import Glibc
public import KithJSON
import KithRPC
public import KithTesting
import TestCertificates

/// The servers of `tools/interop/providers`, started for a test, with certificates and keys that
/// are made for it.
public final class ProviderServers: Sendable {
  /// One of the servers.
  public enum Kind: String, Sendable {
    /// Submission of mail: user `milo`, password `s3cret`.
    case smtp
    /// Apple's push service.
    case apns
    /// Google's token endpoint and FCM, Twilio, and a webhook.
    case https
  }

  /// Whether there is a Python that has what they need; where it must be there
  /// (`KITH_REQUIRE_INTEROP`) a test finds out by itself.
  public static let areThere: Bool =
    getenv("KITH_REQUIRE_INTEROP") != nil || getenv("KITH_INTEROP_PYTHON") != nil

  /// The file of the authority that has signed for `localhost`.
  public let authorities: String
  /// The file of an authority that has signed for nobody here.
  public let strangers: String
  /// The file of the key of pushes (`.p8`).
  public let pushKey: String
  /// The key of the service account.
  public let accountKey: _RSA.Signing.PrivateKey
  private let folder: TemporaryFolder
  private let port: UInt16
  private let program: RunningProgram

  /// Starts a server; returns when it listens.
  /// - Parameter host: whom its certificate names.
  public init(_ kind: Kind, in folder: TemporaryFolder, host: String = "localhost") async throws {
    self.folder = folder
    let authority = try TestAuthority("providers", folder: folder.path)
    authorities = authority.authorities
    strangers = try TestAuthority("strangers", folder: folder.path).authorities
    let credentials = try authority.credentials("leaf", host: host)
    let key = P256.Signing.PrivateKey()
    accountKey = try _RSA.Signing.PrivateKey(keySize: .bits2048)
    try folder.write(key.pemRepresentation, to: "push.p8", mode: 0o600)
    pushKey = "\(folder.path)/push.p8"
    try folder.write(
      kind == .apns ? key.publicKey.pemRepresentation : accountKey.publicKey.pemRepresentation,
      to: "public.pem")
    let python = getenv("KITH_INTEROP_PYTHON").map { String(cString: $0) } ?? "/usr/bin/python3"
    var arguments = [
      "\(Self.checkout)/tools/interop/providers/\(kind.rawValue).py", "--certificate",
      credentials.certificate, "--key", credentials.privateKey, "--log", "\(folder.path)/log",
      "--ready", "\(folder.path)/ready",
    ]
    if kind != .smtp { arguments += ["--public-key", "\(folder.path)/public.pem"] }
    let program = try Program(
      python, arguments, environment: ["PYTHONDONTWRITEBYTECODE": "1"]
    ).start(errors: "\(folder.path)/errors")
    self.program = program
    let ready = "\(folder.path)/ready"
    try await waitUntil("the \(kind.rawValue) server listens") {
      guard !program.hasEnded else {
        throw TestingError(
          "the \(kind.rawValue) server has ended: "
            + (TemporaryFolder.text(of: "\(folder.path)/errors") ?? ""))
      }
      return TemporaryFolder.text(of: ready) != nil
    }
    port = TemporaryFolder.text(of: ready).flatMap { UInt16($0) } ?? 0
  }

  deinit { program.signal(SIGKILL) }

  /// Its address, with this scheme: `https://localhost:40123`.
  public func url(_ scheme: String = "https") -> String { "\(scheme)://localhost:\(port)" }

  /// The TCP port.
  public var portNumber: Int { Int(port) }

  /// What it has taken, in order.
  public var log: [JSONValue] {
    (TemporaryFolder.text(of: "\(folder.path)/log") ?? "").split(separator: "\n").compactMap {
      try? JSONValue(parsing: String($0))
    }
  }

  /// The file of the service account, as Google gives it.
  public var account: String {
    let object: JSONObject = [
      "project_id": "milo-test", "client_email": "push@milo-test.example",
      "private_key_id": "1", "token_uri": .string("\(url())/token"),
      "private_key": .string(accountKey.pemRepresentation),
    ]
    return JSONValue.object(object).text()
  }

  /// Ends it at once.
  public func kill() async {
    program.signal(SIGKILL)
    _ = await program.exitCode()
  }

  private static var checkout: String {
    String(#filePath.dropLast("/Tests/ProviderServers/ProviderServers.swift".count))
  }
}
