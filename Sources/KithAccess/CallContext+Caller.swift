public import KithRPC

extension CallContext {
  /// In whose name the call is made, for `Access`.
  ///
  /// It follows from the verified ``KithRPC/CallContext/principal`` and the person whom the call
  /// names in `kith-user`: a caller that may speak for that person does; one that names nobody acts
  /// for the product, where it may, or in its own name. A caller that names a person for whom it
  /// may not speak, several people, or what is no id, is a stranger.
  public var caller: Caller {
    let named = metadata.values(forKey: Self.userKey)
    if named.isEmpty { return callerInItsOwnName }
    guard named.count == 1, case .text(let text) = named[0], let user = UserID(text),
      principal.people.contains(user.text)
    else { return .stranger }
    return .user(user)
  }

  private var callerInItsOwnName: Caller {
    switch principal.kind {
    case .operator, .host: .product
    case .worker: principal.people == .everybody ? .product : .worker(principal.worker ?? "")
    case .certificate, .stranger: .stranger
    }
  }
}
