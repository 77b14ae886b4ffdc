import ArgumentParser
import Glibc
import KithTerminal

/// `kith complete -- WORDS`: what the completion scripts ask.
struct CompleteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "complete",
    abstract: "Answers a shell: a line for each word that may stand in place of the last of WORDS.",
    shouldDisplay: false)

  @Argument(parsing: .postTerminator, help: "The words behind kith, up to the one to complete.")
  var words: [String] = []

  /// How long a person is kept waiting whatever happens.
  private static let limit = Duration.seconds(2)

  func run() async throws {
    // Whatever hangs, a shell must get its prompt back.
    let end = Task {
      try await Task.sleep(for: Self.limit)
      _exit(ExitStatus.ok.number)
    }
    defer { end.cancel() }
    guard let kith = CommandShape.kith() else { return }
    let source = SystemCompletionSource(environment: Surroundings.current.environment)
    let candidates = await Completion(kith: kith, source: source).candidates(words)
    try Output.lines(candidates.map(\.line))
  }
}
