/// What a worker may reach beside the sockets of its product.
public enum NetworkGrant: String, Sendable, Hashable, CaseIterable {
  /// Nothing. The default.
  case none
  /// Other machines, as a client.
  case outbound
}
