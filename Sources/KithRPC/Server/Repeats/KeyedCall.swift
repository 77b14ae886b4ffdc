/// A call under an idempotency key, as a record of answers knows it.
public struct KeyedCall: Sendable, Hashable {
  /// The method: `kith.billing.v1.Billing/Charge`.
  public var method: String
  /// The caller, as far as keys of different callers must not meet: `uid 1000`.
  public var caller: String
  /// The key.
  public var key: String
  /// The request, encoded. Personal: a record keeps no more of it than what tells one request from
  /// another.
  public var request: [UInt8]

  /// A call.
  public init(method: String, caller: String, key: String, request: [UInt8]) {
    self.method = method
    self.caller = caller
    self.key = key
    self.request = request
  }
}

extension CallContext {
  /// The call as a record of answers knows it; nil if it came without an idempotency key.
  /// - Parameter request: the request, encoded.
  public func keyedCall(_ request: [UInt8]) -> KeyedCall? {
    idempotencyKey.map { key in
      KeyedCall(method: method.fullName, caller: keyScope, key: key.text, request: request)
    }
  }

  /// Which callers' keys are the same keys: those of one process's user, in the name of one person.
  private var keyScope: String {
    let process = peer.uid.map { "uid \($0)" } ?? (peer.hasCertificate ? "certificate" : "")
    let people = metadata.values(forKey: Self.userKey).map { value in
      if case .text(let text) = value { " for \(text)" } else { " for ?" }
    }
    return process + people.joined()
  }
}

extension RPCError {
  /// INVALID_ARGUMENT: an idempotency key was used for another request.
  public static var idempotencyKeyOfAnotherRequest: RPCError {
    RPCError(
      .invalidArgument,
      "this idempotency key was used for another request; each request needs a key of its own")
  }

  /// ABORTED: a call was carried out, or begun, under an idempotency key, and its answer is not
  /// known.
  public static var idempotencyKeyOfLostAnswer: RPCError {
    RPCError(
      .aborted,
      "a call under this idempotency key may have been carried out, and its answer is not known. Look "
        + "what was done before you call again under another key",
      details: CallExecution.mayHaveRun.details)
  }
}
