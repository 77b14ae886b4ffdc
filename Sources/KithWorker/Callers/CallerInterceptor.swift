import KithAccess
import KithIdentity
import KithRPC

/// Has a call that a handler makes be in the name of whoever called the handler, so that no worker
/// can be talked into doing with rights of its own what its caller may not. The person's pass goes
/// with it: the callee lets no worker speak for a person without. A call with options that inherit
/// nothing is in the worker's own name.
struct CallerInterceptor: ClientInterceptor {
  /// Whether this worker may speak for everybody: then a call in its own name is one for the
  /// product.
  let actsForUsers: Bool

  func begin(
    _ method: MethodDescriptor, _ options: inout CallOptions
  ) async throws(RPCError) -> ClientCallEnd? {
    guard options.inheritsContext, let call = CallContext.current else { return nil }
    let named = options.metadata[CallContext.userKey]
    switch call.caller {
    case .product: break
    // What this worker may do for the product, another that calls it may not have done.
    case .worker:
      if actsForUsers, named == nil { options.metadata.append("", forKey: CallContext.userKey) }
    case .user(let user):
      if named == nil { options.metadata.append(user.text, forKey: CallContext.userKey) }
      if named ?? user.text == user.text, let pass = call.metadata[binary: ProofKeys.pass] {
        options.metadata.append(binary: pass, forKey: ProofKeys.pass)
      }
    // No person has the empty name, so that the stranger stays one.
    case .stranger: if named == nil { options.metadata.append("", forKey: CallContext.userKey) }
    }
    return nil
  }
}
