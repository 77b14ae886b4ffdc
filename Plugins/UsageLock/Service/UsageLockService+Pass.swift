import FoundationEssentials
import KithAccess
public import KithRPC
import KithStore
import KithTime
public import LockContract
import UsageLockDomain

extension UsageLockService {
  /// Begins an emergency pass.
  public func beginPass(
    _ request: BeginPassRequest, context: CallContext
  ) async throws -> EmergencyPass {
    try await change(request.userId, request, context) { ledger, person in
      let (clock, id) = (ledger.clock, UUID().uuidString.lowercased())
      try person.state.beginPass(id, at: clock.now, isTrusted: clock.isTrusted)
      let (from, until) = (
        clock.now + PassBook.hold, clock.now + PassBook.hold + PassBook.lifetime
      )
      let statement = EmergencyPassStatement(
        userId: person.user.text, id: id, usableFromMs: from.contract, expiresMs: until.contract)
      return EmergencyPass(
        token: try StoredSecret.tokens(ledger.transaction).text(of: statement),
        usableFromMs: from.contract, expiresMs: until.contract, needsPin: person.pin != nil)
    }
  }

  /// Uses an emergency pass. A wrong PIN is noted, and counts.
  public func usePass(_ request: UsePassRequest, context: CallContext) async throws -> Status {
    try Check.text(request.token, "token", bytes: 1...500)
    try Check.text(request.pin, "pin", bytes: 0...64)
    let pin = try await checkPIN(request.pin, of: request.userId, context)
    let status = try await change(request.userId, request, context) { ledger, person in
      let clock = ledger.clock
      guard person.pin == pin.kept else { throw RPCError.pinChanged }
      let tokens = try StoredSecret.tokens(ledger.transaction)
      guard let statement = tokens.statement(of: request.token),
        statement.userId == person.user.text
      else { throw PassBook.Refusal.unknown }
      try person.state.checkPass(statement.id, at: clock.now, isTrusted: clock.isTrusted)
      person.state.passes.notePIN(isRight: pin.isRight, at: clock.now)
      if pin.isRight {
        let length = person.state.profile.pass
        person.state.passes.use(for: length, at: clock.now)
        let until = clock.now + length
        try ledger.tell(EmergencyPassUsed(untilMs: until.contract), person)
        try ledger.note(.passUsed, "an emergency pass, until \(until)", person)
      } else {
        try ledger.note(.passRefused, "a wrong PIN", person)
      }
      return try Self.status(of: person, clock, ledger.transaction)
    }
    // Noted first: the answer of a transaction that throws is not kept.
    guard status.passUntilMs != nil else { throw RPCError.wrongPIN }
    return status
  }

  /// Sets, changes or removes the PIN.
  public func setPin(_ request: SetPinRequest, context: CallContext) async throws -> SetPinResponse
  {
    try Check.text(request.oldPin, "old_pin", bytes: 0...64)
    if !request.pin.isEmpty { try Check.text(request.pin, "pin", bytes: 4...64) }
    let old = try await checkPIN(request.oldPin, of: request.userId, context)
    // Not worked out for one who does not know the old one.
    let new = old.isRight && !request.pin.isEmpty ? try await pins.text(of: request.pin) : nil
    let answer = try await change(request.userId, request, context) { ledger, person in
      guard person.pin == old.kept else { throw RPCError.pinChanged }
      try person.state.passes.checkPause(ledger.clock.now)
      if old.kept != nil {
        person.state.passes.notePIN(isRight: old.isRight, at: ledger.clock.now)
      }
      if old.isRight {
        person.pin = new
        try ledger.note(new == nil ? .pinRemoved : .pinSet, "", person)
      } else {
        try ledger.note(.passRefused, "a wrong PIN", person)
      }
      return SetPinResponse(hasPin: person.pin != nil)
    }
    guard answer.hasPin != request.pin.isEmpty, old.isRight else { throw RPCError.wrongPIN }
    return answer
  }

  /// A PIN that was shown, beside the one that is kept.
  private struct CheckedPIN: Sendable {
    /// What is kept; nil where none is set, and then every PIN is right.
    var kept: String?
    var isRight: Bool
  }

  /// Works out whether a PIN is right, outside of any transaction, since that takes long.
  private func checkPIN(
    _ pin: String, of name: String, _ context: CallContext
  ) async throws -> CheckedPIN {
    let user = try subject(name, context)
    let book = book
    let kept = try await store.read { transaction -> String? in
      try self.allow(.change, on: user, context, transaction)
      let clock = try LockLedger.clock(book, transaction)
      let person = try LockLedger.shown(user, book, clock, transaction)
      do throws(PassBook.Refusal) {
        try person.state.passes.checkPause(clock.now)
      } catch {
        throw RPCError(error)
      }
      return person.pin
    }
    guard let kept else { return CheckedPIN(kept: nil, isRight: true) }
    return CheckedPIN(kept: kept, isRight: try await pins.matches(pin, kept))
  }
}

extension RPCError {
  fileprivate static var wrongPIN: RPCError { RPCError(.permissionDenied, "the PIN is wrong") }
  fileprivate static var pinChanged: RPCError {
    RPCError(.aborted, "the PIN was changed meanwhile: try again")
  }

  init(_ refusal: PassBook.Refusal) {
    switch refusal {
    case .unknown:
      self.init(.notFound, "there is no such pass, or it was used: begin another")
    case .expired: self.init(.failedPrecondition, "the pass's time is over: begin another")
    case .tooEarly(let from):
      self.init(.failedPrecondition, "the pass can be used from \(from) on")
    case .usedToday(let next):
      self.init(.resourceExhausted, "today's pass was used; the next can be had at \(next)")
    case .coolingDown(let until):
      self.init(.resourceExhausted, "too many wrong PINs: the next is taken at \(until)")
    }
  }
}
