import FeatureFlagsDomain
public import FlagsContract
import KithJSON
public import KithRPC
import KithStore
import KithTime
import KithWire

extension FlagsService {
  private static let longestDefinition = 256 << 10

  /// Makes or replaces a flag.
  public func putFlag(
    _ request: PutFlagRequest, context: CallContext
  ) async throws -> FlagsContract.Flag {
    guard request.definition.utf8.count <= Self.longestDefinition else {
      throw RPCError.invalidArgument(
        field: "definition", "expected up to \(Self.longestDefinition) bytes")
    }
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONValue(parsing: request.definition)
    } catch {
      throw RPCError.invalidArgument(field: "definition", "\(error)")
    }
    let flag = try Self.reading { () throws(FlagProblem) in
      try FlagReader.flag(request.key, value)
    }
    return try await change(request, context) { ledger in
      let transaction = ledger.transaction
      let known = try transaction.record(StoredFlag.self, id: request.key)
      if let expected = request.expectedRevision, expected != UInt64(known?.revision ?? 0) {
        throw RPCError(.aborted, "the flag is at revision \(known?.revision ?? 0)")
      }
      if let known, known.definition == value.text() { return known }
      try Self.checkGrowth(from: known, to: flag)
      try Self.checkAll(with: [flag], transaction)
      return try ledger.save(
        Self.row(flag.key, value, known, ledger.now), .put, before: known?.definition,
        why: request.why)
    }
  }

  /// Sets a share.
  public func setRollout(
    _ request: SetRolloutRequest, context: CallContext
  ) async throws -> FlagsContract.Flag {
    guard let share = Share(request.share) else {
      throw RPCError.invalidArgument(
        field: "share", "expected a number from 0 to 1, in steps of 0.000001")
    }
    return try await change(request, context) { ledger in
      let known = try Self.flag(request.key, ledger.transaction)
      let (value, flag) = try Self.reading { () throws(FlagProblem) in
        let value = try FlagReader.definition(
          try known.value(), withShare: share, ofRule: Int(request.rule))
        return (value, try FlagReader.flag(known.id, value))
      }
      if known.definition == value.text() { return known }
      try Self.checkGrowth(from: known, to: flag)
      return try ledger.save(
        Self.row(known.id, value, known, ledger.now), .put, before: known.definition,
        why: request.why)
    }
  }

  /// Turns a flag off for everybody.
  public func killFlag(
    _ request: KillFlagRequest, context: CallContext
  ) async throws -> FlagsContract.Flag {
    try await change(request, context) { ledger in
      var flag = try Self.flag(request.key, ledger.transaction)
      if flag.isKilled { return flag }
      flag.isKilled = true
      flag.changedAt = ledger.now
      return try ledger.save(flag, .killed, before: flag.definition, why: request.why)
    }
  }

  /// Lets a flag's definition count again.
  public func releaseFlag(
    _ request: ReleaseFlagRequest, context: CallContext
  ) async throws -> FlagsContract.Flag {
    try await change(request, context) { ledger in
      var flag = try Self.flag(request.key, ledger.transaction)
      if !flag.isKilled && flag.frozenBecause == nil { return flag }
      (flag.isKilled, flag.frozenBecause) = (false, nil)
      flag.changedAt = ledger.now
      return try ledger.save(flag, .released, before: flag.definition, why: request.why)
    }
  }

  /// Removes a flag.
  public func removeFlag(
    _ request: RemoveFlagRequest, context: CallContext
  ) async throws -> RemoveFlagResponse {
    try await write(request, context) { ledger in
      guard let flag = try ledger.transaction.record(StoredFlag.self, id: request.key) else {
        return RemoveFlagResponse()
      }
      let requiring = try FlagSnapshot(ledger.transaction).flags.flags(requiring: flag.id)
      guard requiring.isEmpty else {
        throw RPCError(
          .failedPrecondition, "required by \(requiring.joined(separator: ", "))")
      }
      try ledger.remove(flag, why: request.why)
      return RemoveFlagResponse()
    }
  }

  /// Freezes the flags whose guard a measure crosses.
  public func reportMeasure(
    _ request: ReportMeasureRequest, context: CallContext
  ) async throws -> ReportMeasureResponse {
    guard request.errors <= request.calls, request.p95Ms >= 0 else {
      throw RPCError.invalidArgument(field: "errors", "expected no more errors than calls")
    }
    let measure = RolloutGuard.Measure(
      method: request.method, calls: request.calls, errors: request.errors, p95: request.p95Ms)
    return try await write(request, context) { ledger in
      var frozen: [String] = []
      for var row in try ledger.transaction.records(StoredFlag.self, orderedBy: "id") {
        guard let flag = try? row.flag(), let why = flag.rolloutGuard?.crossing(measure) else {
          continue
        }
        frozen.append(row.id)
        guard row.frozenBecause == nil else { continue }
        row.frozenBecause = "\(request.method): \(why)"
        row.changedAt = ledger.now
        row = try ledger.save(row, .frozen, before: row.definition, why: why)
        try ledger.tell(
          RolloutFrozen(
            key: row.id, method: request.method, why: why, revision: UInt64(row.revision)))
      }
      return ReportMeasureResponse(frozen: frozen)
    }
  }

  // MARK: - Parts

  private func change(
    _ request: some WireMessage, _ context: CallContext,
    _ body: @escaping @Sendable (FlagLedger) throws -> StoredFlag
  ) async throws -> FlagsContract.Flag {
    try await write(request, context) { ledger in
      try body(ledger).message(at: ledger.now, patience: ledger.patience)
    }
  }

  func write<Answer: WireMessage>(
    _ request: some WireMessage, _ context: CallContext,
    _ body: @escaping @Sendable (FlagLedger) throws -> Answer
  ) async throws -> Answer {
    let (now, patience) = (now(), settings.patience)
    return try await store.write(for: context, request, now: now.seconds) { transaction in
      try body(
        FlagLedger(transaction: transaction, context: context, now: now, patience: patience))
    }
  }

  /// A row with a new definition.
  static func row(
    _ key: String, _ value: JSONValue, _ known: StoredFlag?, _ now: Instant
  ) -> StoredFlag {
    StoredFlag(
      id: key, revision: 0, definition: value.text(), isKilled: known?.isKilled ?? false,
      frozenBecause: known?.frozenBecause, createdAt: known?.createdAt ?? now, changedAt: now)
  }

  /// - Throws: FAILED_PRECONDITION if a frozen flag would let in more people.
  static func checkGrowth(
    from known: StoredFlag?, to flag: FeatureFlagsDomain.Flag
  ) throws(RPCError) {
    guard let known, let reason = known.frozenBecause else { return }
    if let earlier = try? known.flag(), !flag.grows(from: earlier) { return }
    throw RPCError(
      .failedPrecondition,
      "the flag is frozen (\(reason)): look into it, then release the flag")
  }

  /// Checks all flags with some of them replaced.
  /// - Throws: INVALID_ARGUMENT.
  static func checkAll(
    with flags: [FeatureFlagsDomain.Flag], _ transaction: some Transaction
  ) throws {
    let replaced = Set(flags.map(\.key))
    let others = try transaction.records(StoredFlag.self).filter { !replaced.contains($0.id) }
    try checkTogether(
      others.compactMap { try? $0.flag() } + flags, try FlagSnapshot.segments(transaction))
  }

  /// Checks that flags have what they require and name.
  /// - Throws: INVALID_ARGUMENT.
  static func checkTogether(
    _ flags: [FeatureFlagsDomain.Flag], _ segments: [String: Segment]
  ) throws(RPCError) {
    _ = try reading { () throws(FlagProblem) in try FlagSet(flags, segments: segments) }
  }

  /// Turns a problem with a definition into INVALID_ARGUMENT.
  static func reading<Value>(
    _ body: () throws(FlagProblem) -> Value
  ) throws(RPCError) -> Value {
    do throws(FlagProblem) {
      return try body()
    } catch {
      throw .invalidArgument(field: "definition", error.description)
    }
  }
}
