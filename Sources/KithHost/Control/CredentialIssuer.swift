import HostContract
import IdentityContract
import KithAccess
import KithIdentity
import KithManifest
import KithPlanning
import KithRPC
import KithSupervision
import KithWire

/// Issues what callers prove themselves with: tickets for incarnations of workers, and passes for
/// people. Safe to use from any thread.
struct CredentialIssuer: Sendable {
  /// How long a ticket is valid. Long enough that callers get through the nights in which no host
  /// runs; what it is worth ends with the callee's incarnation anyway.
  private static let ticketValidity = Duration.seconds(24 * 3_600)
  /// How long a pass is valid, and so how long a worker that has handled a person's call could go
  /// on to speak for that person.
  private static let passValidity = Duration.seconds(120)

  /// The product's name.
  let product: String
  /// What operators are known by and passes are signed with.
  let secrets: HostSecrets
  /// Who may call the control service.
  let callers: HostCallers

  init(product: String, places: ProductPlaces) throws(SystemError) {
    self.product = product
    secrets = try HostSecrets(places)
    callers = HostCallers(product: product, token: secrets.token)
  }

  /// Checks that a caller may reach a worker, and answers which of its services.
  /// - Throws: PERMISSION_DENIED for a worker whose manifest does not require any of them.
  func reachableServices(
    of callee: String, providing provided: [String], by principal: Principal
  ) throws(RPCError) -> [String] {
    if principal.kind == .operator { return provided }
    let known = known(principal)
    let reachable = provided.filter { known?.requires.contains($0) ?? false }
    guard !reachable.isEmpty else {
      throw RPCError(
        .permissionDenied,
        "\(principal) may not reach \(callee): name the service that it calls in 'requires' of its plugin.yaml"
      )
    }
    return reachable
  }

  /// The programs that a caller may see and signal.
  /// - Throws: PERMISSION_DENIED for a caller whose manifest grants none; FAILED_PRECONDITION where
  ///   the grant names no person of this machine.
  func programs(of principal: Principal) throws(RPCError) -> UserPrograms {
    guard let grant = known(principal)?.programs else {
      throw RPCError(
        .permissionDenied,
        "\(principal) may see no programs: name them in 'programs' of its plugin.yaml or its product"
      )
    }
    return try UserPrograms(grant)
  }

  private func known(_ principal: Principal) -> HostCallers.Known? {
    principal.worker.flatMap {
      callers[Incarnation(worker: $0, generation: principal.generation)]
    }
  }

  /// An encoded ticket for one incarnation of a worker.
  /// - Parameter secret: the incarnation's.
  func ticket(
    for callee: Incarnation, secret: [UInt8], to principal: Principal, services: [String]
  ) throws(RPCError) -> (ticket: [UInt8], validMilliseconds: Int64) {
    let caller: TicketStatement.Caller
    switch (principal.kind, principal.worker) {
    case (.operator, _): caller = .operator(OperatorCaller())
    case (.worker, let name?):
      caller = .worker(
        WorkerCaller(
          name: name, generation: principal.generation, services: services,
          actsForUsers: known(principal)?.actsForUsers ?? false))
    default: throw RPCError(.permissionDenied, "there are no tickets for a \(principal)")
    }
    let valid = Self.ticketValidity.inMilliseconds
    do throws(WireError) {
      return (
        try TicketKey(secret: secret).issue(
          TicketStatement(
            product: product, callee: callee.worker,
            calleeGeneration: callee.generation, caller: caller,
            expiresAtBootMs: BootClock.milliseconds + valid)), valid
      )
    } catch {
      throw RPCError(.internal, "the ticket cannot be encoded")
    }
  }

  /// A pass for a person.
  func issuePass(
    _ request: IssuePassRequest, to principal: Principal
  ) throws(RPCError) -> IssuePassResponse {
    guard principal.kind == .operator || principal.people == .everybody else {
      throw RPCError(
        .permissionDenied,
        "\(principal) may have no passes: state 'acts_for: users' in its plugin.yaml")
    }
    guard let user = UserID(request.userId) else { throw .noUserID(field: "user_id") }
    let valid = Self.passValidity.inMilliseconds
    let pass = try secrets.passKey.issue(
      PassStatement(
        product: product, userId: user.text, expiresAtBootMs: BootClock.milliseconds + valid))
    return IssuePassResponse(pass: pass, validMs: valid)
  }
}
