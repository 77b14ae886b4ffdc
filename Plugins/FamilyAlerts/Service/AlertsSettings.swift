import FamilyAlertsDomain
public import KithAccess
public import KithRPC
public import KithTime

/// What a product sets of its family alerts.
public struct AlertsSettings: Sendable, Hashable {
  /// Whose contacts a call of the product itself is about that names nobody.
  public let person: UserID
  /// The IANA name of the zone of the people whom the alerts are about.
  public let zone: String
  /// Who is told when, and what the plan pays for.
  let policy: EscalationPolicy
  /// What stands before the token in the link of a message; empty for a code instead of a link.
  public let linkBase: String
  /// When the digest of the week is sent on Mondays, on the wall of ``zone``.
  public let digestAt: CivilTime
  /// How long an incident is kept after it was opened, once nothing more is to be done of it.
  public let keepsIncidents: Duration

  /// Settings, by the keys of `plugin.yaml`.
  /// - Parameter reescalateAfter: zero for never.
  /// - Throws: INVALID_ARGUMENT that names the key.
  public init(
    person: String = "me", zone: String = "America/New_York",
    secondAfter: Duration = .seconds(120), thirdAfter: Duration = .seconds(300),
    repeats: Int = 2, answerTime: Duration = .seconds(300),
    reescalateAfter: Duration = .seconds(900), mostContacts: Int = 3, textMessages: Bool = false,
    sharePlace: Bool = false, linkBase: String = "", digestAt: String = "09:00",
    keepsIncidents: Duration = .seconds(366 * 86_400)
  ) throws(RPCError) {
    guard let person = UserID(person) else { throw .noUserID(field: "configuration.person") }
    guard let digestAt = CivilTime(clock: digestAt) else {
      throw .invalidArgument(
        field: "configuration.digest_at", "expected a time of day such as 09:00")
    }
    guard linkBase.isEmpty || linkBase.hasPrefix("https://"), linkBase.utf8.count <= 200,
      linkBase.utf8.allSatisfy({ $0 > 32 && $0 < 127 })
    else {
      throw .invalidArgument(
        field: "configuration.link_base",
        "expected the begin of an https address of at most 200 bytes, such as https://example.com/a/"
      )
    }
    self.person = person
    self.zone = zone
    policy = EscalationPolicy(
      stages: EscalationPolicy.standardStages(second: secondAfter, third: thirdAfter),
      repeats: repeats, answerTime: answerTime,
      reescalatesAfter: reescalateAfter > .zero ? reescalateAfter : nil,
      mostContacts: mostContacts, allowsSMS: textMessages, allowsPlace: sharePlace)
    self.linkBase = linkBase
    self.digestAt = digestAt
    self.keepsIncidents = keepsIncidents
  }

  /// These settings, if their zone is one of this machine's.
  /// - Throws: INVALID_ARGUMENT that names the key.
  public func checked(in zones: Zones) throws(RPCError) -> AlertsSettings {
    do throws(ZoneError) {
      _ = try zones.zone(named: zone)
      return self
    } catch {
      throw .invalidArgument(field: "configuration.zone", error.description)
    }
  }
}

extension CivilTime {
  /// A time like `22:00`; nil for anything else.
  init?(clock text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 }), let hour = Int(parts[0]),
      let minute = Int(parts[1])
    else { return nil }
    self.init(hour: hour, minute: minute)
  }
}
