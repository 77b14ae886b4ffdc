import FallDetectorDomain
public import FallsContract
import KithAccess
public import KithRPC
import KithStore
import KithTime
import KithWire

extension FallDetectorService {
  /// For how long a caller's right to send samples of somebody else is taken for granted.
  private static let trust = Duration.seconds(60)

  // MARK: - Streams

  /// Takes samples of one or many wearers as they are measured.
  public func watch(
    _ requests: RequestStream<SampleBatch>, responses: ResponseWriter<WatchResponse>,
    context: CallContext
  ) async throws {
    try await asked.load()
    var allowed: [UserID: Duration] = [:]
    for try await batch in requests {
      var answer = WatchResponse(userId: batch.userId, sequence: batch.sequence)
      do {
        let user = try subject(batch.userId, context)
        answer.userId = user.text
        try await admit(user, context, &allowed)
        let read = try BatchReader.read(batch, isContinuous: true)
        try await take(read, of: user, battery: batch.battery, context, into: &answer)
      } catch let problem as BatchProblem {
        answer.refusal = "\(problem.field): \(problem.reason)"
      } catch let error as RPCError
        where error.code == .permissionDenied || error.code == .invalidArgument
      {
        // Of one wearer among many: the others' batches go on.
        answer.refusal = error.message
      }
      try await responses.write(answer)
    }
  }

  /// - Throws: PERMISSION_DENIED for somebody whose samples the caller may not send.
  private func admit(
    _ user: UserID, _ context: CallContext, _ allowed: inout [UserID: Duration]
  ) async throws {
    if case .product = context.caller { return }
    if case .user(user) = context.caller { return }
    let now = clock().sinceBoot
    if let since = allowed[user], now - since < Self.trust { return }
    try await store.read { transaction in
      _ = try self.allow(.change, on: user, context, transaction)
    }
    // Nobody looks after more people than this; whoever names more is asked about anew.
    if allowed.count >= 1_000 { allowed = [:] }
    allowed[user] = now
  }

  /// Reads a batch, and writes what it led to before it is answered.
  private func take(
    _ batch: ReadBatch, of user: UserID, battery: Double?, _ context: CallContext,
    into answer: inout WatchResponse
  ) async throws {
    let stamp = asked.stamp(of: user)
    let (found, settled) = wearers.change(user) { wearer in
      wearer.withSession(batch) { ($0.take(batch, isAsked: stamp != nil), $0.undecided.settled) }
    }
    answer.findings = found.findings.map(\.message)
    answer.settledSequence = settled
    if found.mustBeWritten {
      answer.fallCase = try await write(found, batch, of: user, battery: battery, context)
      wearers.change(user) { wearer in
        wearer.withSession(batch) { session in
          if session.sequence == batch.sequence { session.unwritten = .init() }
        }
      }
    } else if let stamp {
      answer.fallCase = try await openCase(of: user)
      if answer.fallCase == nil { asked.forget(user, since: stamp) }
    }
  }

  /// Writes what samples led to: a case is opened, joined or ended. Answers the case if it is open.
  private func write(
    _ found: DeviceSession.Unwritten, _ batch: ReadBatch, of user: UserID, battery: Double?,
    _ context: CallContext
  ) async throws -> FallCase? {
    let reading = clock()
    let id = StoredReport.id(of: batch.session, batch.sequence, user)
    let answer = try await store.write { transaction in
      if let known = try transaction.record(StoredReport.self, id: id, under: CaseLedger.ownGrant) {
        return try ReportResponse(decoding: try known.answer.value)
      }
      let ledger = self.ledger(transaction, reading, context)
      var row: StoredCase?
      if let reason = found.recovery {
        row = try ledger.change(openOf: user) { life, _ in
          life.recover(because: reason, at: reading)
        }
      }
      for finding in found.findings where finding.verdict == .candidate {
        let evidence = Evidence(
          finding: finding.message, accelG: finding.peakG > 0 ? finding.peakG : nil,
          battery: battery)
        row = try ledger.take(.candidate, evidence, of: user) ?? row
      }
      let answer = ReportResponse(fallCase: row?.message(at: reading))
      try transaction.save(
        StoredReport(
          id: id, user: user, atMilliseconds: reading.wall.milliseconds,
          answer: Sealed(try answer.encoded())), under: CaseLedger.ownGrant)
      return answer
    }
    note(answer.fallCase)
    return answer.fallCase
  }

  /// The newest open case of a wearer.
  private func openCase(of user: UserID) async throws -> FallCase? {
    let reading = clock()
    return try await store.read { transaction in
      try transaction.records(
        StoredCase.self, where: "user_id = \(user) AND state <> 'closed'",
        orderedBy: "opened_at_ms DESC, id DESC", limit: 1, under: CaseLedger.ownGrant
      ).first?.message(at: reading)
    }
  }

  // MARK: - Bursts

  /// Takes a burst of samples of a device that measures with pauses.
  public func reportBurst(
    _ request: SampleBatch, context: CallContext
  ) async throws -> ReportBurstResponse {
    let user = try subject(request.userId, context)
    var allowed: [UserID: Duration] = [:]
    try await admit(user, context, &allowed)
    let batch: ReadBatch
    do throws(BatchProblem) {
      batch = try BatchReader.read(request, isContinuous: false)
    } catch {
      throw RPCError.invalidArgument(field: error.field, error.reason)
    }
    let finding = wearers.change(user) { wearer in
      wearer.withBursts(batch) { $0.take(batch) }
    }
    guard let finding, finding.verdict == .possibleLongLie else { return ReportBurstResponse() }
    return ReportBurstResponse(askWearer: true, reason: finding.reason)
  }

  // MARK: - Recorded traces

  private static let largestTrace = 8 << 20

  /// Runs the detector over a recorded trace.
  public func replay(
    _ request: ReplayRequest, context: CallContext
  ) async throws -> ReplayResponse {
    guard request.trace.count <= Self.largestTrace else {
      throw RPCError.invalidArgument(field: "trace", "expected no more than 8 MiB")
    }
    guard request.rateHz == 0 || (1...10_000).contains(request.rateHz) else {
      throw RPCError.invalidArgument(
        field: "rate_hz", "expected 1 to 10000 samples a second, or 0 for a trace with times")
    }
    guard (0...64).contains(request.rangeG) else {
      throw RPCError.invalidArgument(
        field: "range_g", "expected a range in g, or 0 for not known")
    }
    let samples: [AccelerationSample]
    do {
      samples = try CSVTrace.read(
        request.trace, rateHz: request.rateHz > 0 ? request.rateHz : nil,
        unit: request.unit == .metresPerSecondSquared
          ? .metresPerSecondSquared : .standardGravity)
    } catch {
      throw RPCError.invalidArgument(field: "trace", "\(error)")
    }
    var detection = FallDetection(
      profile: SensorProfile(request.placement, rangeG: request.rangeG))
    var findings = samples.compactMap { detection.add($0) }
    if let last = detection.finish() { findings.append(last) }
    let plot =
      request.plot
      ? Array(TraceDrawing.svg(samples: samples, findings: findings).utf8) : []
    return ReplayResponse(
      sampleCount: UInt64(samples.count), rateHz: Self.rate(of: samples),
      findings: findings.map(\.message), plot: plot)
  }

  /// Samples a second, as measured.
  private static func rate(of samples: [AccelerationSample]) -> Double {
    guard let first = samples.first, let last = samples.last, last.nanoseconds > first.nanoseconds
    else { return 0 }
    return Double(samples.count - 1) * 1e9 / Double(last.nanoseconds - first.nanoseconds)
  }
}
