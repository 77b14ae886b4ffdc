import Crypto
public import IdentityContract
public import KithRPC
public import KithWire

/// The key that the host and one incarnation of a worker share for tickets: the host issues them,
/// the callee checks them.
///
/// It is derived from the incarnation's secret, so that it needs no file of its own and a ticket is
/// worth nothing to any other process.
public struct TicketKey: Sendable {
  private static let prefix = Array("kith-ticket".utf8) + [0]

  private let key: SymmetricKey

  /// The key of the incarnation with this secret.
  public init(secret: [UInt8]) {
    key = SymmetricKey(
      data: Array(
        HMAC<SHA256>.authenticationCode(
          for: Array("kith-ticket-key".utf8), using: SymmetricKey(data: secret))))
  }

  /// An encoded ticket that makes this statement.
  public func issue(_ statement: TicketStatement) throws(WireError) -> [UInt8] {
    let statement = try statement.encoded()
    let code = Array(
      HMAC<SHA256>.authenticationCode(for: Self.prefix + statement, using: key))
    return try Ticket(statement: statement, code: code).encoded()
  }

  /// The statement of an encoded ticket. Whether it has expired, and whom it is for, is the
  /// caller's to check.
  /// - Throws: UNAUTHENTICATED for anything that was not issued with this key.
  public func open(_ ticket: [UInt8]) throws(RPCError) -> TicketStatement {
    do throws(WireError) {
      let ticket = try Ticket(decoding: ticket)
      // Takes the same time wherever the first difference is.
      if HMAC<SHA256>.isValidAuthenticationCode(
        ticket.code, authenticating: Self.prefix + ticket.statement, using: key)
      {
        return try TicketStatement(decoding: ticket.statement)
      }
    } catch {}
    throw .unproven(
      "the ticket is not one that the host has issued for this process: ask the host's Resolve for one"
    )
  }
}
