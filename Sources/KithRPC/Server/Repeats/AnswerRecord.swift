/// A call under an idempotency key, as a record of answers knows it.
public struct KeyedCall: Sendable, Hashable {
  /// The method: `kith.billing.v1.Billing/Charge`.
  public var method: String
  /// Who called, as far as keys of different callers must not meet: `uid 1000`.
  public var caller: String
  /// The key.
  public var key: String
  /// The request, encoded. Personal: a record keeps no more of it than what tells one request from another.
  public var request: [UInt8]

  /// A call.
  public init(method: String, caller: String, key: String, request: [UInt8]) {
    self.method = method
    self.caller = caller
    self.key = key
    self.request = request
  }
}

/// What a record knows of a key when a call comes under it.
public enum PriorAttempt: Sendable, Hashable {
  /// Nothing: the call is noted as begun, durably, and may be carried out.
  case none
  /// It was carried out, with this answer.
  case answered([UInt8])
  /// It was begun, and how it ended was never noted: the process that began it is gone, or still at it.
  case unfinished
  /// The key stands for another request.
  case otherRequest
}

/// Where a worker notes the answers of calls that must not be carried out twice.
///
/// What a function has returned from is durable. The calls of one key come one after another, from within one process; of
/// several processes with one record, two may begin at once, and only one may be answered ``PriorAttempt/none``.
public protocol AnswerRecord: Sendable {
  /// Notes that a call begins, unless its key is known already.
  func begin(_ call: KeyedCall) async throws -> PriorAttempt
  /// Notes how it ended.
  func finish(_ call: KeyedCall, answer: [UInt8]) async throws
  /// Forgets a call that has changed nothing, so that it may be made again.
  func forget(_ call: KeyedCall) async throws
}
