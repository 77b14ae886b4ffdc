import Glibc
import KithSupervision

/// A piece of a process's output on its way into the log: cut into lines, read, without personal
/// data, and encoded.
///
/// A value that any thread can work on: this takes most of the time that a line takes, and the
/// thread that has the files must be free for those who read them.
struct ScrubbingTask: Sendable {
  let incarnation: Incarnation
  let stream: LogRecord.Stream
  let bytes: [UInt8]
  /// Whether nothing follows, so that a last line without a newline is taken too.
  let isLast: Bool
  /// When the bytes were read, in milliseconds since 1970.
  let readAt: Int64
  /// The beginning of the first line, from the piece before this one.
  var splitter: LineSplitter
  /// How much of the process's output stands in the log before this.
  var taken: LogRecord.Taken
  /// What the process wrote last to its standard error before this.
  var lastWords: LastWords

  /// What came of it.
  struct Outcome: Sendable {
    var records: [LogRecord.Encoded] = []
    var splitter: LineSplitter
    var taken: LogRecord.Taken
    var lastWords: LastWords
    /// Whether the process said that it was refused memory.
    var saysOutOfMemory = false
    /// How much processor time it took.
    var time = Duration.zero
  }

  /// Does the work, on the thread of the caller.
  func run() -> Outcome {
    let begin = Self.processorTime
    var outcome = Outcome(splitter: splitter, taken: taken, lastWords: lastWords)
    var lines = outcome.splitter.add(bytes)
    if isLast { lines += outcome.splitter.finish() }
    outcome.records.reserveCapacity(lines.count)
    for line in lines {
      outcome.taken[stream] += UInt64(line.bytes)
      var record = LogRecord(
        written: line.text, at: readAt, by: incarnation.worker, generation: incarnation.generation,
        on: stream
      ).withoutPersonalData
      record.taken = outcome.taken
      if stream == .stderr {
        outcome.lastWords.add([record.line])
        // What the Swift runtime says when it ends a process for want of memory.
        if line.text.hasPrefix("Fatal error: failed to allocate ") {
          outcome.saysOutOfMemory = true
        }
      }
      outcome.records.append(LogRecord.Encoded(record))
    }
    outcome.time = Self.processorTime - begin
    return outcome
  }

  /// The processor time of this thread: on a busy machine a worker does not pay for the time of
  /// others.
  private static var processorTime: Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
