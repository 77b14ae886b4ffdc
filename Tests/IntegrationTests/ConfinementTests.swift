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
      lines = try #require(try await product.settle(allowsFailures: true).workers.first?.lastExit)
        .lastLines
    }
    return lines
  }

  @Test func filesOfOthersAreOutOfReach() async throws {
    let folder = try TemporaryFolder()
    try folder.write("a secret", to: "secret")
    try folder.write("a secret", to: "other")
    let lines = try await said(
      by: """
        cd \(folder.path) 2>&1
        cat \(folder.path)/secret >&2
        echo "mine now" > \(folder.path)/secret
        true > \(folder.path)/secret
        rm \(folder.path)/other
        mkdir \(folder.path)/folder
        (echo x > /dev/null && cat /etc/hostname >/dev/null && echo "works") >&2
        exit 3
        """)
    // What the files are, and not what the script says of them: a command that fails is silent as
    // one that works.
    #expect(TemporaryFolder.text(of: "\(folder.path)/secret") == "a secret")
    #expect(TemporaryFolder.names(in: folder.path) == ["other", "secret"])
    #expect(lines.last == "works", "\(lines)")
    #expect(!lines.contains { $0.contains("a secret") }, "\(lines)")
  }

  /// A plugin's own folder can be read, so here the rule is that reading is all.
  @Test func aPluginCannotChangeItself() async throws {
    let setup = Setups.script(
      """
      cd "$(dirname "$0")" || exit 4
      echo "\(String(repeating: "#", count: 4))" >> script
      echo "mine" > new
      perl -e 'truncate("script", 0)'
      mv script other
      rm -f script
      echo "read $(wc -l < script)" >&2
      exit 3
      """, restart: "{ intensity: 0, period: 30s }")
    try await RunningProduct.run(setup) { product in
      let exit = try #require(
        try await product.settle(allowsFailures: true).workers.first?.lastExit)
      let folder = "\(product.folder.path)/plugins/p0/bin"
      #expect(TemporaryFolder.names(in: folder) == ["script"])
      #expect(TemporaryFolder.text(of: "\(folder)/script") == setup.plugins[0].scripts[0].text)
      #expect(exit.lastLines.last?.hasPrefix("read ") == true, "\(exit.lastLines)")
    }
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

  @Test func portsThatAreGrantedWorkAndNoOthers() async throws {
    // Two listeners of the test itself: one is granted, the other is not.
    let (granted, other) = (try ListeningPort(), try ListeningPort())
    // A port that nobody listens at, for the worker.
    let own = try ListeningPort().number
    var setup = Setups.script(
      """
      perl -MSocket -e '
        for my $port (\(granted.number), \(other.number)) {
          socket(my $s, AF_INET, SOCK_STREAM, 0) or die;
          print STDERR connect($s, sockaddr_in($port, inet_aton("127.0.0.1"))) ? "connected" : "$!", "\\n";
        }
        for my $port ($ENV{KITH_HTTP_PORT}, \(own) - 1) {
          socket(my $s, AF_INET, SOCK_STREAM, 0) or die;
          setsockopt($s, SOL_SOCKET, SO_REUSEADDR, 1);
          print STDERR bind($s, sockaddr_in($port, INADDR_LOOPBACK)) ? "bound" : "$!", "\\n";
        }
        print STDERR "hosts $ENV{KITH_NETWORK_HOSTS}\\n"'
      exit 3
      """, restart: "{ intensity: 0, period: 30s }")
    setup.plugins[0].manifest +=
      "\nnetwork: { hosts: [localhost, 127.0.0.0/8], ports: [\(granted.number)] }\n"
      + "http: { port: \(own) }\n"
    try await RunningProduct.run(setup) { product in
      let lines = try #require(
        try await product.settle(allowsFailures: true).workers.first?.lastExit
      ).lastLines
      #expect(
        lines.suffix(5) == [
          "connected", "Permission denied", "bound", "Permission denied",
          "hosts localhost,127.0.0.0/8",
        ], "\(lines)")
    }
  }

  /// A grant of the network is one of the internet, and of no other family of sockets that the
  /// kernel has.
  @Test func theNetworkThatIsGrantedIsTheInternetAlone() async throws {
    var setup = Setups.script(
      """
      perl -MSocket -e '
        for ([AF_INET, SOCK_STREAM], [AF_INET6, SOCK_DGRAM], [AF_UNIX, SOCK_STREAM], [17, 3], [40, 1], [AF_INET, SOCK_RAW]) {
          print STDERR socket(my $s, $_->[0], $_->[1], 0) ? "a socket" : "$!", "\\n";
        }'
      grep "^Seccomp:" /proc/self/status >&2
      exit 3
      """, restart: "{ intensity: 0, period: 30s }")
    setup.plugins[0].manifest += "network: outbound\n"
    try await RunningProduct.run(setup) { product in
      let exit = try #require(
        try await product.settle(allowsFailures: true).workers.first?.lastExit)
      #expect(
        exit.lastLines == [
          "a socket", "a socket", "a socket", "Permission denied", "Permission denied",
          "Protocol not supported", "Seccomp:\t2",
        ], "\(exit.lastLines)")
    }
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

/// A TCP port of this machine at which somebody listens for as long as this is there.
private final class ListeningPort {
  let number: UInt16
  private let descriptor: Int32

  init() throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    self.descriptor = descriptor
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let found = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) == 0 && listen(descriptor, 8) == 0
          && getsockname(descriptor, $0, &size) == 0
      }
    }
    number = UInt16(bigEndian: address.sin_port)
    try #require(found)
  }

  deinit { close(descriptor) }
}
