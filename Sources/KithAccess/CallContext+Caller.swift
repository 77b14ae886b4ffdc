import Glibc
public import KithRPC

extension CallContext {
  /// In whose name the call is made, for `Access`.
  ///
  /// A process of this user is of the product: another worker, the gateway that has let a person in, the operator's command
  /// line. It may name the person for whom it calls, and acts for the product when it names nobody. One on another machine
  /// that has shown a certificate of this product's authorities may act for a person whom it names, and never for the
  /// product. All others are strangers, whatever they say, and so is whoever names nobody rightly, or several.
  public var caller: Caller {
    let isOwn = peer.uid == geteuid()
    guard isOwn || peer.hasCertificate else { return .stranger }
    let named = metadata.values(forKey: Self.userKey)
    if named.isEmpty { return isOwn ? .product : .stranger }
    guard named.count == 1, case .text(let text) = named[0], let user = UserID(text) else {
      return .stranger
    }
    return .user(user)
  }
}
