/// What follows a reminder that nobody answers, counted from when it was sent.
///
/// The defaults are Milo's and Medisafe's: again after 10 and 20 minutes, missed after 30, a
/// contact after 60.
public struct Ladder: Sendable, Hashable {
  /// When it is sent again; ascending, before `missedAfter`.
  public var repeats: [Duration]
  /// When it counts as missed.
  public var missedAfter: Duration
  /// When a contact is to be told; nil for never. Not before `missedAfter`.
  public var contactAfter: Duration?
  /// How late a reminder is still sent after the platform was down; later it is missed.
  public var grace: Duration

  /// A ladder; repeats that are not between zero and `missedAfter` are left out, a contact is never
  /// told before it is missed.
  public init(
    repeats: [Duration] = [.seconds(600), .seconds(1200)], missedAfter: Duration = .seconds(1800),
    contactAfter: Duration? = .seconds(3600), grace: Duration = .seconds(1800)
  ) {
    self.missedAfter = max(missedAfter, .zero)
    self.repeats = repeats.filter { $0 > .zero && $0 < missedAfter }.sorted()
    self.contactAfter = contactAfter.map { max($0, missedAfter) }
    self.grace = max(grace, .zero)
  }
}
