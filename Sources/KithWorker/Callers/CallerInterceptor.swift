import KithAccess
import KithRPC

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
