public import KithTime

/// Why something is not granted.
public enum LockRefusal: Error, Sendable, Hashable, CustomStringConvertible {
  /// No app has a window; the sentence has to be said.
  case noWindow, sentenceRequired
  /// This hour's window was used, or is over.
  case windowUsed(next: Instant), windowOver(next: Instant)
  /// The machine's time is not proved.
  case timeNotTrusted
  /// The profile has no emergency passes.
  case noPass
  /// No app has a budget; nothing more may be added to it today.
  case noBudget, noExtraLeft

  /// What is wrong, and when it will be otherwise.
  public var description: String {
    switch self {
    case .noWindow: "no app of the profile has a window in each hour"
    case .sentenceRequired: "the window opens for the sentence alone: begin a challenge"
    case .windowUsed(let next): "this hour's window was used; the next can be opened at \(next)"
    case .windowOver(let next): "this hour's window is over; the next can be opened at \(next)"
    case .timeNotTrusted:
      "the time is not proved since the machine was started; no window is opened until it is"
    case .noPass: "the profile has no emergency passes"
    case .noBudget: "no app of the profile has a daily budget"
    case .noExtraLeft: "no more time can be added today"
    }
  }
}
