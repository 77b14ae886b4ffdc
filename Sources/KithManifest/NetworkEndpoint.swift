/// An address on the network, and how what is said there is protected.
///
/// ```yaml
/// listen:                            # of a worker: also for callers on other machines
///   address: tls+tcp://0.0.0.0:7443
///   authorities: tls/authorities.pem # paths are from the folder of this file
///   certificate: tls/risk.pem
///   private_key: tls/risk.key
///   acts_for: [ada]                  # whom callers with a certificate may speak for; or `users`, for everybody
/// ```
/// ```yaml
/// remote:                            # a service that a worker on another machine serves
///   kith.reminders.v1.Reminders:
///     address: tls+tcp://192.168.1.7:7443
///     server_name: pi.local          # where the address is a number; else its host counts
///     authorities: tls/authorities.pem
///     certificate: tls/me.pem
///     private_key: tls/me.key
/// ```
/// ```yaml
/// listen: { address: "tcp://127.0.0.1:7443", insecure: true }
/// ```
public struct NetworkEndpoint: Sendable, Equatable {
  /// The paths of the files in PEM that TLS needs.
  public struct Credentials: Sendable, Equatable {
    /// The certificates of the authorities that must have signed the other side's.
    public let authorities: String
    /// The own certificate, and behind it those that lead to an authority.
    public let certificate: String
    /// Its private key.
    public let privateKey: String
    /// The name that the other side's certificate must be for; nil for the host of the address.
    public let serverName: String?
  }

  /// The address: `tls+tcp://host:port`, or `tcp://host:port` where the manifest says
  /// `insecure: true`.
  public let address: String
  /// What TLS needs; nil for plain tcp.
  public let credentials: Credentials?
  /// For whom callers with a certificate may speak. Defaults to nobody.
  public let actsFor: People
  /// Where it stands.
  public let location: SourceLocation

  /// The people for whom callers from the network may speak.
  public enum People: Sendable, Equatable {
    /// The people of these ids.
    case only([String])
    /// Every person.
    case users
  }

  private static let form =
    "{ address: tls+tcp://host:port, authorities, certificate, private_key }"

  private enum Keys {
    static let address = Key<String>(
      required: "address", type: "address", missing: "tls+tcp://host:port",
      doc: "tls+tcp://host:port, or tcp://host:port where insecure is true."
    ) { $0.name($1, "tls+tcp://host:port", where: isAddress) }
    static let serverName = Key<String>(
      "server_name", type: "name", shown: "the address's host",
      doc: "The name in the other side's certificate. Required where the host is a number."
    ) { $0.name($1, "a name in the other side's certificate: pi.local", where: isName) }
    static let files = [
      file("authorities", "The authorities that must have signed the other side's certificate."),
      file("certificate", "The own certificate, then those that lead to an authority."),
      file("private_key", "The private key of the certificate."),
    ]
    static let actsFor = Key<People>(
      "acts_for", type: "users, or a list of people", standard: .only([]), shown: "nobody",
      doc: "For whom callers with a certificate may speak.", read: people)
    static let insecure = Key.flag(
      "insecure", doc: "Plain TCP: anybody on the way can read and change what is sent.")

    private static func file(_ name: String, _ doc: String) -> Key<String> {
      Key(
        name, type: "path", shown: "none", doc: "\(doc) PEM; from this file's folder."
      ) { scalars, value in
        scalars.name(value, "the path of a file in PEM") { !$0.isEmpty && !$0.contains("\0") }
      }
    }
  }

  static let listenSection = ManifestSection(
    "listen", "An address at which a worker listens for callers on other machines.", form: form,
    keys: [Keys.address.manifest] + Keys.files.map(\.manifest)
      + [Keys.actsFor.manifest, Keys.insecure.manifest])

  static let remoteSection = ManifestSection(
    "remote", "Where a service is that a worker on another machine serves.", form: form,
    keys: [Keys.address.manifest, Keys.serverName.manifest] + Keys.files.map(\.manifest)
      + [Keys.insecure.manifest])

