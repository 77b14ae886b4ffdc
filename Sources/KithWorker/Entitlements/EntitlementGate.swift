import BillingContract
import Glibc
import KithAccess
import KithIdentity
import KithRPC
import KithTime
import KithWire
import Synchronization

/// Enforces what the contracts of a worker's methods say of their callers' plans, by asking the
/// product's entitlements.
///
/// What was answered last about a person is kept in memory: an answer that counts nothing is given
/// again for its time, and any answer stands in for entitlements that are away.
final class EntitlementGate: Sendable {
  /// What is done with a call of which nothing is known while entitlements are away.
  enum WhenAway: String, Sendable {
    case allow, refuse

    /// What the host tells this process; nil where the product has no entitlements.
    static var ofThisProcess: WhenAway? {
      getenv("KITH_ENTITLEMENTS").flatMap { WhenAway(rawValue: String(cString: $0)) }
    }
  }

  /// How long what was answered last stands in for entitlements that are away.
  static let patience = Duration.seconds(72 * 3600)
  /// How long is waited for an answer.
  private static let timeout = Duration.seconds(2)
  /// How long is waited for entitlements that are away: a worker that was killed is back sooner.
  private static let readyTimeout = Duration.milliseconds(500)
  /// For how long entitlements that were away are not waited for again.
  private static let pause = Duration.seconds(1)
  private static let mostKnown = 50_000
  /// How often the end of a reservation is told that could not be; then it frees itself.
  private static let mostTries = 5

  /// What was answered about a feature and a person.
  private struct Known {
    /// When.
    var at: Instant
    /// Until when it may be given again without asking.
    var stands: Instant?
    /// What is left; nil where there is no limit.
    var remaining: Int?
    /// When the quota begins anew.
    var resets: Instant?
    /// How many there may be at once.
    var most: Int?
    /// Why it was refused; nil where it was not.
    var refusal: RPCError?
  }

  private struct Question: Hashable {
    let user: UserID
    let use: EntitlementUse
  }

  /// What a call may do.
  enum Grant {
    /// It may go on, and nothing is to be told of its end.
    case free(Allowance)
    /// It may go on; its end is to be told under this key.
    case reserved(key: String, Allowance)
  }

  private let client: EntitlementsClient
  private let whenAway: WhenAway
  private let now: @Sendable () -> Instant
  private let later: @Sendable (@escaping @Sendable () async -> Void) -> Void
  private let known = Mutex<[Question: Known]>([:])
  private let awayUntil = Mutex<ContinuousClock.Instant?>(nil)

  /// - Parameters:
  ///   - later: runs what need not be waited for.
  init(
    client: EntitlementsClient, whenAway: WhenAway, now: @escaping @Sendable () -> Instant,
    later: @escaping @Sendable (@escaping @Sendable () async -> Void) -> Void
  ) {
    (self.client, self.whenAway, self.now, self.later) = (client, whenAway, now, later)
  }

  /// The service, whose methods that consume something are guarded.
  func guarding(_ service: ServiceDefinition) -> ServiceDefinition {
    service.intercepted { method in
      method.entitlement.flatMap { $0.isSafety ? nil : GuardedMethod(gate: self, use: $0) }
    }
  }

  // MARK: - Asking

  /// Asks whether a call may go on.
  /// - Throws: PERMISSION_DENIED or RESOURCE_EXHAUSTED.
  func ask(_ use: EntitlementUse, for user: UserID, _ context: CallContext) async throws -> Grant {
    let question = Question(user: user, use: use)
    if let known = known.withLock({ $0[question] }), let stands = known.stands, now() < stands {
      return .free(Allowance(most: known.most))
    }
    // A repeat that is answered from its record is the same use; any other call is another one.
    let key =
      context.method.idempotency == .unknown ? context.idempotencyKey : nil
    let name = "\(context.method.method)/\((key ?? .random()).text)"
    do throws(RPCError) {
      let answer = try await client.reserve(
        ReserveRequest(
          userId: user.text, quota: use.quota, amount: UInt32(clamping: use.cost),
          key: use.quota.isEmpty ? "" : name, feature: use.feature),
        options: CallOptions(
          timeout: Self.timeout, waitForReady: !isAway, readyTimeout: Self.readyTimeout))
      awayUntil.withLock { $0 = nil }
      let allowance = Allowance(most: answer.mostAtOnce.map { Int($0) })
      note(
        question,
        Known(
          at: now(), stands: answer.standsUntilMs.map { Instant(milliseconds: Int($0)) },
          remaining: answer.isOverFairUse ? nil : answer.remaining.map { Int($0) },
          resets: answer.resetAtMs.map { Instant(milliseconds: Int($0)) }, most: allowance.most))
      let isCounted = answer.standsUntilMs == nil && !use.quota.isEmpty
      return isCounted ? .reserved(key: name, allowance) : .free(allowance)
    } catch {
      guard let refusal = Self.refusal(error) else {
        awayUntil.withLock { $0 = .now + Self.pause }
        return try answerAlone(question)
      }
      awayUntil.withLock { $0 = nil }
      note(question, known(of: refusal))
      throw refusal
    }
  }

