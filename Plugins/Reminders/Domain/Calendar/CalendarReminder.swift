/// A reminder as a calendar file has it: a VEVENT or a VTODO of RFC 5545.
public struct CalendarReminder: Sendable, Hashable {
  /// `UID`.
  public var uid: String
  /// `SUMMARY`: what to do.
  public var text: String
  /// `DESCRIPTION`; empty where there is none.
  public var notes: String
  /// `DTSTART` (or `DUE` of a task without one), `RRULE`, `RDATE` and `EXDATE`.
  public var schedule: Schedule
  /// The zone of the walls: an IANA name; nil for a time that is the same on every wall.
  public var zone: String?
  /// Whether the day is meant and no time of it; the schedule has it in the morning.
  public var isAllDay: Bool
  /// Whether it is a VTODO.
  public var isTask: Bool
  /// `STATUS:COMPLETED` of a VTODO.
  public var isDone: Bool
  /// Whether it is a medicine, which quiet hours do not hold back (`X-KITH-KIND:MEDICINE`).
  public var isMedicine: Bool
  /// `VALARM`s relative to the start, in order of the file; negative is before.
  public var alarms: [Duration]

  /// A reminder; what is not said is not so.
  public init(
    uid: String, text: String, notes: String = "", schedule: Schedule, zone: String? = nil,
    isAllDay: Bool = false, isTask: Bool = false, isDone: Bool = false, isMedicine: Bool = false,
    alarms: [Duration] = [.zero]
  ) {
    self.uid = uid
    self.text = text
    self.notes = notes
    self.schedule = schedule
    self.zone = zone
    self.isAllDay = isAllDay
    self.isTask = isTask
    self.isDone = isDone
    self.isMedicine = isMedicine
    self.alarms = alarms
  }
}
