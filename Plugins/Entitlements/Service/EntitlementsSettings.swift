public import EntitlementsDomain
public import KithAccess
import KithAppleReceipts
public import KithRPC
public import KithTime

/// What a product sells, and how its stores prove what they say.
public struct EntitlementsSettings: Sendable {
  /// The plans, their features and limits, and what is sold for each.
  public var catalogue: PlanCatalogue
  /// Whose entitlements a call of the product itself is about that names nobody.
  public var person: UserID
  /// The IANA name of the zone of people who have pinned none.
  public var zone: String
  /// Whether test purchases count; never in production.
  public var countsTests: Bool
  /// Apple, in each environment that is accepted; none where nothing is sold there.
  var apple: [AppleVerifier] = []
  /// Google Play; nil where nothing is sold there.
  var google: GoogleSignature?
  /// The secrets of Stripe's webhooks; none where nothing is sold there.
  var stripeSecrets: [String] = []
  /// How long a subscription of Stripe's is given that is past due.
  var stripeGrace = Duration.seconds(3 * 86_400)
  /// What RevenueCat's webhooks show; empty where nothing is sold there.
  var revenueCatAuthorization = ""

  /// Settings of a product that knows no store yet.
  /// - Throws: INVALID_ARGUMENT that names the key.
  public init(
    catalogue: PlanCatalogue, person: String = "me", zone: String = "America/New_York",
    countsTests: Bool = false
  ) throws(RPCError) {
    guard let person = UserID(person) else { throw .noUserID(field: "configuration.person") }
    (self.catalogue, self.person, self.zone) = (catalogue, person, zone)
    self.countsTests = countsTests
  }

  /// The plans as a manifest has them: see ``PlanCatalogue``.
  /// - Throws: INVALID_ARGUMENT that names the key.
  public init(
    plans: [String], features: [String], limits: [String], products: [String],
    safety: [String], person: String, zone: String, countsTests: Bool
  ) throws(RPCError) {
    let catalogue: PlanCatalogue
    do throws(PlanCatalogue.Problem) {
      catalogue = try PlanCatalogue(
        plans: plans, features: features, limits: limits, products: products, safety: safety)
    } catch {
      throw .invalidArgument(
        field: "configuration.\(error.key.isEmpty ? "plans" : error.key)", error.description)
    }
    try self.init(
      catalogue: catalogue, person: person, zone: zone, countsTests: countsTests)
  }

  /// Accepts what Apple signs for an app.
  /// - Parameters:
  ///   - bundleID: the app; empty for none.
  ///   - roots: files of the trusted root certificates.
  ///   - environments: `Production`, `Sandbox`; `Xcode` and `LocalTesting`, which anybody can sign,
  ///     only where test purchases count.
  /// - Throws: INVALID_ARGUMENT that names the key.
  public mutating func sellAtApple(
    bundleID: String, appAppleID: Int, roots: [String], environments: [String]
  ) throws(RPCError) {
    guard !bundleID.isEmpty else { return }
    var certificates: [[UInt8]] = []
    for file in roots {
      certificates += try CredentialFiles.certificates(file, key: "apple_root_files")
    }
    try sellAtApple(
      bundleID: bundleID, appAppleID: appAppleID, certificates: certificates,
      environments: environments)
  }

  /// Accepts what Apple signs for an app.
  /// - Parameter certificates: the trusted root certificates, in DER.
  mutating func sellAtApple(
    bundleID: String, appAppleID: Int, certificates: [[UInt8]], environments: [String]
  ) throws(RPCError) {
    for name in environments {
      guard let environment = AppleVerifier.Environment(rawValue: name) else {
        throw .invalidArgument(
          field: "configuration.apple_environments",
          "expected Production, Sandbox, Xcode or LocalTesting")
      }
      guard countsTests || environment == .production || environment == .sandbox else {
        throw .invalidArgument(
          field: "configuration.apple_environments",
          "anybody can sign what \(name) does: it needs count_tests")
      }
      do throws(AppleProblem) {
        apple.append(
          try AppleVerifier(
            roots: certificates, bundleID: bundleID,
            appAppleID: appAppleID == 0 ? nil : Int64(appAppleID), environment: environment))
      } catch {
        throw .invalidArgument(field: "configuration.apple_root_files", error.description)
      }
    }
  }

  /// Accepts what Google signs for an app.
  /// - Parameters:
  ///   - package: the app; empty for none.
  ///   - key: its licence key, in base64.
  public mutating func sellAtGoogle(package: String, key: String) throws(RPCError) {
    guard !package.isEmpty else { return }
    google = try GoogleSignature(package: package, key: key)
  }

  /// Accepts Stripe's webhooks.
  /// - Parameter files: a secret each; several while one is replaced.
  public mutating func sellAtStripe(secretFiles files: [String], grace: Duration) throws(RPCError) {
    stripeSecrets = []
    for file in files {
      stripeSecrets.append(try CredentialFiles.line(file, key: "stripe_secret_files"))
    }
    stripeGrace = grace
  }

  /// Accepts RevenueCat's webhooks.
  /// - Parameter file: what they show as their authorization; empty for none.
  public mutating func sellAtRevenueCat(authorizationFile file: String) throws(RPCError) {
    guard !file.isEmpty else { return }
    revenueCatAuthorization = try CredentialFiles.line(file, key: "revenue_cat_authorization_file")
  }

  /// These settings, if their zone is one of this machine's.
  /// - Throws: INVALID_ARGUMENT that names the key.
  public func checked(in zones: Zones) throws(RPCError) -> EntitlementsSettings {
    do throws(ZoneError) {
      _ = try zones.zone(named: zone)
      return self
    } catch {
      throw .invalidArgument(field: "configuration.zone", error.description)
    }
  }
}
