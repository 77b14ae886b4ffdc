import DeliveryDomain
import KithJSON
import KithTransfer

extension AttemptOutcome {
  /// The outcome of a transfer without an answer.
  init(_ error: TransferError, provider: String) {
    let reason = "\(provider): \(error.message)"
    if error.mayBeTaken {
      self = .unknown(reason: reason)
      return
    }
    switch error.code {
    case .invalid: self = .refused(.misconfigured, reason)
    // A certificate is mended by an operator, or by the end of an attack.
    case .insecure: self = .later(.misconfigured, reason)
    case .unreachable, .timeout, .broken, .cancelled: self = .later(.unavailable, reason)
    }
  }
}

extension TransferAnswer {
  /// The body as JSON; nil where it is none.
  var json: JSONValue? { try? JSONValue(parsing: body) }

  /// `retry-after` in seconds, an hour at most; nil where it names no number.
  var retryAfter: Int? { headers["retry-after"].flatMap { Int($0) }.map { min(max($0, 0), 3600) } }
}
