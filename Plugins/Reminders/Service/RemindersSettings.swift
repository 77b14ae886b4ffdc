public import KithAccess
public import KithRPC
public import KithTime
public import RemindersDomain

/// What a product sets of its reminders.
public struct RemindersSettings: Sendable, Hashable {
  /// Whose reminders a call of the product itself is about that names nobody.
  public let person: UserID
  /// The IANA name of the zone of those who never said theirs.
  public let zone: String
  /// The quiet hours of those who never said theirs; nil for none.
  public let quietHours: RemindersDomain.QuietHours?
  /// The steps that follow a reminder unless it says its own.
  public let ladder: RemindersDomain.Ladder
  /// How many active reminders a person may have; nil for any number.
  public let mostActive: Int?

  /// Settings.
  /// - Parameters:
  ///   - quietFrom: the first minute of the quiet hours, `22:00`; no quiet hours where it is the
  ///     same as `quietTo`.
  ///   - repeatEvery: after how long a reminder is sent again, over and over until it is missed;
  ///     zero for never.
  ///   - contactAfter: after how long a contact is to be told; zero for never.
  ///   - activeLimit: how many active reminders a person may have; 0 for any number.
  /// - Throws: INVALID_ARGUMENT that names the key.
  public init(
    person: String = "me", zone: String = "America/New_York", quietFrom: String = "22:00",
    quietTo: String = "07:00", repeatEvery: Duration = .seconds(600),
    missedAfter: Duration = .seconds(1800), contactAfter: Duration = .seconds(3600),
    lateGrace: Duration = .seconds(1800), activeLimit: Int = 0
  ) throws(RPCError) {
    guard let person = UserID(person) else { throw .noUserID(field: "configuration.person") }
    guard missedAfter >= .seconds(1), contactAfter == .zero || contactAfter >= missedAfter else {
      throw .invalidArgument(
        field: "configuration.contact_after",
        "expected 0s, or no less than missed_after, which is at least 1s")
    }
    self.person = person
    self.zone = zone
    quietHours = try RemindersDomain.QuietHours(
      from: quietFrom, to: quietTo,
      fields: ("configuration.quiet_from", "configuration.quiet_to"))
    let repeats =
      repeatEvery > .zero
      ? (1...20).map { repeatEvery * $0 }.filter { $0 < missedAfter } : []
    ladder = RemindersDomain.Ladder(
      repeats: repeats, missedAfter: missedAfter,
      contactAfter: contactAfter > .zero ? contactAfter : nil, grace: lateGrace)
    mostActive = activeLimit > 0 ? activeLimit : nil
  }

  /// These settings, if their zone is one of this machine's.
  /// - Throws: INVALID_ARGUMENT that names the key.
  public func checked(in zones: Zones) throws(RPCError) -> RemindersSettings {
    do throws(ZoneError) {
      _ = try zones.zone(named: zone)
      return self
    } catch {
      throw .invalidArgument(field: "configuration.zone", error.description)
    }
  }
}

extension RemindersDomain.QuietHours {
  /// Hours from texts like `22:00`; nil where both are the same.
  /// - Throws: INVALID_ARGUMENT that names the field.
  init?(from: String, to: String, fields: (from: String, to: String)) throws(RPCError) {
    let first = try Self.time(from, fields.from)
    let end = try Self.time(to, fields.to)
    if first == end { return nil }
    self.init(from: first, to: end)
  }

  private static func time(_ text: String, _ field: String) throws(RPCError) -> CivilTime {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 }), let hour = Int(parts[0]),
      let minute = Int(parts[1]), let time = CivilTime(hour: hour, minute: minute)
    else { throw .invalidArgument(field: field, "expected a time of day such as 22:00") }
    return time
  }
}
