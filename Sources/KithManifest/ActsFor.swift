/// For whom a worker may speak to other workers of its product by itself.
public enum ActsFor: String, Sendable, Hashable, CaseIterable {
  /// For the person whose call it handles, while it does. The default.
  case caller
  /// For every person: a gateway that lets people in, a worker that works for people while nobody
  /// calls.
  case users
}
