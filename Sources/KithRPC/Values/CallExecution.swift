/// Whether a call that failed may have been carried out all the same.
///
/// A caller who wants to repeat a call must know. The client adds it to every UNAVAILABLE of its
/// own making, and a worker that is shutting down adds it to the calls that it turns away.
public struct CallExecution: Sendable, Hashable {
  private enum Value: Sendable { case unspecified, notStarted, mayHaveRun }
  private var value: Value

  /// Nothing is known.
  public static let unspecified = CallExecution(value: .unspecified)
  /// The worker has not started it: repeating it is safe.
  public static let notStarted = CallExecution(value: .notStarted)
  /// It was sent, and no answer came back: only an idempotent call may be repeated.
  public static let mayHaveRun = CallExecution(value: .mayHaveRun)
}