  /// Reads an endpoint; what is wrong is noted.
  ///
  /// `isDialled`: it is called, rather than listened at; the other side's certificate must then be
  /// for a name.
  init?(_ value: ManifestValue, isDialled: Bool, findings: Findings) {
    let before = findings.errors.count
    guard
      let fields = FieldDecoder(
        value, isDialled ? Self.remoteSection : Self.listenSection, findings: findings)
    else { return nil }
    location = value.location
    let address = fields.read(Keys.address)
    let isInsecure = fields.read(Keys.insecure) ?? false
    let files = Keys.files.map { key in
      fields.read(key).map { Self.path($0, besides: value.location.file) }
    }
    actsFor = isDialled ? .only([]) : fields.read(Keys.actsFor) ?? .only([])
    let serverName = isDialled ? fields.read(Keys.serverName) : nil
    guard findings.errors.count == before, let address else { return nil }
    self.address = address
    if address.hasPrefix("tcp:") {
      credentials = nil
      guard actsFor == .only([]) else {
        findings.add(
          ManifestError(
            .outOfRange,
            "'\(address)' is not protected: nobody can be told from anybody else there",
            at: location, expected: "tls+tcp:// with certificates, or no 'acts_for'"))
        return nil
      }
      guard isInsecure, files.allSatisfy({ $0 == nil }) else {
        findings.add(
          ManifestError(
            .outOfRange, "'\(address)' is not protected: anybody on the way can read and change it",
            at: location, expected: "tls+tcp:// with certificates, or 'insecure: true' beside it"))
        return nil
      }
      return
    }
    guard !isInsecure else {
      findings.add(
        ManifestError(
          .outOfRange, "'\(address)' is said to be insecure", at: location,
          expected: "tcp:// if it is, else no 'insecure'"))
      return nil
    }
    guard let authorities = files[0], let certificate = files[1], let privateKey = files[2] else {
      findings.add(
        ManifestError(
          .missingKey, "both sides show a certificate, and not all files for it are named",
          at: location, expected: "authorities, certificate and private_key"))
      return nil
    }
    guard !isDialled || serverName != nil || !Self.isNumeric(address) else {
      findings.add(
        ManifestError(
          .missingKey, "the host of '\(address)' is a number, and certificates are for names",
          at: location, expected: "server_name: a name in the other side's certificate"))
      return nil
    }
    credentials = Credentials(
      authorities: authorities, certificate: certificate, privateKey: privateKey,
      serverName: serverName)
  }

  /// `users`, or the ids of the people for whom callers may speak; empty for nobody.
  package var actsForText: String {
    switch actsFor {
    case .users: "users"
    case .only(let ids): ids.joined(separator: ", ")
    }
  }

  @Sendable private static func people(_ scalars: Scalars, _ value: ManifestValue) -> People? {
    let form = "users, or a list of people's ids: [ada, bob]"
    if case .scalar("users", isPlain: _) = value.content { return .users }
    return scalars.list(value, form) { entry in
      scalars.name(entry, form, where: Names.isUserID)
    }.map(People.only)
  }

  /// The port of the address.
  public var port: UInt16 {
    address.split(separator: ":").last.flatMap { UInt16($0) } ?? 0
  }

  @Sendable private static func isAddress(_ text: String) -> Bool {
    guard let scheme = ["tls+tcp://", "tcp://"].first(where: text.hasPrefix) else { return false }
    let rest = text.dropFirst(scheme.count)
    guard let colon = rest.lastIndex(of: ":"), colon > rest.startIndex,
      let port = UInt16(rest[colon...].dropFirst()), port > 0
    else { return false }
    return rest.utf8.allSatisfy { (0x21...0x7E).contains($0) } && !rest.contains("/")
  }

  @Sendable private static func isName(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= 253
      && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "/") }
  }

  /// Whether the host is an IP address: four numbers, or one with colons in it.
  private static func isNumeric(_ address: String) -> Bool {
    guard let slash = address.lastIndex(of: "/"), let colon = address.lastIndex(of: ":")
    else { return false }
    let host = address[slash..<colon].dropFirst()
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return host.contains(":") || parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
  }

  private static func path(_ path: String, besides file: String) -> String {
    guard !path.hasPrefix("/"), let slash = file.lastIndex(of: "/") else { return path }
    return "\(file[..<slash])/\(path)"
  }
}

/// A service that a worker on another machine serves.
public struct RemoteService: Sendable, Equatable {
  /// The full name of the service.
  public let service: String
  /// Where it is.
  public let endpoint: NetworkEndpoint
  /// Where its name stands.
  public let location: SourceLocation
}
