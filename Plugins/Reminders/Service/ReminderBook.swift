import KithAccess
import KithRPC
import KithStore
import KithTime
import RemindersContract
import RemindersDomain

/// What the worker knows besides its store: zones and settings; with it rows become lives, and
/// lives rows.
struct ReminderBook: Sendable {
  /// Where somebody is, and when nobody disturbs them.
  struct Owner {
    var zone: Zone
    var quietHours: RemindersDomain.QuietHours?
    var region: RemindersDomain.Region
  }

  let zones: Zones
  let settings: RemindersSettings
  /// What instants follow from besides the rows: the edition of tzdata, and what the configuration
  /// says of those who never said it. FNV-1a, which is the same in every process.
  let basis: Int64
  /// How many active reminders a person may have; nil for any number.
  let mostActive: Int?

  /// - Parameter allowance: what the plan of the call's caller allows; nil where the product sells
  ///   none.
  init(zones: Zones, settings: RemindersSettings, allowance: Allowance? = nil) {
    (self.zones, self.settings) = (zones, settings)
    mostActive = allowance.map(\.most) ?? settings.mostActive
    basis = Self.basis(zones, settings)
  }

  /// The worker's own right to all records.
  static let ownGrant = Access(of: .product).grantAll(.own)

  private static func basis(_ zones: Zones, _ settings: RemindersSettings) -> Int64 {
    let quiet = settings.quietHours.map { "\($0.from) \($0.to)" } ?? "-"
    let ladder = settings.ladder
    let text = """
      \(zones.edition) \(settings.zone) \(quiet) \(ladder.repeats) \(ladder.missedAfter) \
      \(ladder.contactAfter as Duration?)
      """
    let hash = text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01B3
    }
    return Int64(bitPattern: hash)
  }

  /// What somebody said of themselves, or the configuration says.
  func owner(_ user: UserID, in transaction: some Transaction) throws -> Owner {
    let person = try transaction.record(StoredPerson.self, id: user.text, under: Self.ownGrant)
    return Owner(
      zone: try zones.zone(named: person?.zone ?? settings.zone),
      quietHours: person?.quietHours.map { $0.isNever ? nil : $0 } ?? settings.quietHours,
      region: person?.region ?? .unitedStates)
  }

  /// The life of a row.
  func life(of row: StoredReminder, _ owner: Owner) throws -> ReminderLife {
    let ladder = try row.ladder.map { stored throws(RPCError) in
      try RemindersDomain.Ladder(stored.message, grace: settings.ladder.grace, field: "ladder")
    }
    var plan = ReminderPlan(
      reminder: row.id, schedule: try row.schedule.schedule,
      zone: owner.zone, isMedicine: row.isMedicine, ladder: ladder ?? settings.ladder,
      quietHours: owner.quietHours)
    plan.scheduleZone =
      row.schedule.zone == owner.zone.name
      ? owner.zone : try zones.zone(named: row.schedule.zone)
    return ReminderLife(plan: plan, progress: row.progress)
  }

  /// The row of a life that has gone on.
  func row(_ row: StoredReminder, with life: ReminderLife) -> StoredReminder {
    var row = row
    row.progress = life.progress
    row.schedule.zone = life.plan.scheduleZone.name
    row.basis = basis
    guard row.state != .paused else {
      (row.nextStep, row.nextDue) = (nil, nil)
      return row
    }
    row.nextDue = life.nextSending
    row.nextStep = life.nextDue(sending: row.nextDue)
    row.state = row.nextStep == nil ? .finished : .active
    return row
  }
}

extension RemindersDomain.QuietHours {
  /// Whether they have no length: somebody's word that they may be disturbed at any time.
  var isNever: Bool { from == to }
}
