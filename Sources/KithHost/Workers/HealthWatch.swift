/// What a process has reported since the host listens to its health.
struct HealthWatch {
  /// Its last report; nil until the first one.
  private(set) var last: HealthReportMessage?

  /// Takes a report; answers whether it is the first.
  mutating func heard(_ report: HealthReportMessage) -> Bool {
    defer { last = report }
    return last == nil
  }

  /// What the end of the stream of reports means.
  enum Conclusion: Hashable {
    /// The process has no such stream and is not watched.
    case unwatchable
    /// The process did not report at all: its start has failed.
    case neverReported
    /// The connection broke and the process runs on: the host is to listen again.
    case listenAgain
    /// The last report has come. The process has ended, or runs on and reports no more.
    case over
  }

  /// Decides what the end of the stream means.
  /// - Parameter isRunning: whether the process runs.
  func conclusion(_ end: WatchEnd, isRunning: Bool) -> Conclusion {
    guard isRunning else { return .over }
    switch end {
    case .unsupported where last == nil: return .unwatchable
    case .ended where last == nil, .broken where last == nil: return .neverReported
    case .broken: return .listenAgain
    case .ended, .unsupported: return .over
    }
  }
}
