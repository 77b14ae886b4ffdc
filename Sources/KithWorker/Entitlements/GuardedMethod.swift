import KithAccess
import KithRPC

/// A method that consumes something of its callers' plans: reserved before its handler, counted
/// with its success, given back with its failure.
///
/// A call in the name of nobody is of no plan, and goes on.
struct GuardedMethod: ServerInterceptor {
  let gate: EntitlementGate
  let use: EntitlementUse

  func intercept<Answer: Sendable>(
    _ context: CallContext, _ next: () async throws -> Answer
  ) async throws -> Answer {
    guard case .user(let user) = context.caller else { return try await next() }
    let key: String
    let allowance: Allowance
    switch try await gate.ask(use, for: user, context) {
    case .free(let allowance):
      return try await Allowance.$current.withValue(allowance) { try await next() }
    case .reserved(let reserved, let most): (key, allowance) = (reserved, most)
    }
    let answer: Answer
    do {
      answer = try await Allowance.$current.withValue(allowance) { try await next() }
    } catch {
      gate.release(key, of: use, user, context)
      throw error
    }
    await gate.commit(key, of: use, user, context)
    return answer
  }
}
