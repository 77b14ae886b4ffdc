import Glibc
import KithTesting
import Testing

@testable import KithHost

@Suite struct LeftRootLockTests {
  private let folder: TemporaryFolder
  private var path: String { "\(folder.path)/host.lock" }

  init() throws { folder = try TemporaryFolder() }

  /// Holds the lock as a host of that pid does.
  private func hold(as pid: Int32) throws -> Int32 {
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    try #require(file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0)
    let line = Array("\(pid)\n".utf8)
    try #require(pwrite(file, line, line.count, 0) == line.count)
    return file
  }

  @Test func oneThatAHostHoldsIsRefusedAtOnce() throws {
    let file = try hold(as: getpid())
    defer { close(file) }
    let error = #expect(throws: RootLock.Failure.self) { try RootLock(path: path) }
    #expect(error == .held(byPid: getpid()))
  }

  /// A host was killed while it started a worker, which holds the lock until it has become its
  /// program.
  @Test func oneThatAHostHasLeftBehindIsWaitedFor() async throws {
    let host = try Program("true", []).start()
    _ = await host.exitCode()
    let file = try hold(as: host.pid)
    // On another thread: to take the lock blocks this one.
    let release = Task.detached {
      try? await Task.sleep(for: .milliseconds(100))
      close(file)
    }
    let lock = try RootLock(path: path)
    await release.value
    #expect(lock.check() == .held)
    #expect(RootLock.holder(path: path) == getpid())
  }
}
