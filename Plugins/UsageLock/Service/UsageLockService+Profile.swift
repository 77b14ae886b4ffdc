import KithAccess
public import KithRPC
import KithStore
import KithTime
import KithWire
public import LockContract
import UsageLockDomain

extension UsageLockService {
  /// Sets a profile: what is stricter now, what is looser later.
  public func setProfile(
    _ request: SetProfileRequest, context: CallContext
  ) async throws -> SetProfileResponse {
    try await set(LockProfile(request.profile, book), of: request.userId, request, context)
  }

  /// Sets a profile, of a message or of a file.
  func set(
    _ wanted: LockProfile, of name: String, _ request: some WireMessage, _ context: CallContext
  ) async throws -> SetProfileResponse {
    let user = try subject(name, context)
    let book = book
    let answer = try await store.write(for: context, request, now: book.reading.wall.seconds) {
      transaction in
      try self.allow(.change, on: user, context, transaction)
      let ledger = try LockLedger(book, transaction, traceparent: context.traceparent)
      if try LockLedger.stored(user, book, transaction) == nil {
        let state = LockState(
          profile: wanted, zone: try book.zones.zone(named: wanted.zone),
          debounce: book.settings.debounce, at: ledger.clock.now)
        let person = StoredPerson(user: user, state: state)
        try ledger.begin(person)
        try ledger.note(.profileSet, "the first profile", person)
        return Self.answer(person)
      }
      return try ledger.change(user) { person in
        try Self.set(wanted, of: &person, ledger)
        return Self.answer(person)
      }
    }
    changed()
    return answer
  }

  private static func set(
    _ wanted: LockProfile, of person: inout StoredPerson, _ ledger: LockLedger
  ) throws {
    let before = person.state
    let change = before.profile.change(to: wanted)
    person.state.profile = change.now
    guard !change.looser.isEmpty else {
      (person.state.pending, person.state.pendingDue) = (nil, nil)
      if change.now != before.profile {
        try ledger.note(.profileSet, "a stricter profile", person)
      }
      return
    }
    // Asked for again, it does not wait any longer.
    if before.pending == wanted { return }
    let due = ledger.clock.now + ledger.book.settings.loosensAfter
    person.state.pending = wanted
    person.state.pendingDue = due
    try ledger.tell(ChangeQueued(dueMs: due.contract, looserFields: change.looser), person)
    try ledger.note(
      .changeQueued, "looser: \(change.looser.joined(separator: ", "))", person)
  }

  /// The profiles of a person.
  public func getProfile(
    _ request: GetProfileRequest, context: CallContext
  ) async throws -> SetProfileResponse {
    try await show(request.userId, context) { person, _, _ in Self.answer(person) }
  }

  /// Withdraws what waits.
  public func withdrawChange(
    _ request: WithdrawChangeRequest, context: CallContext
  ) async throws -> SetProfileResponse {
    try await change(request.userId, request, context) { ledger, person in
      if person.state.pending != nil {
        (person.state.pending, person.state.pendingDue) = (nil, nil)
        try ledger.tell(ChangeWithdrawn(), person)
        try ledger.note(.changeWithdrawn, "what waited was withdrawn", person)
      }
      return Self.answer(person)
    }
  }

  private static func answer(_ person: StoredPerson) -> SetProfileResponse {
    let state = person.state
    return SetProfileResponse(
      profile: state.profile.message, pending: state.pending?.message,
      pendingDueMs: state.pendingDue?.contract,
      looserFields: state.pending.map { state.profile.change(to: $0).looser } ?? [],
      requiredWords: state.profile.gate.requiredWords)
  }
}
