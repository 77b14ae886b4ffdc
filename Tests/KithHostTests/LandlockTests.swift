import Glibc
import Testing

@testable import KithHost

/// What Landlock keeps by itself, without the private root: each rule by what became of the files,
/// never by what a program said that it did.
@Suite(.enabled(if: Confinement.landlockVersion >= 3, "this kernel's Landlock is older than 3"))
struct LandlockTests {
  /// One attempt on the folder that the program is given, in Perl: each fails or works by one
  /// system call.
  enum Attempt: String, CaseIterable, Sendable {
    case overwrite = "sysopen(F, 'file', O_WRONLY) and syswrite(F, 'mine')"
    case truncate = "truncate('file', 0)"
    case openTruncated = "sysopen(F, 'file', O_RDONLY | O_TRUNC)"
    case removeFile = "unlink('file')"
    case removeFolder = "rmdir('folder')"
    case makeFile = "sysopen(F, 'new', O_CREAT | O_WRONLY)"
    case makeFolder = "mkdir('new')"
    case makeLink = "symlink('file', 'new')"
    case makeName = "link('file', 'new')"
    case makePipe = "POSIX::mkfifo('new', 0600)"
    case makeSocket =
      "socket(S, AF_UNIX, SOCK_STREAM, 0) and bind(S, pack_sockaddr_un('new'))"
    case rename = "rename('file', 'new')"
  }

  /// A folder with something of each kind in it.
  private struct Target {
    let folder: TemporaryFolder
    var path: String { "\(folder.path)/target" }

    init() throws {
      folder = try TemporaryFolder()
      mkdir(path, 0o700)
      mkdir("\(path)/folder", 0o700)
      try DurableFile.replace("\(path)/file", with: Array("as it was".utf8))
    }

    /// Names with what they are and what is in them.
    func content() -> [String] {
      TemporaryFolder.names(path).map { name in
        var status = stat()
        lstat("\(path)/\(name)", &status)
        let kind = String(status.st_mode & S_IFMT, radix: 8)
        guard status.st_mode & S_IFMT == S_IFREG else { return "\(name) \(kind)" }
        let bytes = (try? DurableFile.read("\(path)/\(name)")) ?? nil
        return "\(name) \(kind) \(bytes.map { String(decoding: $0, as: UTF8.self) } ?? "-")"
      }
    }
  }

