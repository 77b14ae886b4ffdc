import HostContract
import KithRPC
import KithSupervision

/// What goes into the logs of workers.
extension Host {
  /// From which level on a worker logs unless told otherwise.
  private static let standardLogLevel = LogRecord.Level.info

  /// Checks that there is a log of this name.
  func checkLogName(_ name: String) throws(RPCError) {
    if name != LogKeeper.hostName { _ = try plannedWorker(name, field: "names") }
  }

  /// From which level on a worker logs.
  func logLevel(of name: String) throws(RPCError) -> LogRecord.Level {
    _ = try plannedWorker(name, field: "name")
    return desired.state.logLevels[name] ?? Self.standardLogLevel
  }

  /// Sets from which level on a worker logs, now and in the processes to come.
  func setLogLevel(_ level: LogRecord.Level, of name: String) async throws(RPCError) {
    _ = try plannedWorker(name, field: "name")
    changeDesired { $0.logLevels[name] = level }
    log("\(name): logs from level \(level.rawValue) on")
    // All its processes: two serve while one takes over from the other.
    for process in workers[name].running {
      try await process.link?.setLogLevel(level.rawValue)
    }
  }

  /// Tells a process that has become ready what was asked for while it started, which its launch
  /// record may not have had.
  func repeatLogLevel(to incarnation: Incarnation) {
    guard let level = desired.state.logLevels[incarnation.worker],
      let link = workers[incarnation]?.link
    else { return }
    tasks.add { try? await link.setLogLevel(level.rawValue) }
  }

  /// The logs that cannot be written or have lost lines.
  var logTroubles: [LogTrouble] {
    logs.troubles.map {
      LogTrouble(
        name: $0.log, reason: $0.reason, linesWaiting: $0.linesWaiting, linesLost: $0.linesLost,
        linesDropped: $0.dropped.lines, bytesDropped: $0.dropped.bytes)
    }
  }
}
