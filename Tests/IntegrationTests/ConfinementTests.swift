import Glibc
import HostContract
import KithTesting
import Testing

/// What a worker's process can reach, and what it can leave behind.
@Suite struct ConfinementTests {
  /// What a script that stands in for a worker says on standard error before it ends.
  private func said(by script: String) async throws -> [String] {
    var lines: [String] = []
    let setup = Setups.script(script, restart: "{ intensity: 0, period: 30s }")
    try await RunningProduct.run(setup) { product in
      lines = try #require(try await product.settle().workers.first?.lastExit).lastLines
    }
    return lines
  }

  @Test func filesOfOthersAreOutOfReach() async throws {
    let folder = try TemporaryFolder()
    try folder.write(Array("a secret".utf8), to: "secret")
    let lines = try await said(
      by: """
        (cat \(folder.path)/secret && echo "read") >&2
        (echo "mine now" > \(folder.path)/secret && echo "wrote") 2>/dev/null >&2
        (rm \(folder.path)/secret && echo "removed") 2>/dev/null >&2
        (echo x > /dev/null && cat /etc/hostname >/dev/null && echo "works") >&2
        exit 3
        """)
    #expect(lines.contains { $0.contains("Permission denied") }, "\(lines)")
    #expect(lines.last == "works", "\(lines)")
    #expect(!lines.contains { ["a secret", "read", "wrote", "removed"].contains($0) }, "\(lines)")
  }

  @Test func theNetworkIsOutOfReach() async throws {
    let lines = try await said(
      by: """
        perl -MSocket -e '
          for ([AF_INET, SOCK_STREAM], [AF_INET, SOCK_DGRAM], [AF_INET6, SOCK_STREAM], [AF_UNIX, SOCK_STREAM]) {
            print STDERR socket(my $s, $_->[0], $_->[1], 0) ? "a socket" : "$!", "\\n";
          }'
        exit 3
        """)
    #expect(
      lines.suffix(4) == [
        "Permission denied", "Permission denied", "Permission denied", "a socket",
      ])
  }

  @Test func noCoreIsLeftAndNoPrivilegesAreGained() async throws {
    let lines = try await said(
      by: "ulimit -c >&2; grep -E '^(NoNewPrivs|Seccomp):' /proc/self/status >&2; exit 3")
    #expect(lines == ["0", "NoNewPrivs:\t1", "Seccomp:\t2"])
  }

  @Test func whatAWorkerStartsEndsWithIt() async throws {
    // A daemon by the book: another process group, another session, its parent gone.
    let lines = try await said(
      by: """
        perl -MPOSIX -e '
          pipe(my $reading, my $writing);
          if (!fork) {
            POSIX::setsid();
            exit if fork;
            POSIX::setsid();
            syswrite(STDERR, "$$\n");
            close($_) for $reading, $writing;
            sleep(1000);
          }
          close($writing);
          <$reading>;
          exit(3)'
        exit $?
        """)
    let pid = try #require(lines.compactMap { Int32($0) }.first, "\(lines)")
    let waiting = try await Program("timeout", ["60", "tail", "--pid=\(pid)", "-f", "/dev/null"])
      .run()
    #expect(waiting.exitCode == 0, "process \(pid) lives on")
  }
}
