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
  /// Whether a tool is there; `tools/test` installs them and makes it an error when one is not.
  private func isThere(_ tool: String) async throws -> Bool {
    if try await Program("sh", ["-c", "command -v \"$0\"", tool]).run().exitCode == 0 {
      return true
    }
    if getenv("KITH_REQUIRE_INTEROP") != nil {
      Issue.record("\(tool) is not there; tools/setup --tests installs it")
    } else {
      print("skipped: \(tool) is not there; tools/setup --tests installs it")
    }
    return false
  }

  @Test func nngcatCallsAWorker() async throws {
    guard try await isThere("nngcat") else { return }
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
    guard try await isThere(python) else { return }
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
      #expect(outcome.output.contains("engine_version"), "\(outcome.output)")
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
