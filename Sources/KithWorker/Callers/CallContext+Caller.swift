import Glibc
public import KithAccess
public import KithRPC

extension CallContext {
  /// The key of the metadata in which a caller of this product names the person for whom it calls. A handler's calls through
  /// ``WorkerContext/client(ofService:)`` name the person for whom the handler works by themselves.
  public static let userKey = "kith-user"

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

/// Has a call that a handler makes be in the name of whoever called the handler, so that no worker can be talked into doing
/// with the product's rights what its caller may not. A call with options that inherit nothing is in the worker's own name.
struct CallerInterceptor: ClientInterceptor {
  func begin(
    _ method: MethodDescriptor, _ options: inout CallOptions
  ) async throws(RPCError) -> ClientCallEnd? {
    guard options.inheritsContext, let call = CallContext.current,
      options.metadata.values(forKey: CallContext.userKey).isEmpty
    else { return nil }
    switch call.caller {
    case .product: break
    case .user(let user): options.metadata.append(user.text, forKey: CallContext.userKey)
    // No person has the empty name, so that the stranger stays one.
    case .stranger: options.metadata.append("", forKey: CallContext.userKey)
    }
    return nil
  }
}
