import KithRPC

/// What a client does: many callers at once who call and call.
struct Load: Sendable {
  /// How long a call may take beyond what its caller has set, on a machine with much to do.
  static let patience = Duration.seconds(60)

  /// Where the calls go.
  let client: RPCClient
  /// Where they are noted.
  let journal: Journal
  /// What the callers draw from.
  let seed: UInt64
  /// Names this client, so that the entries of no two are the same.
  let name: String

  /// Calls for so long, then waits for the calls that go on. A call that does not end is noted as
  /// lost.
  func run(callers: Int, for time: Duration) async {
    let open = OpenCalls()
    let end = ContinuousClock.now.advanced(by: time)
    // Not a task group: that would wait for a call that never ends.
    let (ends, over) = AsyncStream<Void>.makeStream()
    Task {
      await withDiscardingTaskGroup { group in
        for index in 0..<callers {
          let caller = Caller(
            client: client, journal: journal, open: open, name: "\(name)-\(index)",
            generator: SeededGenerator(seed: seed, stream: UInt64(index + 1)))
          group.addTask { await caller.run(until: end) }
        }
      }
      over.finish()
    }
    let patience = Task {
      try? await Task.sleep(for: time + Self.patience * 2)
      over.finish()
    }
    for await _ in ends {}
    patience.cancel()
    for shape in open.overdue { journal.end(shape, .lost("it never ended")) }
  }
}
