import Glibc
import KithTesting
import Testing

/// The worker in Python, written from PROTOCOL.md, under a real host and from a folder of its own.
@Suite struct PythonWorkerTests {
  private static let checkout =
    "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")

  /// Makes the plugin below a home as its README says, with the libraries that
  /// `tools/setup --tests` installed.
  private func build(in home: Home, python: String) async throws {
    let script = """
      set -e
      cp -r \(Self.checkout)/tools/interop/word-count .
      cd word-count
      protos=$(cd \(Self.checkout)/proto && echo kith/{health,identity,reflection,rpc,worker}/v1/*.proto)
      protoc -I proto -I \(Self.checkout)/proto -I /usr/include --include_imports --include_source_info \\
        --descriptor_set_out=contracts.binpb words/v1/words.proto $protos
      mkdir lib
      cp -r "$(\(python) -c 'import google.protobuf as p, os; print(os.path.dirname(os.path.dirname(p.__file__)))')" lib/google
      """
    let outcome = try await home.bash("cd \(home.folder.path) && \(script)")
    try #require(outcome.exitCode == 0, "\(outcome)")
  }

  @Test(.timeLimit(.minutes(2))) func aWorkerInPythonServes() async throws {
    let python = getenv("KITH_INTEROP_PYTHON").map { String(cString: $0) } ?? "/usr/bin/python3"
    let isThere = try? await Program(python, ["-c", "import google.protobuf"]).run().exitCode == 0
    guard isThere == true else {
      if getenv("KITH_REQUIRE_INTEROP") != nil {
        Issue.record("Python with protobuf is not there; tools/setup --tests installs it")
      } else {
        print("skipped: Python with protobuf is not there; tools/setup --tests installs it")
      }
      return
    }
    let home = try Home()
    try await build(in: home, python: python)
    let folder = home.folder.path

    let up = try await home.kith("up", "\(folder)/word-count/demo.yaml", "--plugins", folder)
    try #require(up.exitCode == 0, "\(up)")
    let count = try await home.kith("word-count", "count", "one two extraordinary", "--json")
    #expect(count.exitCode == 0, "\(count)")
    #expect(
      count.output.contains("\"words\": 3") && count.output.contains("\"longWords\": 1"), "\(count)"
    )
    let refused = try await home.kith("call", "words.v1.WordCount/Count", "{}")
    #expect(refused.exitCode != 0 && refused.errors.contains("expected a text"), "\(refused)")
    // Nobody but the host leads the worker.
    let drain = try await home.kith("call", "kith.worker.v1.Lifecycle/Drain", "{}")
    #expect(drain.exitCode != 0, "\(drain)")

    // The next process serves after a restart, and after a kill.
    let restart = try await home.kith("restart", "word-count")
    #expect(restart.exitCode == 0, "\(restart)")
    let status = try await home.kith("status", "--json")
    let pid = try #require(
      status.output.firstMatch(of: /"pid": (\d+)/).flatMap { Int32($0.1) }, "\(status)")
    #expect(kill(pid, SIGKILL) == 0)
    let again = try await home.kith("word-count", "count", "one two")
    #expect(again.exitCode == 0, "\(again)")

    let down = try await home.kith("down")
    #expect(down.exitCode == 0, "\(down)")
  }
}
