/// When a wall showed a time.
public enum WallTime: Sendable, Hashable {
  /// Once: the usual case.
  case once(Instant)
  /// Never, the clocks were put forward over it; the instant that the offset before the gap gives.
  case skipped(Instant)
  /// Twice, the clocks were put back over it.
  case repeated(first: Instant, second: Instant)

  /// The instant that RFC 5545 (3.3.5) means by the time.
  public var instant: Instant {
    switch self {
    case .once(let instant), .skipped(let instant), .repeated(let instant, _): instant
    }
  }
}
