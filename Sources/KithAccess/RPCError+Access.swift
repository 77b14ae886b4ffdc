public import KithRPC

extension RPCError {
  /// PERMISSION_DENIED: nothing allows the caller what it asked for.
  public init(_ denial: Access.Denial) { self.init(.permissionDenied, denial.description) }

  /// INVALID_ARGUMENT: a field holds no user's id.
  public static func noUserID(field: String) -> RPCError {
    .invalidArgument(field: field, "expected \(UserID.form)")
  }
}
