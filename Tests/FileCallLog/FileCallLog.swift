import FileCalls
import Glibc
import Synchronization

/// What is done to the files below a folder while it listens, by whatever thread: `fsync a`,
/// `rename a b`, `unlink a`, with paths below the folder. A wait for the disk that is dropped, or
/// comes too late, is missed here; no crash would show it.
public final class FileCallLog: Sendable {
  private let listener: Int32
  /// What is called before each step, by the listener's number.
  private static let steps = Mutex<[Int32: @Sendable () -> Void]>([:])

  /// Listens from now on.
  /// - Parameters:
  ///   - failing: which wait for the disk fails, from 1; none when 0.
  ///   - step: called before each call and each write, while the files are as a process leaves them
  ///     that is killed there.
  public init(_ folder: String, failing: Int = 0, step: (@Sendable () -> Void)? = nil) {
    listener = file_calls_begin(folder)
    precondition(listener >= 0, "too many listen at once")
    file_calls_fail(listener, Int32(failing))
    guard let step else { return }
    Self.steps.withLock { $0[listener] = step }
    file_calls_before_each(listener) { listener in
      FileCallLog.steps.withLock { $0[listener] }?()
    }
  }

  /// Ends it; answers what was done, in order. To be called once.
  public func end() -> [String] {
    let text = file_calls_end(listener)
    Self.steps.withLock { $0[listener] = nil }
    defer { free(text) }
    return text.map { String(cString: $0).split(separator: "\n").map(String.init) } ?? []
  }

  /// What `body` does below a folder.
  public static func of(_ folder: String, _ body: () throws -> Void) throws -> [String] {
    let log = FileCallLog(folder)
    let result = Result { try body() }
    let calls = log.end()
    try result.get()
    return calls
  }

  /// A wait for the disk that failed, and whether whoever waited threw then.
  public struct Failure: Hashable, Sendable {
    /// What was waited for, below the folder; `.` for the folder itself.
    public var path: String
    /// Whether it threw.
    public var isThrown: Bool

    /// A failure.
    public init(_ path: String, isThrown: Bool = true) {
      self.path = path
      self.isThrown = isThrown
    }
  }

  /// Has each wait for the disk of `body` fail in turn; answers what came of each.
  /// - Parameters:
  ///   - prepare: sets up the folder before each turn.
  ///   - check: looks at the folder after each turn that threw.
  public static func failingEach(
    _ folder: String, prepare: () throws -> Void = {}, _ body: () throws -> Void,
    check: (_ number: Int) throws -> Void = { _ in }
  ) throws -> [Failure] {
    var failures: [Failure] = []
    while true {
      try prepare()
      let log = FileCallLog(folder, failing: failures.count + 1)
      let result = Result { try body() }
      guard let failed = log.end().first(where: { $0.hasPrefix("failed ") }) else {
        try result.get()
        return failures
      }
      var isThrown = false
      if case .failure = result { isThrown = true }
      failures.append(Failure(String(failed.dropFirst("failed ".count)), isThrown: isThrown))
      if isThrown { try check(failures.count) }
    }
  }
}
