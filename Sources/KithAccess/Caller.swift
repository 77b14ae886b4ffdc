/// In whose name a call is made.
public enum Caller: Sendable, Hashable {
  /// A person.
  case user(UserID)
  /// The product: its operator, its host, or a worker whose manifest grants `acts_for: users`. It
  /// acts for nobody in particular, and may see and change what is everybody's.
  case product
  /// A worker of the product in its own name, by its verified name: no person's records are its
  /// own.
  case worker(String)
  /// A caller that has proved nothing, or named a person for whom it may not speak.
  case stranger
}
