/// Waits until something holds that nobody tells of: looks again every few milliseconds.
///
/// ```swift
/// try await waitUntil("the follower has seen the line") { TemporaryFolder.text(of: output)?.contains("ready") == true }
/// ```
/// Where there is an event to wait for, wait for that instead.
/// - Parameters:
///   - what: what is waited for, for the error.
///   - limit: how long it may take, far beyond what it takes on a busy machine.
/// - Throws: ``TestingError`` when the time is over, `CancellationError` when the task is
///   cancelled, and what `condition` throws.
public func waitUntil(
  _ what: String, within limit: Duration = RunningProduct.patience,
  fileID: String = #fileID, line: Int = #line, _ condition: () async throws -> Bool
) async throws {
  let end = ContinuousClock.now + limit
  while try await !condition() {
    guard .now < end else {
      throw TestingError("not within \(limit): \(what)").at(fileID, line)
    }
    try await Task.sleep(for: .milliseconds(2))
  }
}
