public import KithAccess
public import KithRPC
public import KithTime

/// What a product sets of its usage lock.
public struct LockSettings: Sendable, Hashable {
  /// Whose profile a call of the product itself is about that names nobody.
  public let person: UserID
  /// The IANA name of the zone of profiles that name none.
  public let zone: String
  /// How long a looser profile waits.
  public let loosensAfter: Duration
  /// The longest time between two looks at the foreground that counts as use.
  public let longestStep: Duration
  /// Away for no longer than this is not away.
  public let debounce: Duration
  /// How long the activity log goes back.
  public let keepsActivity: Duration
  /// Whether something keeps the machine's wall clock right that its users cannot stop.
  public let isWallKept: Bool

  /// Whether the programs of this machine are watched.
  public let watchesPrograms: Bool
  /// How often they are looked at.
  public let looksEvery: Duration

  /// Settings.
  /// - Throws: INVALID_ARGUMENT that names the key.
  public init(
    person: String = "me", zone: String = "America/New_York",
    loosensAfter: Duration = .seconds(86_400), longestStep: Duration = .seconds(9),
    debounce: Duration = .seconds(2), keepsActivity: Duration = .seconds(90 * 86_400),
    isWallKept: Bool = false, watchesPrograms: Bool = false, looksEvery: Duration = .seconds(1)
  ) throws(RPCError) {
    guard let person = UserID(person) else { throw .noUserID(field: "configuration.person") }
    self.person = person
    self.zone = zone
    self.loosensAfter = loosensAfter
    self.longestStep = longestStep
    self.debounce = debounce
    self.keepsActivity = keepsActivity
    self.isWallKept = isWallKept
    self.watchesPrograms = watchesPrograms
    self.looksEvery = looksEvery
  }

  /// These settings, if their zone is one of this machine's.
  /// - Throws: INVALID_ARGUMENT that names the key.
  public func checked(in zones: Zones) throws(RPCError) -> LockSettings {
    do throws(ZoneError) {
      _ = try zones.zone(named: zone)
      return self
    } catch {
      throw .invalidArgument(field: "configuration.zone", error.description)
    }
  }
}
