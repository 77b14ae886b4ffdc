import HealthContract
import KithSupervision

/// How a watch of a process ended.
enum WatchEnd: Sendable {
  /// The process has said its last word.
  case ended
  /// The line to it broke.
  case broken
  /// It serves no such method: another SDK.
  case unsupported
}

/// What a process said about itself.
struct HealthReportMessage: Sendable {
  /// What the supervisor must know of it.
  var report: HealthReport
  /// Calls of its own services that have ended.
  var progress: UInt64
  /// Those that have not.
  var callsInProgress: UInt32
  /// Whether it ends its calls.
  var isDraining: Bool
  /// How far its store has come; nil when it has not said.
  var store: StoreRecords.Standing?

  /// Reads a report.
  init(_ response: WatchResponse) {
    self.init(response.state ?? CheckResponse())
    report.progress = response.beats
  }

  /// Reads an answer to a question.
  init(_ state: CheckResponse) {
    report = HealthReport(
      progress: 0, degradation: state.status == .degraded ? state.reason : "")
    progress = state.progress
    callsInProgress = state.callsInProgress
    isDraining = state.status == .draining
    store = state.store.map { StoreRecords.Standing(log: $0.log, commits: $0.commits) }
  }
}
