import Glibc
import HostContract
import KithRPC
import KithTesting
import KithWire
import RPCContract
import RiskContract
import Testing

/// Programs that know nothing of Kith but `proto/` call a running worker.
@Suite struct InteropTests {
  /// Whether a command succeeds, which shows that a tool is there; `tools/test` installs the tools
  /// and makes it an error when one is not.
  private func isThere(_ command: String..., called name: String) async throws -> Bool {
    let outcome = try? await Program(command[0], Array(command.dropFirst())).run()
    if outcome?.exitCode == 0 { return true }
    let message = "\(name) is not there; tools/setup --tests installs it"
    if getenv("KITH_REQUIRE_INTEROP") != nil {
      Issue.record("\(message)")
    } else {
      print("skipped: \(message)")
    }
    return false
  }

  @Test func nngcatCallsAWorker() async throws {
    guard try await isThere("sh", "-c", "command -v nngcat", called: "nngcat") else { return }
    try await RunningProduct.run(Setups.odd()) { product in
      let worker = try #require(try await product.settle().workers.first)
      let request = CallerFrame(
        start: CallStart(method: "kith.risk.v1.RiskEngine/Analyze"),
        message: try AnalyzeRequest(text: "hello").encoded())
      let file = product.folder.path + "/request"
      try product.folder.write(try request.encoded(), to: "request")
      let outcome = try await Program(
        "timeout",
        [
          "60", "nngcat", "--req", "--dial", worker.address, "--file", file, "--hex",
        ]
      ).run()
      try #require(outcome.exitCode == 0, "\(outcome.errors)")
      let reply = try WorkerFrame(decoding: Self.bytes(hex: outcome.output))
      #expect(reply.status?.code ?? .ok == .ok)
      let response = try AnalyzeResponse(decoding: try #require(reply.message))
      #expect(response.engineVersion == "1")
    }
  }

  @Test func pythonCallsAWorker() async throws {
    let python = getenv("KITH_INTEROP_PYTHON").map { String(cString: $0) } ?? "/usr/bin/python3"
    guard
      try await isThere(
        python, "-c", "import pynng, google.protobuf", called: "Python with pynng and protobuf")
    else { return }
    try await RunningProduct.run(Setups.odd()) { product in
      let worker = try #require(try await product.settle().workers.first)
      let outcome = try await Program(
        python,
        [
          Self.checkout + "/tools/interop/kith_client.py", worker.address,
          "kith.risk.v1.RiskEngine/Analyze", "{\"text\": \"hello\"}",
        ]
      ).run()
      #expect(outcome.exitCode == 0, "\(outcome.errors)")
      #expect(outcome.output.contains("\"1\""), "\(outcome.output)")
      let stream = try await Program(
        python,
        [
          Self.checkout + "/tools/interop/kith_client.py", worker.address,
          "kith.testing.v1.Streams/Count", "{\"count\": 2000, \"padding_bytes\": 1000}",
        ]
      ).run()
      #expect(stream.exitCode == 0, "\(stream.errors)")
      let lines = stream.output.split(separator: "\n")
      #expect(lines.count == 2000 && lines.last?.contains("\"1999\"") == true)
      let failing = try await Program(
        python,
        [
          Self.checkout + "/tools/interop/kith_client.py", worker.address,
          "kith.testing.v1.Streams/Count", "{\"count\": 1, \"end_code\": 5}",
        ]
      ).run()
      #expect(failing.exitCode == 1 && failing.errors.contains("5: as asked"), "\(failing)")
    }
  }

  /// The checkout that these tests were built from.
  private static let checkout = #filePath.split(separator: "/").dropLast(3).reduce("") {
    "\($0)/\($1)"
  }

  /// The bytes that nngcat prints as `\x0a\x00...`.
  private static func bytes(hex text: String) -> [UInt8] {
    text.split(separator: "\\x").compactMap { UInt8($0.prefix(2), radix: 16) }
  }
}
