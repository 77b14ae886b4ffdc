import FoundationEssentials
import Glibc
import HostContract
import KithManifest
import KithTesting
import Testing

/// Callers that take what they can of a worker or the host, and what is left for the others.
@Suite struct StarvationTests {
  /// The hello of a caller.
  private static let hello: [UInt8] = [0x00, 0x53, 0x50, 0x00, 0x00, 0x30, 0x00, 0x00]

  /// A message as it stands on a unix socket: its header, its call's id, its frame.
  private static func message(_ call: UInt32, _ frame: [UInt8]) -> [UInt8] {
    let id = call | 0x8000_0000
    let length = UInt64(frame.count + 4)
    return [1] + (0..<8).map { UInt8(truncatingIfNeeded: length >> (56 - 8 * $0)) }
      + (0..<4).map { UInt8(truncatingIfNeeded: id >> (24 - 8 * $0)) } + frame
  }

  /// A `CallerFrame` with the start of a call and without its message.
  private static let start: [UInt8] = {
    let method = Array("kith.risk.v1.RiskEngine/Analyze".utf8)
    return [0x0A, UInt8(method.count + 2), 0x0A, UInt8(method.count)] + method
  }()

  private func path(of address: String) -> String { String(address.dropFirst("ipc://".count)) }

  /// How much memory a process has had at most, in bytes.
  private func peakMemory(of pid: Int32) throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
    return try #require(Int(line.filter(\.isNumber))) << 10
  }

  @Test func aCrowdAtTheHostsSocketLeavesOperatorsAWayIn() async throws {
    try await RunningProduct.run(Setups.odd()) { product in
      try await product.settle()
      let socket = path(of: product.places.controlAddress)
      // They say hello, and nothing more: none of them goes of its own accord.
      let crowd = try (0..<1_100).map { _ in try UnixSocket.open(Self.hello, to: socket) }
      defer { for one in crowd { close(one) } }
      // On a busy machine the host may still be letting the crowd in, for longer than the command
      // waits.
      var outcome = try await status(product)
      for _ in 0..<9 where outcome.exitCode != 0 { outcome = try await status(product) }
      #expect(outcome.exitCode == 0, "\(outcome)")
    }
  }

  private func status(_ product: RunningProduct) async throws -> Program.Outcome {
    try await Program.built("kith", ["status", "--root", "\(product.folder.path)/r"]).run()
  }

  @Test func startsWithoutTheirMessageDoNotLockAWorker() async throws {
    try await RunningProduct.run(Setups.odd()) { product in
      let worker = try #require(try await product.settle().workers.first)
      let starts = (1...1_024 as ClosedRange<UInt32>).flatMap { Self.message($0, Self.start) }
      let crowd = try (0..<4).map { _ in
        try UnixSocket.open(Self.hello + starts, to: path(of: worker.address))
      }
      defer { for one in crowd { close(one) } }
      #expect(try await product.tell("generation") == worker.generation)
      #expect(try await product.worker("odd").restarts == 0)
    }
  }

  @Test func requestsThatAreHalfReceivedTakeNoMoreThanTheirBudget() async throws {
    try await RunningProduct.run(Setups.odd(more: "limits: { memory: 128MiB }")) { product in
      let status = try await product.settle()
      let worker = try #require(status.workers.first)
      let hostPID = status.hostPid
      try await product.tell("nothing")
      let before = try (peakMemory(of: worker.pid), peakMemory(of: hostPID))
      let half = Self.hello + Self.message(1, [UInt8](repeating: 0, count: 15 << 20)).dropLast()
      var crowd: [Int32] = []
      defer { for one in crowd { close(one) } }
      for _ in 0..<22 {
        crowd.append(try UnixSocket.open(half, to: path(of: worker.address)))
        crowd.append(try UnixSocket.open(half, to: path(of: product.places.controlAddress)))
      }
      // They are read before those that come behind them are answered.
      #expect(try await product.tell("generation") == worker.generation)
      #expect(try await product.worker("odd").restarts == 0)
      // Without a budget it is 330 MiB for either.
      #expect(try peakMemory(of: worker.pid) - before.0 < 96 << 20)
      #expect(try peakMemory(of: hostPID) - before.1 < 96 << 20)
    }
  }
}
