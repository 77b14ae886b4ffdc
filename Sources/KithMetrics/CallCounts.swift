/// What is counted of calls, of one method or of several together.
public struct CallCounts: Sendable, Hashable {
  /// How many have ended.
  public var calls: UInt64
  /// How many of them ended with a fault of the worker.
  public var errors: UInt64
  /// How many are in progress.
  public var inFlight: UInt64
  /// How long those that have ended took.
  public var latencies: Latencies

  /// Counts; none unless told.
  public init(
    calls: UInt64 = 0, errors: UInt64 = 0, inFlight: UInt64 = 0, latencies: Latencies = Latencies()
  ) {
    self.calls = calls
    self.errors = errors
    self.inFlight = inFlight
    self.latencies = latencies
  }

  /// The share of the calls that ended with a fault of the worker, 0 to 1. Nil without calls.
  public var errorRate: Double? { calls > 0 ? Double(errors) / Double(calls) : nil }

  /// The calls of both.
  public static func + (left: CallCounts, right: CallCounts) -> CallCounts {
    CallCounts(
      calls: left.calls + right.calls, errors: left.errors + right.errors,
      inFlight: left.inFlight + right.inFlight, latencies: left.latencies + right.latencies)
  }

  /// The calls that ended since earlier counts of the same process, and those in progress now.
  public func since(_ earlier: CallCounts) -> CallCounts {
    CallCounts(
      calls: calls > earlier.calls ? calls - earlier.calls : 0,
      errors: errors > earlier.errors ? errors - earlier.errors : 0, inFlight: inFlight,
      latencies: latencies.since(earlier.latencies))
  }
}
