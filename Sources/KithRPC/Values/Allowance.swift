/// What the plan of a call's caller allows of the feature that the call uses: see
/// ``EntitlementUse``.
///
/// A handler reads it where it counts itself: of a quota that is about how many there are at once,
/// the rows in its own transaction.
public struct Allowance: Sendable, Hashable {
  /// That of the call which this task answers; nil where its method consumes nothing, or nobody
  /// enforces it.
  @TaskLocal public static var current: Allowance?

  /// How many there may be at once; nil for any number.
  public let most: Int?

  /// An allowance.
  public init(most: Int?) { self.most = most }
}
