public import FallDetectorDomain
public import KithAccess
public import KithRPC

/// What a product sets of its fall detector.
public struct FallsSettings: Sendable, Hashable {
  /// How an app is to sample.
  public enum Sampling: String, Sendable, Hashable, CaseIterable {
    /// All the time; in bursts; not at all, because the device decides itself.
    case continuous, bursts, events
  }

  /// Who wears the device where a call of the product itself names nobody.
  public let person: UserID
  /// How long a case waits for what.
  public let policy: CasePolicy
  /// Whether the place of a wearer is kept and told to the alerts worker.
  public let keepsLocation: Bool
  /// How long the id of an event is remembered.
  public let keepsReports: Duration
  /// How long a case is kept after its end.
  public let keepsCases: Duration
  /// For how many wearers samples are followed at once.
  public let mostWearers: Int
  /// How apps are to sample.
  public let sampling: Sampling
  /// Samples a second.
  public let rateHz: Double
  /// Below which charge an app that samples all the time goes over to bursts.
  public let burstsBelow: Double

  /// Settings.
  /// - Throws: INVALID_ARGUMENT that names the key.
  public init(
    person: String = "me", confirmWithin: Duration = .seconds(60),
    coolDown: Duration = .seconds(120), joinWithin: Duration = .seconds(600),
    expireAfter: Duration = .seconds(86_400), keepsLocation: Bool = false,
    keepsReports: Duration = .seconds(7 * 86_400),
    keepsCases: Duration = .seconds(366 * 86_400), mostWearers: Int = 20_000,
    sampling: String = "continuous", rateHz: Double = 50, burstsBelow: Double = 0.15
  ) throws(RPCError) {
    guard let person = UserID(person) else { throw .noUserID(field: "configuration.person") }
    guard let sampling = Sampling(rawValue: sampling) else {
      throw .invalidArgument(
        field: "configuration.sampling", "expected continuous, bursts or events")
    }
    self.person = person
    policy = CasePolicy(
      confirmWithin: confirmWithin, coolDown: coolDown, joinWithin: joinWithin,
      expireAfter: expireAfter)
    self.keepsLocation = keepsLocation
    self.keepsReports = keepsReports
    self.keepsCases = keepsCases
    self.mostWearers = mostWearers
    self.sampling = sampling
    self.rateHz = rateHz
    self.burstsBelow = burstsBelow
  }
}
