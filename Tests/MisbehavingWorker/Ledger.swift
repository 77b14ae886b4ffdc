import Glibc
import KithAccess
import KithRPC
import KithStore
import KithTime
import KithWorker
import KithWorkerStore
import TestingContract

/// The list of the testing contract: a table, a file in the worker's state folder with one entry a
/// line, and an event for each.
///
/// The file is what the soak counts, so nothing here keeps an entry from standing there twice: that
/// is the work of the store, which keeps the answers.
struct Ledger: OnceHandler {
  private static let migration = Store.Migration(
    "1 entries", creating: [Store.Table("entry", [.number("number"), .text("entry")])])

  private let list: LedgerFile
  private let generation: UInt64
  private let store: Store
  private let clock: WorkerClock

  /// The service of a worker that has a state folder, which keeps its answers in it; nil without
  /// one.
  static func service(_ context: WorkerContext) async throws -> ServiceDefinition? {
    guard let folder = context.stateDirectory else { return nil }
    let store = try await context.openStore(migrations: [migration])
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
      list: LedgerFile(folder: folder), generation: context.generation, store: store,
      clock: context.clock)
    try await ledger.writeList()
    return .once(ledger).keepingAnswers(in: store)
  }

  func append(_ request: AppendRequest, context: CallContext) async throws -> AppendResponse {
    guard !request.entry.isEmpty, !request.entry.utf8.contains(UInt8(ascii: "\n")) else {
      throw RPCError(.invalidArgument, "an entry is one line that is not empty")
    }
    let now = Int64(clock.now.milliseconds)
    let answer = AppendResponse(entry: request.entry, generation: generation)
    let kept = try await store.write(for: context, request, now: time(nil)) { transaction in
      try transaction.execute("INSERT INTO entry (entry) VALUES (\(request.entry))")
      try transaction.append(request, about: UserID("ada"), at: now)
      return answer
    }
    try await writeList()
    return kept
  }

  /// Adds the entries to the file that it does not have yet: this call's, and those of a worker
  /// that was killed before.
  private func writeList() async throws {
    try await store.read { [list] transaction in
      try list.add { lines in
        try transaction.rows("SELECT entry FROM entry WHERE number > \(lines) ORDER BY number")
          .values(of: "entry")
      }
    }
  }
}
