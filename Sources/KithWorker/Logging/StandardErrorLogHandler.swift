import Glibc
import KithRPC
public import Logging

/// Writes each log record as one line of JSON to standard error, where the host collects it, with
/// the call that the task at hand answers.
///
/// What is logged is the author's choice, with one rule: nothing personal, never the content of a
/// request.
public struct StandardErrorLogHandler: LogHandler {
  /// What is added to every line.
  public var metadata: Logger.Metadata = [:]
  /// The lowest level that is written: that of the worker, which the host may change at any time,
  /// unless this logger was given one of its own.
  public var logLevel: Logger.Level {
    get { ownLevel ?? threshold.level }
    set { ownLevel = newValue }
  }
  /// What else is added to every line, asked for anew each time.
  public var metadataProvider: Logger.MetadataProvider?

  private let threshold: LogThreshold
  private var ownLevel: Logger.Level?
  private let write: @Sendable ([UInt8]) -> Void

  /// A handler that writes from this level on.
  public init(level: Logger.Level = .info) {
    self.init(threshold: LogThreshold(level))
  }

  init(
    threshold: LogThreshold, write: @escaping @Sendable ([UInt8]) -> Void = StandardError.write
  ) {
    self.threshold = threshold
    self.write = write
  }

  /// One value of ``metadata``.
  public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  /// Writes a record.
  public func log(event: LogEvent) {
    var all = metadata
    if let provided = metadataProvider?.get() { all.merge(provided) { $1 } }
    if let own = event.metadata { all.merge(own) { $1 } }
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    let milliseconds = Int64(now.tv_sec) * 1_000 + Int64(now.tv_nsec) / 1_000_000
    write(
      LogLine.bytes(
        millisecondsSince1970: milliseconds, level: event.level,
        call: CallContext.current?.logID ?? "",
        message: event.message.description, metadata: all))
  }
}
