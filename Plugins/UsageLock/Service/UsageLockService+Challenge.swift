import FoundationEssentials
public import KithRPC
import KithStore
import KithTime
public import LockContract
import UsageLockDomain

extension UsageLockService {
  /// Begins a challenge.
  public func beginChallenge(
    _ request: BeginChallengeRequest, context: CallContext
  ) async throws -> Challenge {
    try await change(request.userId, request, context) { ledger, person in
      let (clock, state) = (ledger.clock, person.state)
      try state.checkUnlock(at: clock.now, isTrusted: clock.isTrusted, isSpoken: true)
      let id = UUID().uuidString.lowercased()
      try person.state.ladder.begin(id, at: clock.now)
      return Challenge(
        id: id, sentence: state.profile.gate.sentence,
        expiresMs: (clock.now + ChallengeLadder.lifetime).contract,
        triesLeft: UInt32(ChallengeLadder.tries))
    }
  }

  /// Answers a challenge. A wrong answer is an answer too, and counts.
  public func answerChallenge(
    _ request: AnswerChallengeRequest, context: CallContext
  ) async throws -> AnswerChallengeResponse {
    try Self.check(request.transcript)
    return try await change(request.userId, request, context) { ledger, person in
      let clock = ledger.clock
      try person.state.ladder.check(request.challengeId, at: clock.now)
      try person.state.checkUnlock(at: clock.now, isTrusted: clock.isTrusted, isSpoken: true)
      let profile = person.state.profile
      let verdict = profile.gate.judge(request.transcript, profile.strictness)
      person.state.ladder.note(isAccepted: verdict.isAccepted, at: clock.now)
      if verdict.isAccepted {
        let until = try person.state.unlock(
          at: clock.now, isTrusted: clock.isTrusted, isSpoken: true, isTyped: request.isTyped)
        try ledger.tell(
          WindowOpened(untilMs: until.contract, mode: .extreme, isTyped: request.isTyped), person)
        try ledger.note(
          .unlocked, "the sentence was \(request.isTyped ? "typed" : "said"), until \(until)",
          person)
      } else {
        try ledger.note(.refused, verdict.problem?.rawValue ?? "", person)
      }
      return AnswerChallengeResponse(
        verdict: verdict.message,
        status: try Self.status(of: person, clock, ledger.transaction),
        triesLeft: UInt32(clamping: person.state.ladder.triesLeft))
    }
  }

  /// Judges a text, and changes nothing.
  public func tryPhrase(
    _ request: TryPhraseRequest, context: CallContext
  ) async throws -> LockContract.PhraseVerdict {
    try Self.check(request.transcript)
    return try await show(request.userId, context) { person, _, _ in
      let profile = person.state.profile
      return profile.gate.judge(request.transcript, profile.strictness).message
    }
  }

  private static func check(_ transcript: String) throws(RPCError) {
    guard (1...2_000).contains(transcript.utf8.count), PhraseGate.hasWords(transcript) else {
      throw .invalidArgument(
        field: "transcript", "expected 1 to 2,000 bytes with a letter or a digit")
    }
  }
}
