import ArgumentParser
import Glibc
import KithManifest
import Testing

@testable import KithCommands
@testable import KithTerminal

/// Which product a command means that works on files, and that no host works on them meanwhile.
@Suite struct KeptProductTests {
  /// A root that belongs to Milo and keeps a store, removed at the end.
  private final class Root {
    let path: String

    init() throws {
      var template = Array("/tmp/kith-kept-XXXXXX".utf8CString)
      path = try #require(mkdtemp(&template).map { String(cString: $0) })
      for folder in ["workers", "workers/a"] { mkdir("\(path)/\(folder)", 0o700) }
      for (file, text) in [
        ("product", "milo\n"), ("workers/a/store.sqlite", ""), ("host.lock", ""),
      ] {
        let descriptor = open("\(path)/\(file)", O_WRONLY | O_CREAT, 0o600)
        write(descriptor, text, text.utf8.count)
        close(descriptor)
      }
    }

    deinit {
      for file in ["product", "workers/a/store.sqlite", "host.lock"] { unlink("\(path)/\(file)") }
      for folder in ["workers/a", "workers", ""] { rmdir("\(path)/\(folder)") }
    }
  }

  private func find(
    _ arguments: [String], named: String? = nil, environment: [String: String] = [:]
  ) throws -> KeptProduct {
    try KeptProduct.find(
      try ProductOptions.parse(arguments), named: named,
      Surroundings(environment: environment, terminal: Terminal()))
  }

  @Test func aFolderTellsItselfWhoseItIsWhateverTheEnvironmentSays() throws {
    let root = try Root()
    let found = try find(["--root", root.path], environment: ["KITH_PRODUCT": "other"])
    #expect(found.places.product == "milo")
    #expect(try find(["--root", root.path, "--product", "milo"]).workers([]) == ["a"])
  }

  @Test func theFolderOfAnotherProductIsRefused() throws {
    let root = try Root()
    let error = #expect(throws: CommandFailure.self) {
      try find(["--root", root.path, "--product", "other"])
    }
    #expect(error?.status == .badInput)
    #expect(error?.message.contains("holds the product milo, and not other") == true)
    #expect(throws: CommandFailure.self) { try find(["--root", root.path], named: "other") }
  }

  @Test func nothingIsDoneWhileAHostHasTheProductsPlace() throws {
    let root = try Root()
    let kept = try find(["--root", root.path])
    let host = open(kept.places.lockFile, O_RDWR | O_CLOEXEC)
    #expect(flock(host, LOCK_EX | LOCK_NB) == 0)
    var isDone = false
    let error = #expect(throws: CommandFailure.self) { try kept.withoutHost { isDone = true } }
    #expect(error?.status == .tryAgain && !isDone)
    close(host)
    try kept.withoutHost { isDone = true }
    #expect(isDone)
    // The place is given back.
    try kept.withoutHost {}
  }
}
