/// Who may call a method: what the option `kith.callers` of its contract says. Each includes those
/// behind it.
public enum Callers: Sendable, Hashable, CaseIterable {
  /// Everybody who may connect, strangers included.
  case anyone
  /// A caller that has proved who it is: a worker whose manifest requires the service, a
  /// certificate that the manifest admits, an operator, the host.
  case identified
  /// An operator, and the host.
  case operators
  /// The host alone.
  case host

  /// Whether a caller is among them.
  public func includes(_ principal: Principal) -> Bool {
    switch self {
    case .anyone: true
    case .identified: principal.kind != .stranger
    case .operators: principal.kind == .operator || principal.kind == .host
    case .host: principal.kind == .host
    }
  }
}
