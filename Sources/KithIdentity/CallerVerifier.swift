import IdentityContract
public import KithRPC
import Synchronization

/// Tells one incarnation of a worker who calls it, from the ticket and the pass that a call shows,
/// and refuses callers that a method is not for. Checks alone: the host is not asked.
///
/// May be called from any thread. What was checked once is remembered, so that a repeated proof
/// costs a look-up.
public final class CallerVerifier: Sendable {
  /// The services that every worker has, beside those that its manifest names.
  static let commonServices: Set<String> = [
    "kith.events.v1.Events", "kith.health.v1.Health", "kith.metrics.v1.Metrics",
    "kith.reflection.v1.Reflection",
  ]
  /// How many checked proofs of each kind are remembered; past it all are forgotten.
  private static let mostRemembered = 1_024

  private struct State {
    var tickets: [[UInt8]: TicketStatement] = [:]
    var passes: [[UInt8]: PassStatement] = [:]
  }

  private let identity: WorkerIdentity
  private let ticketKey: TicketKey
  private let passCheck: PassCheck
  private let now: @Sendable () -> Int64
  private let state = Mutex(State())

  /// A verifier of an incarnation.
  /// - Parameters:
  ///   - secret: the incarnation's secret.
  ///   - passKey: the public key of the host, 32 bytes.
  ///   - now: the moment of ``BootClock``, in milliseconds.
  public init(
    of identity: WorkerIdentity, secret: [UInt8], passKey: [UInt8],
    now: @escaping @Sendable () -> Int64 = { BootClock.milliseconds }
  ) {
    self.identity = identity
    self.now = now
    ticketKey = TicketKey(secret: secret)
    passCheck = PassCheck(publicBytes: passKey)
  }

  /// Who makes a call.
  /// - Throws: UNAUTHENTICATED for a proof that is not valid, or for a stranger where the method is
  ///   not for strangers; PERMISSION_DENIED for a caller that may not call the method, or not in
  ///   the name of that person.
  public func identify(
    _ method: MethodDescriptor, _ metadata: Metadata
  ) throws(RPCError) -> Principal {
    let principal = try principal(method, metadata)
    try method.check(principal)
    return principal
  }

  private func principal(
    _ method: MethodDescriptor, _ metadata: Metadata
  ) throws(RPCError) -> Principal {
    guard let ticket = metadata[binary: ProofKeys.ticket] else { return .stranger }
    let statement = try open(ticket)
    switch statement.caller {
    case .host: return .host
    case .operator: return .operator
    case .worker(let worker):
      let mayCall =
        worker.services.contains(method.service) || Self.commonServices.contains(method.service)
      guard mayCall || method.callers == .anyone else {
        throw .forbidden(
          "\(worker.name) may not call \(method.service): name the service in 'requires' of its "
            + "plugin.yaml")
      }
      return .worker(
        worker.name, generation: worker.generation,
        people: worker.actsForUsers ? .everybody : try people(for: worker, metadata))
    case nil:
      throw .unproven("the ticket does not say who calls: a host of this version issues others")
    }
  }

  /// The statement of a valid ticket.
  private func open(_ ticket: [UInt8]) throws(RPCError) -> TicketStatement {
    let statement: TicketStatement
    if let known = state.withLock({ $0.tickets[ticket] }) {
      statement = known
    } else {
      statement = try ticketKey.open(ticket)
      guard statement.product == identity.product, statement.callee == identity.worker,
        statement.calleeGeneration == identity.generation
      else {
        throw .unproven(
          "the ticket is for \(statement.callee).\(statement.calleeGeneration), and this is "
            + "\(identity.worker).\(identity.generation): ask the host's Resolve for one")
      }
      state.withLock { state in
        if state.tickets.count >= Self.mostRemembered { state.tickets = [:] }
        state.tickets[ticket] = statement
      }
    }
    guard now() < statement.expiresAtBootMs else {
      throw .unproven("the ticket has expired: ask the host's Resolve for another one")
    }
    return statement
  }

  /// For whom a worker without a grant of its own may speak: for the person whose call it handles.
  private func people(
    for worker: WorkerCaller, _ metadata: Metadata
  ) throws(RPCError) -> Principal.People {
    guard let user = metadata[CallContext.userKey], !user.isEmpty else { return .nobody }
    guard let pass = metadata[binary: ProofKeys.pass], let statement = open(pass: pass),
      statement.userId == user, statement.product == identity.product,
      now() < statement.expiresAtBootMs
    else {
      throw .forbidden(
        "\(worker.name) may speak for a person only while it handles a call of that person, or with "
          + "'acts_for: users' in its plugin.yaml")
    }
    return .only([user])
  }

  private func open(pass: [UInt8]) -> PassStatement? {
    if let known = state.withLock({ $0.passes[pass] }) { return known }
    guard let statement = passCheck.open(pass) else { return nil }
    state.withLock { state in
      if state.passes.count >= Self.mostRemembered { state.passes = [:] }
      state.passes[pass] = statement
    }
    return statement
  }
}