  private var isAway: Bool { awayUntil.withLock { $0.map { .now < $0 } ?? false } }

  /// What entitlements refuse; nil for a call that has failed.
  private static func refusal(_ error: RPCError) -> RPCError? {
    let types = [FeatureRefused.fullName, QuotaExceeded.fullName]
    let details = error.details.filter { types.contains($0.type) }
    return details.isEmpty ? nil : RPCError(error.code, error.message, details: details)
  }

  private func known(of refusal: RPCError) -> Known {
    var known = Known(at: now(), refusal: refusal)
    for detail in refusal.details where detail.type == QuotaExceeded.fullName {
      let exceeded = try? QuotaExceeded(decoding: detail.value)
      known.resets = exceeded?.resetAtMs.map { Instant(milliseconds: Int($0)) }
    }
    return known
  }

  private func note(_ question: Question, _ answer: Known) {
    known.withLock { known in
      if known.count >= Self.mostKnown { known.removeAll() }
      known[question] = answer
    }
  }

  /// Entitlements are away: what they said last stands for its time, then what the manifest says.
  private func answerAlone(_ question: Question) throws(RPCError) -> Grant {
    let now = now()
    let answer = known.withLock { known -> Result<Allowance, RPCError>? in
      guard var last = known[question], now - last.at < Self.patience else { return nil }
      if let resets = last.resets, now >= resets {
        // A new day: how much there is was not asked for.
        return last.refusal?.code == .permissionDenied ? nil : .success(Allowance(most: last.most))
      }
      if let refusal = last.refusal { return .failure(refusal) }
      if let remaining = last.remaining {
        guard remaining >= question.use.cost else {
          return .failure(
            RPCError(
              .resourceExhausted, "'\(question.use.quota)' is used up, as far as is known",
              details: Self.exceeded(question.use.quota, remaining, last.resets)))
        }
        last.remaining = remaining - question.use.cost
        known[question] = last
      }
      return .success(Allowance(most: last.most))
    }
    switch answer {
    case .success(let allowance): return .free(allowance)
    case .failure(let refusal): throw refusal
    case nil:
      guard whenAway == .allow else {
        throw RPCError(
          .unavailable, "what the person's plan has cannot be asked now; try again later")
      }
      return .free(Allowance(most: nil))
    }
  }

  private static func exceeded(
    _ quota: String, _ remaining: Int, _ resets: Instant?
  ) -> [StatusDetail] {
    let detail = QuotaExceeded(
      quota: quota, remaining: UInt32(clamping: remaining),
      resetAtMs: resets.map { Int64($0.milliseconds) })
    return (try? detail.encoded()).map {
      [StatusDetail(type: QuotaExceeded.fullName, value: $0)]
    } ?? []
  }

  // MARK: - The end

  /// The call has succeeded: what it reserved is counted.
  func commit(_ key: String, of use: EntitlementUse, _ user: UserID, _ context: CallContext) async {
    let request = CommitRequest(userId: user.text, quota: use.quota, key: key)
    let options = Self.options(for: user, context)
    guard await !commit(request, options) else { return }
    later { [self] in
      for _ in 1..<Self.mostTries {
        try? await Task.sleep(for: .seconds(1))
        if await commit(request, options) { return }
      }
    }
  }

  /// Whether there is no use in trying again.
  private func commit(_ request: CommitRequest, _ options: CallOptions) async -> Bool {
    do throws(RPCError) {
      _ = try await client.commit(request, options: options)
      return true
    } catch {
      return error.code != .unavailable && error.code != .deadlineExceeded
    }
  }

  /// The call has failed: what it reserved is given back. It frees itself where that fails.
  func release(_ key: String, of use: EntitlementUse, _ user: UserID, _ context: CallContext) {
    let request = ReleaseRequest(userId: user.text, quota: use.quota, key: key)
    let options = Self.options(for: user, context)
    later { [client] in _ = try? await client.release(request, options: options) }
  }

  /// Options in the name of a call's person that outlive the call.
  private static func options(for user: UserID, _ context: CallContext) -> CallOptions {
    var options = CallOptions(timeout: timeout, inheritsContext: false)
    options.metadata.append(user.text, forKey: CallContext.userKey)
    if let pass = context.metadata[binary: ProofKeys.pass] {
      options.metadata.append(binary: pass, forKey: ProofKeys.pass)
    }
    return options
  }
}
