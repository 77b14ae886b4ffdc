/// In whose name a call is made.
public enum Caller: Sendable, Hashable {
  /// A person.
  case user(UserID)
  /// The product itself: another worker, or its operator at the machine. It acts for nobody in particular.
  case product
  /// Somebody who has shown nothing.
  case stranger
}
