import ArgumentParser
import GRPCPeer

@main
struct KithBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "kith-bench",
    abstract: "Measures Kith beside its peers, in one run on one machine.",
    subcommands: [
      All.self, Calls.self, Product.self, ServeKith.self, ServeGRPC.self, ServeEcho.self,
    ],
    defaultSubcommand: All.self)

  struct All: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Measures everything.")
    @OptionGroup var options: Options

    func run() async throws {
      try await CallBenchmark(options: options).run()
      try await ProductBenchmark(options: options).run()
    }
  }

  struct Calls: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Unary calls: Kith, grpc-swift-2 and a raw socket pair.")
    @OptionGroup var options: Options

    func run() async throws { try await CallBenchmark(options: options).run() }
  }

  struct Product: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Start, recovery from kill -9, memory and sizes of a product.")
    @OptionGroup var options: Options

    func run() async throws { try await ProductBenchmark(options: options).run() }
  }

  // The other ends of `calls`: each runs in a process of its own.

  struct ServeKith: AsyncParsableCommand {
    static let configuration = CommandConfiguration(shouldDisplay: false)
    @Argument var address: String

    func run() async throws { try await KithPeer.serve(address: address) }
  }

  struct ServeGRPC: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "serve-grpc", shouldDisplay: false)
    @Argument var socketPath: String

    func run() async throws {
      try await GRPCPeer.serve(socketPath: socketPath) { SharedHandler.reasonCount(for: $0) }
    }
  }

  struct ServeEcho: ParsableCommand {
    static let configuration = CommandConfiguration(shouldDisplay: false)

    func run() { SocketpairPeer.echo() }
  }
}
