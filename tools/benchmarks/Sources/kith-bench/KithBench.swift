import ArgumentParser
import BenchmarkKit
import GRPCPeer

@main
struct KithBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "kith-bench",
    abstract: "Measures Kith beside its peers, in one run on one machine.",
    subcommands: [All.self, Calls.self, Streams.self, Allocations.self, Product.self]
      + otherEnds,
    defaultSubcommand: All.self)

  struct All: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Measures everything.")
    @OptionGroup var options: Options
    @OptionGroup var streamOptions: StreamOptions

    func run() async throws {
      try await Machine.printHead()
      try await OtherWork.reported {
        try await CallBenchmark(options: options).run()
      }
      try await OtherWork.reported {
        try await StreamBenchmark(options: options, mebibytes: streamOptions.mebibytes).run()
      }
      try await AllocationBenchmark().run()
      try await ProductBenchmark(options: options).run()
    }
  }

  struct Calls: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Unary calls: Kith, gRPC in Swift and C++, nng, and a raw socket pair.")
    @OptionGroup var options: Options

    func run() async throws {
      try await Machine.printHead()
      try await OtherWork.reported {
        try await CallBenchmark(options: options).run()
      }
    }
  }

  struct Streams: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "One server stream: messages a second, and memory on both sides.")
    @OptionGroup var options: Options
    @OptionGroup var streamOptions: StreamOptions

    func run() async throws {
      try await Machine.printHead()
      try await OtherWork.reported {
        try await StreamBenchmark(options: options, mebibytes: streamOptions.mebibytes).run()
      }
    }
  }

  struct Allocations: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "How often a unary call allocates, on each side.")
    @OptionGroup var options: Options

    func run() async throws {
      try await Machine.printHead()
      try await AllocationBenchmark().run()
    }
  }

  struct Product: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Start, recovery from kill -9, memory and sizes of a product.")
    @OptionGroup var options: Options

    func run() async throws {
      try await Machine.printHead()
      try await ProductBenchmark(options: options).run()
    }
  }

  struct StreamOptions: ParsableArguments {
    @Option(help: "How much goes through one stream while its memory is watched, in MiB.")
    var mebibytes: Int = 1_024
  }
}
