import KithRPC

/// How a call ended, as its caller judges it.
enum CallEnd: Sendable, Equatable {
  /// OK, with all that belongs to it.
  case ok
  /// With a status that the trouble explains: it was cancelled, late, asked to fail, or its worker
  /// was killed.
  case failed(StatusCode)
  /// With a status that nothing explains.
  case odd(String)
  /// Messages were missing or out of order, an answer was forgotten, or there was no end within the
  /// bound.
  case lost(String)
}

/// What the caller of a call has done that may end it.
struct Trouble: Sendable {
  /// What the call may take; nil for no deadline.
  var timeout: Duration?
  /// When the caller gives the call up; nil for never.
  var cancelledAfter: Duration?
  /// The status that the worker was asked to end with.
  var askedFor: StatusCode?

  /// Judges an error.
  func judge(_ error: RPCError) -> CallEnd {
    switch error.code {
    // The worker may be killed at any time.
    case .unavailable: .failed(error.code)
    case .cancelled where cancelledAfter != nil: .failed(error.code)
    case .deadlineExceeded where timeout != nil: .failed(error.code)
    case askedFor: .failed(error.code)
    default: .odd("\(error)")
    }
  }
}
