import Glibc
import KithSupervision
import Testing

@testable import KithHost

/// The files that there are for a worker: what is shown where, and, where this machine lets a
/// process have a root of its own, that nothing else is there.
@Suite struct PrivateRootTests {
  /// A machine of these paths and links; the folders above them are there too.
  private func steps(
    reading: [String] = [], writing: [String] = [], devices: [String] = [],
    on machine: [String: PrivateRoot.Kind]
  ) throws -> [PrivateRoot.Step] {
    try PrivateRoot(reading: reading, writing: writing, devices: devices) { path in
      machine[path] ?? (machine.keys.contains { $0.hasPrefix(path + "/") } ? .folder : nil)
    }.steps
  }

  @Test func showsWhatIsGrantedInFoldersThatAreMade() throws {
    #expect(
      try steps(
        reading: ["/usr"], writing: ["/home/ada/state"], devices: ["/dev/null"],
        on: ["/usr": .folder, "/home/ada/state": .folder, "/dev/null": .file])
        == [
          .folder("/dev"), .file("/dev/null"), .show("/dev/null", .device),
          .folder("/home"), .folder("/home/ada"), .folder("/home/ada/state"),
          .show("/home/ada/state", .writing), .folder("/usr"), .show("/usr", .reading),
        ])
  }

  @Test func leavesOutWhatIsNotThere() throws {
    #expect(try steps(reading: ["/gnu", "/usr/none"], on: ["/usr/lib": .folder]).isEmpty)
  }

  @Test func showsAFolderInAFolderOnlyForWhatMayBeDoneWithIt() throws {
    let machine: [String: PrivateRoot.Kind] = [
      "/opt/kith/plugin": .folder, "/opt/kith/state": .folder,
    ]
    #expect(
      try steps(reading: ["/opt/kith/plugin", "/opt"], writing: ["/opt/kith/state"], on: machine)
        == [.folder("/opt"), .show("/opt", .reading), .show("/opt/kith/state", .writing)])
    #expect(
      try steps(reading: ["/opt/kith/plugin"], writing: ["/opt"], on: machine)
        == [.folder("/opt"), .show("/opt", .writing)])
    // One path in both lists may be written.
    #expect(
      try steps(reading: ["/opt"], writing: ["/opt"], on: machine).last == .show("/opt", .writing))
  }

  @Test func aLinkIsThereAndWhatItLeadsToIsShown() throws {
    let machine: [String: PrivateRoot.Kind] = [
      "/bin": .link(to: "usr/bin"), "/usr/bin": .folder, "/home": .link(to: "/var/home"),
      "/var/home/ada/plugin": .folder,
    ]
    #expect(
      try steps(reading: ["/bin", "/usr", "/home/ada/plugin"], on: machine)
        == [
          .folder("/usr"), .show("/usr", .reading), .folder("/var"), .folder("/var/home"),
          .folder("/var/home/ada"), .folder("/var/home/ada/plugin"),
          .show("/var/home/ada/plugin", .reading), .link("/bin", to: "usr/bin"),
          .link("/home", to: "/var/home"),
        ])
  }

  @Test func anAbsoluteLinkLeadsFromTheTopWhereverItStands() throws {
    let machine: [String: PrivateRoot.Kind] = [
      "/opt/kith/plugin": .link(to: "/srv/plugin"), "/srv/plugin": .folder,
      "/opt/kith/srv/plugin": .folder,
    ]
    #expect(
      try steps(reading: ["/opt/kith/plugin"], on: machine)
        == [
          .folder("/srv"), .folder("/srv/plugin"), .show("/srv/plugin", .reading), .folder("/opt"),
          .folder("/opt/kith"), .link("/opt/kith/plugin", to: "/srv/plugin"),
        ])
  }

  @Test func linksUpwardsAndInCirclesEnd() throws {
    let machine: [String: PrivateRoot.Kind] = [
      "/a/b": .link(to: "../c/./d"), "/c/d": .folder, "/x": .link(to: "/y"), "/y": .link(to: "x"),
    ]
    #expect(
      try steps(reading: ["/a/b", "/x"], on: machine)
        == [
          .folder("/c"), .folder("/c/d"), .show("/c/d", .reading), .folder("/a"),
          .link("/a/b", to: "../c/./d"),
        ])
  }

  @Test func allOfTheMachineIsNeverShown() {
    for path in ["/", "//", "/a/.."] {
      #expect(throws: SystemError.self) {
        try steps(reading: [path], on: ["/a": .folder])
      }
    }
  }

  // MARK: On this machine

  private static let way = try? PrivateRoot.way.get()

  /// Runs a script in a private root, without Landlock, so that nothing but the root keeps it from
  /// anything; answers what it wrote to its folder.
  private func said(_ script: String, reading: [String] = []) throws -> String {
    let own = try TemporaryFolder()
    var confinement = Confinement()
    confinement.readable = Confinement.system + reading
    confinement.devices = Confinement.devices
    confinement.writable = [own.path]
    confinement.root = Self.way
    let null = try Descriptor.open("/dev/null", O_RDWR)
    let output = try Descriptor.open("\(own.path)/output", O_WRONLY | O_CREAT)
    let child = try WorkerProcess.spawn(
      WorkerProcess.Launch(
        executable: "/bin/sh", arguments: ["-c", script], environment: ["PATH=/usr/bin:/bin"],
        workingDirectory: own.path, descriptors: [null, output, output], confinement: confinement))
    child.reapWhenEnded()
    return String(
      decoding: try #require(try DurableFile.read("\(own.path)/output")), as: UTF8.self)
  }

  @Test(.enabled(if: way != nil, "this machine lets no process have a root of its own"))
  func nothingElseIsThere() throws {
    let other = try TemporaryFolder()
    try DurableFile.replace("\(other.path)/file", with: Array("text".utf8))
    let text = try said(
      """
      ls -d \(other.path) /tmp/* /home /root /var /run /boot; pwd; echo x > new && cat new
      (echo x > /new; mkdir /folder; rm -r /usr/bin/true; touch -c /etc/passwd /usr/bin/true) && echo wrote
      """)
    let lines = text.split(separator: "\n")
    #expect(lines.contains("x"), "\(text)")
    #expect(!text.contains(other.path + "\n"), "\(text)")
    // Of /tmp there is the way to its own folder alone.
    #expect(lines.count { $0.hasPrefix("/tmp/") } == 2, "\(text)")
    #expect(!lines.contains("wrote"), "\(text)")
  }

  @Test(.enabled(if: way != nil, "this machine lets no process have a root of its own"))
  func whatMayBeReadIsMountedForReading() throws {
    let other = try TemporaryFolder()
    let file = "\(other.path)/file"
    try DurableFile.replace(file, with: Array("text".utf8))
    let text = try said(
      "cat \(file); chmod 777 \(file); touch \(other.path)/new; rm -f \(file); echo more >> \(file)",
      reading: [other.path])
    #expect(text.hasPrefix("text"), "\(text)")
    #expect(other.names() == ["file"])
    #expect(try DurableFile.read(file) == Array("text".utf8))
    var status = stat()
    stat(file, &status)
    #expect(status.st_mode & 0o777 == 0o600)
  }

  @Test(.enabled(if: way != nil, "this machine lets no process have a root of its own"))
  func whatIsMadeLaterInAFolderIsThere() throws {
    let other = try TemporaryFolder()
    let own = try TemporaryFolder()
    var confinement = Confinement()
    confinement.readable = Confinement.system + [other.path]
    confinement.writable = [own.path]
    confinement.devices = Confinement.devices
    confinement.root = Self.way
    let null = try Descriptor.open("/dev/null", O_RDWR)
    let (reading, writing) = try Descriptor.pipe()
    let child = try WorkerProcess.spawn(
      WorkerProcess.Launch(
        executable: "/bin/sh",
        arguments: ["-c", "read line; cat \(other.path)/later > \(own.path)/seen"],
        environment: ["PATH=/usr/bin:/bin"], workingDirectory: "/",
        descriptors: [reading, null, null], confinement: confinement))
    try DurableFile.replace("\(other.path)/later", with: Array("text".utf8))
    try writing.writeAll(Array("go\n".utf8), to: "the script")
    child.reapWhenEnded()
    #expect(try DurableFile.read("\(own.path)/seen") == Array("text".utf8))
  }

  @Test(.enabled(if: way != nil, "this machine lets no process have a root of its own"))
  func theProcessIsWhoItWas() throws {
    let text = try said(
      "id -u; id -g; grep -E '^(Cap|NoNewPrivs)' /proc/self/status; readlink /proc/self/cwd")
    let lines = text.split(separator: "\n").map(String.init)
    #expect(lines.prefix(2) == ["\(geteuid())", "\(getegid())"])
    // Inheritable, permitted, effective, bounding, ambient.
    #expect(
      lines.count { $0.hasPrefix("Cap") && $0.hasSuffix("\t0000000000000000") } == 5, "\(text)")
    #expect(lines.contains("NoNewPrivs:\t1"))
  }

  @Test(.enabled(if: way != nil, "this machine lets no process have a root of its own"))
  func whatTookItsMarkOffIsFoundByItsNamespace() throws {
    let own = try TemporaryFolder()
    var confinement = Confinement()
    confinement.readable = Confinement.system
    confinement.writable = [own.path]
    confinement.devices = Confinement.devices
    confinement.root = Self.way
    // A daemon by the book that forgets its environment, once more than a process group or a
    // session could tell of.
    let script = """
      exit 0 if fork; POSIX::setsid(); exit 0 if fork; %ENV = ();
      open(my $f, '>', "$ARGV[0]/pid"); print $f $$; close $f; rename("$ARGV[0]/pid", "$ARGV[0]/done");
      exec('/bin/sleep', '600')
      """
    let null = try Descriptor.open("/dev/null", O_RDWR)
    let (reading, writing) = try Descriptor.pipe()
    let child = try WorkerProcess.spawn(
      WorkerProcess.Launch(
        executable: "/bin/sh",
        arguments: ["-c", "perl -MPOSIX -e \"$1\" \"$2\"; read line", "sh", script, own.path],
        environment: ["PATH=/usr/bin:/bin", "KITH_INCARNATION=/nowhere/odd#1"],
        workingDirectory: "/", descriptors: [reading, null, null], confinement: confinement))
    let folder = try FolderPoll(own.path)
    let text = try folder.wait(for: "done")
    let pid = try #require(Int32(text))
    try writing.writeAll(Array("end\n".utf8), to: "the script")
    child.reapWhenEnded()
    #expect(kill(pid, 0) == 0)
    let namespace = try #require(child.namespace)
    #expect(!namespace.holds(getpid()))
    let marked = MarkedProcesses(
      Incarnation(worker: "odd", generation: 1), runtimeDirectory: "/nowhere")
    marked.end()
    #expect(namespace.holds(pid), "the mark alone does not find it")
    #expect(marked.end(in: namespace) >= 1)
    #expect(!namespace.holds(pid))
  }

  @Test func aReleaseNamesAVersion() {
    #expect(KernelVersion(release: "6.18.44-fc-v657\n") == KernelVersion(6, 18))
    #expect(KernelVersion(release: "5.4") == KernelVersion(5, 4))
    #expect(KernelVersion(release: "6.1-rc3+") == KernelVersion(6, 1))
    #expect(KernelVersion(release: "linux") == nil)
    #expect(KernelVersion(5, 14) > KernelVersion(5, 4))
    #expect(KernelVersion(6, 1) > KernelVersion(5, 14))
  }
}

/// Waits for a file, looking as often as the machine has time to.
private struct FolderPoll {
  let path: String

  init(_ path: String) throws { self.path = path }

  /// The content of a file once it is there.
  func wait(for name: String) throws -> String {
    for _ in 0..<60_000 {
      if let bytes = try DurableFile.read("\(path)/\(name)") {
        return String(decoding: bytes, as: UTF8.self)
      }
      poll(nil, 0, 1)
    }
    throw SystemError("find \(name) in \(path)", code: ETIMEDOUT)
  }
}
