/// How fast a reader reads.
struct Pace: Sendable {
  /// After how many messages it rests; nil for never.
  let every: UInt64?
  /// How long it rests.
  let pause: Duration

  /// Rests, if it is time to.
  func wait(afterMessage number: UInt64) async throws {
    guard let every, number > 0, number % every == 0 else { return }
    try await Task.sleep(for: pause)
  }
}
