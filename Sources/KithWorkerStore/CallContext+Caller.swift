import Glibc
public import KithAccess
public import KithRPC

extension CallContext {
  /// The key of the metadata in which a caller of this product names the person for whom it calls.
  public static let userKey = "kith-user"

  /// In whose name the call is made, for ``Access``.
  ///
  /// A process of this user is of the product: another worker, the gateway that has let a person in, the operator's command
  /// line. It may name the person for whom it calls, and acts for the product when it names nobody. One on another machine
  /// that has shown a certificate of this product's authorities may act for a person whom it names, and never for the
  /// product. All others are strangers, whatever they say.
  public var caller: Caller {
    let isOwn = peer.uid == geteuid()
    guard isOwn || peer.hasCertificate else { return .stranger }
    guard let named = metadata[Self.userKey] else { return isOwn ? .product : .stranger }
    return UserID(named).map(Caller.user) ?? .stranger
  }
}
