import ArgumentParser
import Glibc
import KithClient

/// A client in a process of its own, which `calls` starts and kills.
struct ClientCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "client", abstract: "Calls as one client; `calls` starts it.",
    shouldDisplay: false)

  @Option(help: "The address of the product's control service.") var control: String
  @Option(help: "Where the calls are noted.") var journal: String
  @Option(help: "What the calls are drawn from.") var seed: UInt64
  @Option(help: "The client's name.") var name: String
  @Option(help: "How many call at once.") var callers: Int
  @Option(help: "For how many milliseconds.") var milliseconds: Int

  func run() async throws {
    let connection = HostConnection(product: "soak", address: control)
    let load = Load(
      client: connection.worker(named: "odd"), journal: try Journal(path: journal), seed: seed,
      name: name)
    await load.run(callers: callers, for: .milliseconds(milliseconds))
    // At once: a call that hangs must not hold the process.
    _exit(0)
  }
}
