/// How long a case waits for what.
public struct CasePolicy: Sendable, Hashable {
  /// How long the wearer has to answer before contacts are told.
  public var confirmWithin: Duration
  /// After somebody has closed a case: for how long further candidates open none.
  public var coolDown: Duration
  /// How long after the alert a further fall is taken as the same one, unless somebody has
  /// acknowledged it.
  public var joinWithin: Duration
  /// How long after the alert a case that nobody closes expires.
  public var expireAfter: Duration

  /// A policy; the standard is 60 s to answer, 120 s of rest, 10 min for one fall, a day.
  public init(
    confirmWithin: Duration = .seconds(60), coolDown: Duration = .seconds(120),
    joinWithin: Duration = .seconds(600), expireAfter: Duration = .seconds(86_400)
  ) {
    self.confirmWithin = confirmWithin
    self.coolDown = coolDown
    self.joinWithin = joinWithin
    self.expireAfter = expireAfter
  }
}
