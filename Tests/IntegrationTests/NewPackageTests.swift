import GardenNotesContract
import Glibc
import KithRPC
import KithTesting
import KithTime
import Testing

/// What `kith plugin new` writes: under a real host, and as packages of their own in a temporary
/// folder.
@Suite struct NewPackageTests {
  private static let checkout =
    "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")

  /// The worker of `Tests/ExamplePackage`, which is what `--stateful --package` writes.
  @Test(.timeLimit(.minutes(2))) func aNoteIsToldOfOnceWhateverIsKilled() async throws {
    let manifest = try #require(
      TemporaryFolder.text(
        of: "\(Self.checkout)/Tests/ExamplePackage/Plugins/GardenNotes/plugin.yaml"))
    let setup = ProductSetup(
      product: "product: test\ntitle: Test\nposture: personal\nworkers:\n  garden-notes: {}\n",
      plugins: [ProductSetup.Plugin(manifest: manifest)]
    ).starting(at: Instant("2026-03-07T12:00:00Z"))
    try await RunningProduct.run(setup) { product in
      try await product.settle()
      let notes = GardenNotesClient(product.client(of: "garden-notes"))
      let request = KeepNoteRequest(text: "Water the roses", userId: "ana")
      let call = CallOptions(
        timeout: RunningProduct.patience, waitForReady: true, idempotencyKey: .random())
      let note = try await notes.keepNote(request, options: call)
      try await product.suffer(.kill("garden-notes"))
      #expect(try await notes.keepNote(request, options: call) == note)
      try await product.clock.advance(by: .seconds(24 * 3600))
      let told = try await product.event(NoteDue.self, of: "garden-notes")
      #expect(told.message.noteId == note.id && told.user == "ana")
      #expect(told.at == Instant("2026-03-08T12:00:00Z"))
    }
  }

  /// The build is of Kith's libraries once more; it is kept below `.build`, so that only the first
  /// run of a checkout takes minutes.
  @Test(.timeLimit(.minutes(20)), arguments: [true, false])
  func aPackageOfItsOwnIsBuiltAndAnswers(_ isStateful: Bool) async throws {
    let home = try Home()
    let folder = home.folder.path
    let name = isStateful ? "pill-box" : "sun-hat"
    let type = isStateful ? "PillBox" : "SunHat"
    let new = try await home.kith(
      ["plugin", "new", name, "--package", "--kith", Self.checkout, "--directory", folder]
        + (isStateful ? ["--stateful"] : []))
    try #require(new.exitCode == 0, "\(new)")
    #expect(new.output.contains("Generating the code"), "\(new)")

    let bin = "Plugins/\(type)/bin"
    let build = try await Program(
      "/bin/bash",
      [
        "-c",
        """
        cd \(folder)/\(name) &&
        swift package --scratch-path \(Self.checkout)/.build/packages --allow-writing-to-package-directory \\
          generate-contracts --check &&
        swift build --scratch-path \(Self.checkout)/.build/packages --product \(name)-worker &&
        mkdir \(bin) && cp \(Self.checkout)/.build/packages/debug/\(name)-worker \(bin)
        """,
      ]
    ).run()
    try #require(build.exitCode == 0, "\(build)")

    let package = "\(folder)/\(name)"
    let up = try await home.kith(
      "up", "\(package)/Plugins/\(type)/demo.yaml", "--plugins", "\(package)/Plugins")
    try #require(up.exitCode == 0, "\(up)")
    if isStateful {
      let keep = try await home.kith(name, "keep", "Take the pills", "--user-id", "ana")
      #expect(keep.exitCode == 0, "\(keep)")
      let list = try await home.kith(name, "list", "--user-id", "ana", "--json")
      #expect(list.exitCode == 0 && list.output.contains("dueAtMs"), "\(list)")
    } else {
      let greet = try await home.kith(name, "greet", "--name", "Ana", "--part-of-day", "morning")
      #expect(greet.exitCode == 0 && greet.output.contains("Good morning, Ana"), "\(greet)")
    }
    let down = try await home.kith("down")
    #expect(down.exitCode == 0, "\(down)")
  }
}
