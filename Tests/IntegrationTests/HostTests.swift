import Glibc
import HostContract
import KithManifest
import KithRPC
import KithTesting
import Testing

/// The host itself: one at a time, and what it says when it cannot start.
@Suite struct HostTests {
  /// Runs `kithd` where it cannot start, to its end.
  private func refused(
    _ setup: ProductSetup, root: String? = nil
  ) async throws -> Program.Outcome {
    let folder = try TemporaryFolder()
    var arguments = try setup.launchArguments(writingTo: folder)
    if let root, let index = arguments.firstIndex(of: "--root") { arguments[index + 1] = root }
    return try await Program.built("kithd", arguments).run()
  }

  @Test func aSecondHostOfTheSameRootIsRefused() async throws {
    try await RunningProduct.run(Setups.odd()) { product in
      try await product.settle()
      let outcome = try await refused(Setups.odd(), root: product.places.stateDirectory)
      #expect(outcome.exitCode == 75)
      #expect(outcome.errors.contains("pid \(product.program.pid)"), "\(outcome.errors)")
      #expect(outcome.errors.contains("kith down"))
      // The first one goes on.
      #expect(try await product.tell("hello") == 1)
    }
  }

  @Test(arguments: [
    ("product: test\ntitle: Test\nworkerz: {}\n", "unknown key 'workerz'"),
    ("product: test\ntitle: Test\nworkers: { nobody: {} }\n", "no plugin 'nobody'"),
    ("product: test\ntitle: Test\nworkers: { odd: { config: { at_start: [1] } } }\n", "at_start"),
  ])
  func aWrongManifestIsRefusedBeforeAnythingStarts(manifest: String, words: String) async throws {
    var setup = Setups.odd()
    setup.product = manifest
    let outcome = try await refused(setup)
    #expect(outcome.exitCode == 65)
    #expect(outcome.errors.contains("product.yaml:3:"), "\(outcome.errors)")
    #expect(outcome.errors.contains(words), "\(outcome.errors)")
    #expect(outcome.output == "")
  }

  @Test func aRootThatCannotBeWrittenIsSaidSo() async throws {
    let outcome = try await refused(Setups.odd(), root: "/proc/kith")
    #expect(outcome.exitCode == 73)
    #expect(outcome.errors.contains("/proc/kith"))
    #expect(outcome.errors.contains("--root"))
  }

  @Test func aFullDiskIsSaidSo() async throws {
    // The file that the host writes first can be opened, and nothing can be written to it.
    let folder = try TemporaryFolder()
    let root = folder.path + "/r"
    mkdir(root, 0o700)
    try #require(symlink("/dev/full", root + "/generations.json.new") == 0)
    let outcome = try await refused(Setups.odd(), root: root)
    #expect(outcome.exitCode == 73)
    #expect(outcome.errors.contains("No space left on device"), "\(outcome.errors)")
  }

  @Test func aRootWhosePathIsTooLongIsSaidSo() async throws {
    let root = "/tmp/" + String(repeating: "x", count: 100)
    let outcome = try await refused(Setups.odd(), root: root)
    #expect(outcome.exitCode == 65)
    #expect(outcome.errors.contains("107"), "\(outcome.errors)")
  }

  @Test func rubbishOnTheControlSocketHarmsNobody() async throws {
    try await RunningProduct.run(Setups.odd()) { product in
      try await product.settle()
      let hello: [UInt8] = [0x00, 0x53, 0x50, 0x00, 0x00, 0x30, 0x00, 0x00]
      let rubbish: [[UInt8]] = [
        [], Array("GET / HTTP/1.1\r\n\r\n".utf8), [UInt8](repeating: 0xFF, count: 100_000),
        hello, hello + [0x01, 0, 0, 0, 0, 0, 0, 0, 0x20, 0x80],
        // A frame of 4 GiB by its header.
        hello + [0x01, 0, 0, 0, 1, 0, 0, 0, 0, 0x80, 0, 0, 1],
        hello + [0x01, 0, 0, 0, 0, 0, 0, 0, 6, 0x80, 0, 0, 1, 0xFF, 0xFF],
      ]
      for bytes in rubbish { try UnixSocket.send(bytes, to: product.places.controlSocket) }
      #expect(try await product.worker("odd").state == .ready)
      #expect(try await product.tell("hello") == 1)
    }
  }

  @Test func anotherUserIsTurnedAway() async throws {
    // Only root can become somebody else.
    guard geteuid() == 0 else { return }
    try await RunningProduct.run(Setups.odd()) { product in
      try await product.settle()
      // The folders would keep them out already; open them so that the socket has to.
      for path in [
        product.folder.path, product.places.stateDirectory, product.places.runtimeDirectory,
      ] { chmod(path, 0o755) }
      chmod(product.places.controlSocket, 0o777)
      let script = """
        import socket, sys
        s = socket.socket(socket.AF_UNIX)
        s.connect(sys.argv[1])
        data = b''
        try:
            s.sendall(bytes([0, 0x53, 0x50, 0, 0, 0x30, 0, 0]))
            while more := s.recv(100):
                data += more
        except ConnectionError:
            pass
        print(len(data))
        """
      let outcome = try await Program(
        "setpriv",
        [
          "--reuid=65534", "--regid=65534", "--clear-groups", "/usr/bin/python3", "-c", script,
          product.places.controlSocket,
        ]
      ).run()
      // The connection was closed by the host, without a hello or with no more than that.
      #expect(outcome.exitCode == 0, "\(outcome.errors)")
      #expect(["0\n", "8\n"].contains(outcome.output), "\(outcome.output)")
      #expect(try await product.worker("odd").state == .ready)
    }
  }

  @Test func withoutStandardErrorTheHostRunsAllTheSame() async throws {
    let folder = try TemporaryFolder()
    let arguments = try Setups.odd().launchArguments(writingTo: folder)
    let kithd = try Program.built("kithd").path
    let line = ([kithd] + arguments + ["--foreground"]).joined(separator: " ")
    let outcome = try await Program(
      "sh", ["-c", "\(line) 2>&- & pid=$!; kill -TERM $pid; wait $pid"]
    ).run()
    #expect([0, 143].contains(outcome.exitCode))
  }
}
