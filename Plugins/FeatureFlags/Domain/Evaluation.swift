public import KithJSON

/// What a flag is for somebody.
public struct Evaluation: Sendable, Equatable {
  /// Why a value is what it is, as OpenFeature words it.
  public enum Reason: String, Sendable, Hashable {
    /// The same for everybody.
    case `static`
    /// No rule answered, or the last one, which is for all the others.
    case `default`
    /// A rule's conditions held.
    case targetingMatch
    /// A share or a split decided.
    case split
    /// The flag is off for everybody.
    case disabled
    /// There is no value: see the error.
    case error
  }

  /// What was wrong, as OpenFeature words it.
  public enum Failure: String, Sendable, Hashable {
    /// There is no such flag.
    case flagNotFound
    /// The flag is drawn by a property that the context lacks.
    case targetingKeyMissing
    /// The value is of another kind than was asked for.
    case typeMismatch
  }

  /// The variant of a flag without variants that is on.
  public static let on = "on"
  /// The variant of a flag without variants that is off.
  public static let off = "off"

  /// Whether a rule let the context in.
  public var isOn: Bool
  /// The name of the value; nil where the caller's default is the value.
  public var variant: String?
  /// The value; nil where the caller's default is it.
  public var value: JSONValue?
  /// Why.
  public var reason: Reason
  /// What was wrong.
  public var failure: Failure?
  /// The rule that answered, from 0.
  public var rule: Int?

  /// The answer where the value is of another kind than the caller expects.
  public func expecting(_ kind: ValueKind) -> Evaluation {
    guard let value, !kind.admits(value) else { return self }
    return Evaluation(
      isOn: isOn, variant: nil, value: nil, reason: .error, failure: .typeMismatch, rule: rule)
  }
}
