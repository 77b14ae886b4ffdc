import ArgumentParser
import Glibc
import KithJSON
import KithManifest
import Synchronization
import UnixSignals
import KithTerminal

/// `kith`: the one command line of all products.
///
/// The first word that is no option is a command of `kith` or else the name of a worker, whose
/// verbs come from the worker itself.
public enum KithCommandLine {
  /// Runs what the arguments of this process say and ends it with the exit code.
  public static func main() async -> Never {
    let code: Int32
    do throws(CommandFailure) {
      code = await run(try RawArguments.current())
    } catch {
      report(error, arguments: CommandLine.arguments)
      code = error.status.number
    }
    exit(code)
  }

  /// Runs these arguments, those behind the program's name, and answers the exit code.
  static func run(_ arguments: [String]) async -> Int32 {
    let ending = Ending()
    let work = Task { await execute(arguments, ending) }
    let interrupts = Task {
      for await signal in await UnixSignalsSequence(trapping: .sigint, .sigterm) {
        // Whoever presses ctrl-C twice does not want to wait for an orderly end.
        if work.isCancelled { _exit(ending.status.number) }
        if signal == .sigterm { ending.status = .terminated }
        work.cancel()
      }
    }
    defer { interrupts.cancel() }
    return await work.value
  }

  /// What the process leaves with when it is told to end.
  private final class Ending: Sendable {
    private let state = Mutex(ExitStatus.interrupted)

    var status: ExitStatus {
      get { state.withLock { $0 } }
      set { state.withLock { $0 = newValue } }
    }
  }

  private static func execute(_ arguments: [String], _ ending: Ending) async -> Int32 {
    let invocation = Invocation(arguments, commands: KithCommand.names)
    do {
      switch invocation {
      case .command(let arguments):
        if let help = CommandHelp(arguments)?.json {
          try Output.line(help.text(pretty: true))
          return ExitStatus.ok.number
        }
        var command = try KithCommand.parseAsRoot(arguments)
        if var command = command as? any AsyncParsableCommand {
          try await command.run()
        } else {
          try command.run()
        }
      case .manifestHelp(let page, let isJSON):
        try Output.lines(
          isJSON ? [page.json.text(pretty: true)] : page.lines(Surroundings.current.terminal))
      case .worker(let leading, let name, let rest):
        try await WorkerCommand(leading: leading, worker: name, arguments: rest).run()
      }
      return ExitStatus.ok.number
    } catch let code as ExitCode where !Task.isCancelled {
      // What was to be said has been said.
      return code.rawValue
    } catch {
      return report(any: error, arguments: arguments, ifCancelled: ending.status)
    }
  }

  // MARK: Errors

  private static func report(
    any error: any Error, arguments: [String], ifCancelled ended: ExitStatus
  ) -> Int32 {
    var failure =
      CommandFailure(known: error) ?? CommandFailure(parsing: error, arguments: arguments)
    if Task.isCancelled {
      failure = CommandFailure(ended, ended == .terminated ? "terminated" : "interrupted")
    } else if KithCommand.exitCode(for: error).isSuccess {
      // Help that was asked for.
      do throws(CommandFailure) {
        let width = Surroundings.current.terminal.width
        try Output.line(
          UsageText.wrapped(KithCommand.fullMessage(for: error, columns: width), width: width))
        return ExitStatus.ok.number
      } catch {
        failure = error
      }
    }
    report(failure, arguments: arguments)
    return failure.status.number
  }

  private static func report(_ failure: CommandFailure, arguments: [String]) {
    guard !arguments.contains("--json") else { return Output.errorLine(failure.json.text()) }
    let root = CommandHint.root(in: arguments)
    for line in ["kith: \(failure.message)"] + failure.notes {
      Output.errorText(CommandHint.located(line, root))
    }
  }
}