  /// Runs an attempt confined in the folder; afterwards the program has said in a folder of its own
  /// that it came to its end, and what it could read of the file.
  private func run(
    _ attempt: String, in target: Target, _ grant: WritableKeyPath<Confinement, [String]>?
  ) throws -> String {
    let own = try TemporaryFolder()
    var confinement = Confinement()
    confinement.confinesFiles = true
    confinement.readable = ["/bin", "/etc", "/lib", "/lib64", "/usr"]
    confinement.writable = [own.path]
    confinement.devices = ["/dev/null"]
    if let grant { confinement[keyPath: grant].append(target.path) }
    let script = """
      chdir($ARGV[0]);
      \(attempt);
      my $seen = sysopen(R, 'file', O_RDONLY) ? do { sysread(R, my $text, 99); $text } : "$!";
      sysopen(OUT, "$ARGV[1]/seen", O_CREAT | O_WRONLY) or die;
      syswrite(OUT, $seen);
      """
    let null = try Descriptor.open("/dev/null", O_RDWR)
    let child = try WorkerProcess.spawn(
      WorkerProcess.Launch(
        executable: "/usr/bin/perl",
        arguments: ["-MPOSIX", "-MFcntl", "-MSocket", "-e", script, target.path, own.path],
        environment: ["PATH=/usr/bin:/bin"], workingDirectory: "/",
        descriptors: [null, null, null], confinement: confinement))
    child.reapWhenEnded()
    return String(
      decoding: try #require(try DurableFile.read("\(own.path)/seen")), as: UTF8.self)
  }

  @Test(arguments: Attempt.allCases)
  func aWritableFolderTakesAnyChange(_ attempt: Attempt) throws {
    let target = try Target()
    let before = target.content()
    _ = try run(attempt.rawValue, in: target, \.writable)
    #expect(target.content() != before)
  }

  @Test(arguments: Attempt.allCases)
  func aReadableFolderIsNeverChanged(_ attempt: Attempt) throws {
    let target = try Target()
    let before = target.content()
    #expect(try run(attempt.rawValue, in: target, \.readable) == "as it was")
    #expect(target.content() == before)
  }

  @Test(arguments: Attempt.allCases)
  func aFolderWithoutAGrantIsNeitherChangedNorRead(_ attempt: Attempt) throws {
    let target = try Target()
    let before = target.content()
    #expect(try run(attempt.rawValue, in: target, nil) == "Permission denied")
    #expect(target.content() == before)
  }

  @Test(arguments: Attempt.allCases)
  func aFolderOfSocketsTakesSocketsAlone(_ attempt: Attempt) throws {
    let target = try Target()
    let before = target.content()
    let seen = try run(attempt.rawValue, in: target, \.socketFolders)
    #expect(seen != "as it was")
    switch attempt {
    case .makeSocket: #expect(target.content() == before + ["new 140000"])
    // Removing goes with the sockets: the kernel has no right to remove those alone.
    case .removeFile: #expect(target.content() == before.filter { !$0.hasPrefix("file") })
    default: #expect(target.content() == before)
    }
  }

  @Test func aDeviceIsWrittenWhereTheSameFileElsewhereIsNot() throws {
    let target = try Target()
    // A file stands in for the device: the rule is of rights and not of kinds.
    let attempt = "sysopen(F, 'file', O_WRONLY) and syswrite(F, 'mine')"
    let file = "\(target.path)/file"
    var confinement = Confinement()
    confinement.confinesFiles = true
    confinement.readable = ["/bin", "/etc", "/lib", "/lib64", "/usr"]
    confinement.devices = ["/dev/null", file]
    let null = try Descriptor.open("/dev/null", O_RDWR)
    let child = try WorkerProcess.spawn(
      WorkerProcess.Launch(
        executable: "/usr/bin/perl",
        arguments: ["-MFcntl", "-e", "chdir($ARGV[0]); \(attempt); unlink('file')", target.path],
        environment: [], workingDirectory: "/", descriptors: [null, null, null],
        confinement: confinement))
    child.reapWhenEnded()
    #expect(target.content().first == "file 100000 minet was")
  }

  // MARK: Beyond files

  /// What a script in Perl answers that is confined to itself; `$ARGV[0]` is the pid of this
  /// process.
  private func answer(
    _ script: String, keepsToItself: Bool = true, _ change: (inout Confinement) -> Void = { _ in }
  ) throws -> String {
    let own = try TemporaryFolder()
    var confinement = Confinement()
    change(&confinement)
    confinement.confinesFiles = true
    confinement.keepsToItself = keepsToItself
    confinement.readable = ["/bin", "/etc", "/lib", "/lib64", "/usr"]
    confinement.devices = ["/dev/null"]
    confinement.writable = [own.path]
    let null = try Descriptor.open("/dev/null", O_RDWR)
    let output = try Descriptor.open("\(own.path)/output", O_WRONLY | O_CREAT)
    let child = try WorkerProcess.spawn(
      WorkerProcess.Launch(
        executable: "/usr/bin/perl", arguments: ["-MSocket", "-e", script, "\(getpid())"],
        environment: [], workingDirectory: "/", descriptors: [null, output, null],
        confinement: confinement))
    child.reapWhenEnded()
    return String(
      decoding: try #require(try DurableFile.read("\(own.path)/output")), as: UTF8.self)
  }

  @Test(.enabled(if: Confinement.landlockVersion >= 6, "this kernel's Landlock has no scopes"))
  func signalsReachWhatItStartedAndNothingElse() throws {
    let script = "print kill(0, $ARGV[0]) ? 'sent' : $!"
    #expect(try answer(script, keepsToItself: false) == "sent")
    #expect(try answer(script) == "Operation not permitted")
    let own = """
      my $child = fork; if (!$child) { sleep 600; exit }
      print kill(9, $child) ? 'sent' : $!; waitpid($child, 0); print ' ', $? & 127
      """
    #expect(try answer(own) == "sent 9")
  }

  @Test(.enabled(if: Confinement.landlockVersion >= 6, "this kernel's Landlock has no scopes"))
  func socketsWithoutAPathOutsideAreOutOfReach() throws {
    let name = "kith-landlock-\(getpid())"
    let socket = try #require(abstractListener(name))
    let script = """
      socket(my $s, AF_UNIX, SOCK_STREAM, 0);
      print connect($s, pack_sockaddr_un("\\0\(name)")) ? 'connected' : $!
      """
    #expect(try answer(script, keepsToItself: false) == "connected")
    #expect(try answer(script) == "Operation not permitted")
    let own = """
      socket(my $l, AF_UNIX, SOCK_STREAM, 0); bind($l, pack_sockaddr_un("\\0\(name)-own")); listen($l, 1);
      socket(my $s, AF_UNIX, SOCK_STREAM, 0);
      print connect($s, pack_sockaddr_un("\\0\(name)-own")) ? 'connected' : $!
      """
    #expect(try answer(own) == "connected")
    withExtendedLifetime(socket) {}
  }

  @Test(
    .enabled(if: Confinement.landlockVersion >= 5, "this kernel's Landlock leaves devices alone"))
  func aDeviceTakesNoOrdersOfItsKind() throws {
    let script = "open(my $f, '+<', '/dev/null') or die; ioctl($f, 0x5401, my $b = ''); print $!"
    #expect(try answer(script) == "Permission denied")
  }

  @Test(.enabled(if: Confinement.landlockVersion >= 4, "this kernel's Landlock has no ports"))
  func aPortOfAnotherMachineIsReachedOnlyIfItIsGranted() throws {
    let (listener, port) = try #require(tcpListener())
    let script = """
      socket(my $s, AF_INET, SOCK_STREAM, 0);
      print connect($s, pack_sockaddr_in(\(port), INADDR_LOOPBACK)) ? 'connected' : $!
      """
    #expect(try answer(script) == "connected")
    #expect(try answer(script) { $0.outboundPorts = [port] } == "connected")
    #expect(try answer(script) { $0.outboundPorts = [port ^ 1] } == "Permission denied")
    #expect(try answer(script) { $0.outboundPorts = [] } == "Permission denied")
    // One to listen at is none to connect to.
    #expect(
      try answer(script) {
        $0.listeningPorts = [port]
        $0.outboundPorts = []
      } == "Permission denied")
    withExtendedLifetime(listener) {}
  }

  @Test(.enabled(if: Confinement.landlockVersion >= 4, "this kernel's Landlock has no ports"))
  func aPortIsListenedAtOnlyIfItIsGranted() throws {
    // One that is free a moment later.
    let port = try #require(tcpListener()).port
    let script = """
      socket(my $l, AF_INET, SOCK_STREAM, 0); setsockopt($l, SOL_SOCKET, SO_REUSEADDR, 1);
      print bind($l, pack_sockaddr_in(\(port), INADDR_LOOPBACK)) ? 'bound' : $!
      """
    #expect(try answer(script) == "bound")
    #expect(try answer(script) { $0.listeningPorts = [port] } == "bound")
    #expect(try answer(script) { $0.listeningPorts = [port ^ 1] } == "Permission denied")
    #expect(
      try answer(script) {
        $0.listeningPorts = []
        $0.outboundPorts = [port]
      } == "Permission denied")
  }

  /// A listener at any free port of this machine.
  private func tcpListener() -> (Descriptor, port: UInt16)? {
    let descriptor = Descriptor(taking: socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(descriptor.number, address, size) | listen(descriptor.number, 4)
          | getsockname(descriptor.number, address, &size)
      }
    }
    return result == 0 ? (descriptor, UInt16(bigEndian: address.sin_port)) : nil
  }

  private func abstractListener(_ name: String) -> Descriptor? {
    let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.dropFirst().copyBytes(from: name.utf8) }
    let size = socklen_t(2 + 1 + name.utf8.count)
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(number, $0, size) }
    }
    let descriptor = Descriptor(taking: number)
    return result == 0 && listen(number, 4) == 0 ? descriptor : nil
  }
}
