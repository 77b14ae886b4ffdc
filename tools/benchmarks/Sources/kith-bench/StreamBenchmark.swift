import BenchmarkKit

/// One server stream: how many messages a second, and how much memory it takes on both sides,
/// client and server in two processes.
struct StreamBenchmark {
  var options: Options
  /// How much goes through one stream for the memory, in MiB.
  var mebibytes: Int

  private static let messageBytes = 1_024

  func run() async throws {
    try await printSpeeds()
    try await printMemory()
  }

  // MARK: - Messages a second

  private func printSpeeds() async throws {
    let folder = try temporaryFolder()
    defer { removeFolder(folder) }
    var speeds: [RPCStack: [Double]] = [:]
    var counts: [RPCStack: Int] = [:]
    var servers: [ChildProcess] = []
    defer { for server in servers { server.end() } }
    for stack in RPCStack.allCases {
      servers.append(try await stack.serve(socketPath: path(of: stack, in: folder)))
      // A first stream, which also warms up, tells how many messages last as long as they should.
      let trial = try read(20_000, of: stack, in: folder)
      counts[stack] = max(1_000, Int(20_000 / trial.seconds * options.seconds))
    }
    for round in 0..<options.rounds {
      let first = round % RPCStack.allCases.count
      for stack in RPCStack.allCases[first...] + RPCStack.allCases[..<first] {
        let count = counts[stack] ?? 1_000
        let reading = try read(count, of: stack, in: folder)
        speeds[stack, default: []].append(Double(count) / reading.seconds)
      }
    }

    print(
      "One server stream of 1 KiB messages, medians of \(options.rounds) rounds of about "
        + "\(options.seconds) s\n")
    var table = Table("stack", "messages/s", "MiB/s", "times grpc-swift-2", "asked", "")
    let peer = speeds[.grpcSwift]?.median ?? .nan
    let floor = Floor.atLeast(5)
    for stack in RPCStack.allCases {
      let speed = speeds[stack]?.median ?? .nan
      let isPeer = stack == .grpcSwift
      let seen = floor.cells(for: speed / peer)
      table.add(
        stack.title, speed.formatted(),
        (speed * Double(Self.messageBytes) / 1_048_576).formatted(decimals: 1),
        isPeer ? "" : seen[0], isPeer ? "" : floor.text, isPeer ? "" : seen[1])
    }
    print(table.text + "\n")
  }

  private func path(of stack: RPCStack, in folder: String) -> String {
    "\(folder)/\(stack.rawValue).sock"
  }

  private func read(_ count: Int, of stack: RPCStack, in folder: String) throws -> StreamReading {
    try StreamReading.inProcessOfItsOwn(
      stack, socketPath: path(of: stack, in: folder), count: count, bytes: Self.messageBytes)
  }

  // MARK: - Memory

  private func printMemory() async throws {
    print("\(Double(mebibytes).formatted()) MiB through one stream, peak resident memory\n")
    var table = Table("stack", "message", "s", "MiB/s", "server MiB", "client MiB", "asked", "")
    let floor = Floor.below(64)
    let sizes: [(RPCStack, [Int])] = [(.kith, [1, 4, 16, 64]), (.grpcSwift, [1, 64])]
    for (stack, kibibytesEach) in sizes {
      for size in kibibytesEach {
        // New processes each time: what one stream has taken must not count for the next.
        let folder = try temporaryFolder()
        defer { removeFolder(folder) }
        let path = path(of: stack, in: folder)
        let server = try await stack.serve(socketPath: path)
        defer { server.end() }
        let reading = try StreamReading.inProcessOfItsOwn(
          stack, socketPath: path, count: mebibytes * 1_024 / size, bytes: size * 1_024)
        let serverPeak = Double(kibibytes("VmHWM", of: server.pid) ?? 0) / 1_024
        let clientPeak = Double(reading.peakKibibytes) / 1_024
        let isKept = floor.isKept(by: max(serverPeak, clientPeak))
        let isKith = stack == .kith
        table.add(
          stack.title, "\(size) KiB", reading.seconds.formatted(decimals: 2),
          (Double(mebibytes) / reading.seconds).formatted(), serverPeak.formatted(decimals: 1),
          clientPeak.formatted(decimals: 1), isKith ? floor.text : "",
          isKith ? (isKept ? "kept" : "MISSED") : "")
      }
    }
    print(table.text + "\n")
  }
}
