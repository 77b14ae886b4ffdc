public import KithRPC

extension RPCError {
  /// UNAUTHENTICATED: what a caller has shown does not prove who it is.
  static func unproven(_ what: String) -> RPCError {
    RPCError(.unauthenticated, what)
  }

  /// PERMISSION_DENIED: the caller is known, and may not do this.
  static func forbidden(_ what: String) -> RPCError {
    RPCError(.permissionDenied, what)
  }
}

extension MethodDescriptor {
  /// Refuses a caller that the method is not for.
  /// - Throws: UNAUTHENTICATED for a stranger, PERMISSION_DENIED for anybody else.
  public func check(_ principal: Principal) throws(RPCError) {
    guard !callers.includes(principal) else { return }
    let wanted =
      switch callers {
      case .anyone, .identified: "a worker whose manifest requires \(service), or an operator"
      case .operators: "an operator"
      case .host: "the host that started the process"
      }
    guard principal.kind == .stranger else {
      throw .forbidden("\(fullName) is for \(wanted), and not for \(principal)")
    }
    throw .unproven(
      "\(fullName) is for \(wanted), and the caller has not shown who it is: `kith` does so by itself; "
        + "see PROTOCOL.md, \"Who calls\"")
  }
}
