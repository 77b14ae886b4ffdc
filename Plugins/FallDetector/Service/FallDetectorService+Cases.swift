import FallDetectorDomain
public import FallsContract
import KithAccess
public import KithRPC
import KithStore
import KithTime
import KithWire

extension FallDetectorService {
  // MARK: - Reports

  /// Takes an event that a device decided on.
  public func report(
    _ request: ReportRequest, context: CallContext
  ) async throws -> ReportResponse {
    let user = try subject(request.userId, context)
    try Check.report(request)
    let reading = clock()
    let evidence = Evidence(
      deviceAt: request.atMs, accelG: request.accelG, battery: request.battery,
      location: settings.keepsLocation ? request.location : nil)
    let id = StoredReport.id(of: request.eventId, user)
    let answer = try await store.write { transaction in
      _ = try self.allow(.change, on: user, context, transaction)
      if let known = try transaction.record(StoredReport.self, id: id, under: CaseLedger.ownGrant) {
        var answer = try ReportResponse(decoding: try known.answer.value)
        answer.isRepeat = true
        return answer
      }
      let ledger = self.ledger(transaction, reading, context)
      // The word that it is a fall is heard whatever the device's clock shows.
      if request.type != .fallConfirmed {
        try Self.checkTime(request, try ledger.current(of: user))
      }
      let row: StoredCase? =
        switch request.type {
        case .resolved:
          try ledger.change(openOf: user) { life, row in
            try evidence.add(to: &row)
            return life.end(by: "", because: "the device said that it is over", at: reading)
          }
        case .fallConfirmed: try ledger.take(.confirmed, evidence, of: user)
        default: try ledger.take(.candidate, evidence, of: user)
        }
      let answer = ReportResponse(fallCase: row?.message(at: reading))
      try transaction.save(
        StoredReport(
          id: id, user: user, atMilliseconds: reading.wall.milliseconds,
          answer: Sealed(try answer.encoded())), under: CaseLedger.ownGrant)
      return answer
    }
    note(answer.fallCase)
    return answer
  }

  /// By how much a device's clock may differ from the worker's.
  private static let clockError: Int64 = 300_000

  /// The device's clock must not run back within a case: a "resolved" from before a fall that
  /// arrives late must not end it, also where the fall was reported without a time.
  private static func checkTime(
    _ request: ReportRequest, _ row: StoredCase?
  ) throws(RPCError) {
    guard let at = request.atMs, let row else { return }
    let opened =
      request.type == .resolved && row.progress.state != .closed
      ? row.progress.openedAt.contract - clockError : .min
    guard at < row.deviceAt ?? opened else { return }
    throw .invalidArgument(
      field: "at_ms",
      "expected a time that is no earlier than that of the report before: the device's clock has "
        + "run back, or the report is late; leave it out to mean now")
  }

  /// Notes whether a wearer is being asked, after a change that is durable.
  func note(_ fallCase: FallCase?) {
    if let fallCase { asked.note(fallCase) }
    changed()
  }

  // MARK: - Answers

  /// The wearer answers.
  public func answer(
    _ request: AnswerRequest, context: CallContext
  ) async throws -> FallCase {
    let isOK: Bool
    switch request.answer {
    case .ok: isOK = true
    case .needHelp: isOK = false
    default: throw RPCError.invalidArgument(field: "answer", "expected OK or NEED_HELP")
    }
    let subject = request.caseId.isEmpty ? try subject(request.userId, context) : nil
    let reading = clock()
    let fallCase = try await store.write { transaction in
      let ledger = self.ledger(transaction, reading, context)
      let take = { (life: inout CaseLife, row: inout StoredCase) -> [CaseEvent] in
        guard isOK else { return life.join(.help, at: reading) }
        let person = if case .user(let caller) = context.caller { caller } else { row.user }
        return life.end(
          by: person.text, because: "the answer was that all is well", at: reading)
      }
      guard let subject else {
        let row = try self.row(
          request.caseId, field: "case_id", for: .change, context, transaction)
        guard request.userId.isEmpty || request.userId == row.user.text else {
          throw RPCError(.notFound, "there is no such case of this person")
        }
        return try ledger.change(row, take).message(at: reading)
      }
      _ = try self.allow(.change, on: subject, context, transaction)
      // Whoever asks for help is heard also where nothing was noticed.
      let row =
        isOK
        ? try ledger.change(openOf: subject, take) ?? ledger.current(of: subject)
        : try ledger.take(.help, Evidence(), of: subject)
      guard let row else {
        throw RPCError(
          .failedPrecondition, "no case of this person is open; name one with case_id")
      }
      return row.message(at: reading)
    }
    note(fallCase)
    return fallCase
  }
}
