import Glibc
import KithAccess
import KithRPC
import KithStore
import KithTime
import KithWorker
import KithWorkerStore
import TestingContract

/// The list of the testing contract: a file in the worker's state folder, one entry a line, and an event for each.
///
/// The file is what the soak counts, so nothing here keeps an entry from standing there twice: that is the record of
/// answers' work.
struct Ledger: OnceHandler {
  /// The name of the file in the worker's state folder.
  static let fileName = "entries"

  private let path: String
  private let generation: UInt64
  private let store: Store
  private let clock: WorkerClock

  /// The service of a worker that has a state folder, which answers repeats from a record in it; nil without one.
  static func service(_ context: WorkerContext) async throws -> ServiceDefinition? {
    guard let folder = context.stateDirectory else { return nil }
    let store = try await context.openStore(migrations: [])
    let answers = StoredAnswers(in: store, now: { Int64(time(nil)) })
    if try context.configuration.string("at_start") == "tell" {
      context.clock.run(
        HourlyTick(from: context.clock.now, logger: context.logger) { now in
          _ = try await store.write { transaction in
            try transaction.append(
              AppendRequest(entry: "\(now)"), about: nil, at: Int64(now.milliseconds))
          }
        })
    }
    let ledger = Ledger(
      path: "\(folder)/\(fileName)", generation: context.generation, store: store,
      clock: context.clock)
    return .once(ledger).answeringRepeats(from: answers)
  }

  func append(_ request: AppendRequest, context: CallContext) async throws -> AppendResponse {
    guard !request.entry.isEmpty, !request.entry.utf8.contains(UInt8(ascii: "\n")) else {
      throw RPCError(.invalidArgument, "an entry is one line that is not empty")
    }
    // First, since it throws when the call's time is over: such a call has changed nothing, and may be made again.
    let now = Int64(clock.now.milliseconds)
    try await store.write { transaction in
      try transaction.append(request, about: UserID("ada"), at: now)
    }
    let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw RPCError(.internal, "the list cannot be opened") }
    defer { close(file) }
    // One write, so that entries of two generations never mix and a killed worker leaves whole lines.
    let line = Array("\(request.entry)\n".utf8)
    guard write(file, line, line.count) == line.count else {
      throw RPCError(.internal, "the list cannot be written")
    }
    return AppendResponse(entry: request.entry, generation: generation)
  }
}
