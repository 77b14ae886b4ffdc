/// Unary calls with the same message and the same handler over each stack, server and client in two
/// processes.
struct CallBenchmark {
  var options: Options

  private let inFlights = [1, 8, 64, 256]

  func run() async throws {
    let servers = try await CallServers(grpcCpp: options.grpcCpp)
    defer { servers.end() }
    print("Unary calls, one pipe, medians of \(options.rounds) rounds of \(options.seconds) s\n")
    var results = CallResults()
    for inFlight in inFlights {
      let stacks = servers.stacks.filter { inFlight == 1 || $0.isConcurrent }
      // Round by round, so that a slow minute of the machine meets all of them, and each round
      // begins with another, so that none is always measured behind the same one.
      for round in 0..<options.rounds {
        let first = round % stacks.count
        for stack in stacks[first...] + stacks[..<first] {
          let sample = try await stack.run(inFlight, options.duration)
          results.add(sample, of: stack.title, inFlight: inFlight)
        }
      }
      print(results.table(inFlight: inFlight, titles: stacks.map(\.title)).text + "\n")
    }
    print(CallFloors(results: results).table.text + "\n")
    if options.grpcCpp == nil {
      print("gRPC C++ was left out: tools/bench says what it needs.\n")
    }
  }
}
