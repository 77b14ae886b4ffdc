import Glibc
import KithManifest
import Testing

@testable import KithHost

/// Control groups: what is written for which limit, and, where this machine lets a host divide its
/// own, that they hold.
@Suite struct ControlGroupTests {
  private static let limits = ResourceLimits(
    memoryBytes: 64 << 20, memoryHighBytes: 32 << 20, openFiles: 64, processes: 20, processors: 0.5,
    processorWeight: 50)

  private static let canDivide = (try? ControlGroups()) != nil

  @Test func writesEachLimitWhereTheKernelKeepsIt() {
    let all = ControlGroups.settings(Self.limits, Set(ControlGroups.Controller.allCases))
    #expect(
      all.map { "\($0.file)=\($0.value)" } == [
        "memory.max=67108864", "memory.swap.max=0", "memory.high=33554432", "memory.oom.group=1",
        "pids.max=20", "cpu.max=50000 100000", "cpu.weight=50",
      ])
    #expect(ControlGroups.settings(Self.limits, []).isEmpty)
    #expect(ControlGroups.settings(Self.limits, [.pids]).map(\.file) == ["pids.max"])
    // One that says nothing of its processes is bounded too.
    #expect(ControlGroups.settings(ResourceLimits(), [.pids]).map(\.value) == ["512"])
  }

  @Test func knowsWhichLimitsAreNotKept() {
    #expect(
      ControlGroups.unkept(Self.limits, [.pids]) == [
        .memory: ["memory", "memory_high"], .cpu: ["cpu", "cpu_weight"],
      ])
    #expect(ControlGroups.unkept(ResourceLimits(openFiles: 64), []).isEmpty)
  }

  @Test(.enabled(if: canDivide, "this host may not divide its control group here"))
  func killsWhatLeftEverythingElseBehind() throws {
    let groups = try ControlGroups()
    let group = try groups.make("test.\(getpid())", ResourceLimits())
    defer { group.end() }
    #expect(!group.isPopulated)
    // A daemon by the book, with nothing left of the environment that it was started in. It says
    // when it has left the process group: the first process, which ends at once, is reaped with its
    // group, and one that is still in it is killed.
    let script =
      "exit if fork; setsid; exit if fork; %ENV=(); syswrite STDOUT, qq(away); exec qw(/bin/sleep 3600)"
    let (said, saying) = try Descriptor.pipe()
    let child = try WorkerProcess.spawn(
      WorkerProcess.Launch(
        executable: "/usr/bin/perl", arguments: ["-MPOSIX=setsid", "-e", script],
        environment: ["PATH=/usr/bin:/bin"], workingDirectory: "/",
        descriptors: [
          try Descriptor.open("/dev/null", O_RDONLY), saying,
          try Descriptor.open("/dev/null", O_WRONLY),
        ], controlGroup: try group.open()))
    guard case .bytes(let words) = try said.read(atMost: 10) else {
      Issue.record("the daemon did not get away")
      return
    }
    #expect(words == Array("away".utf8))
    child.reapWhenEnded()
    #expect(group.isPopulated)
    group.end()
    #expect(access(group.folder, F_OK) != 0)
  }

  @Test func readsWhatTheKernelSaysOfMemory() throws {
    let folder = try TemporaryFolder()
    let group = ControlGroup(folder: folder.path)
    #expect(group.ranOutOfMemory == nil)
    try DurableFile.replace(
      "\(folder.path)/memory.events",
      with: Array("low 0\nhigh 3\nmax 9\noom 1\noom_kill 0\noom_group_kill 0\n".utf8))
    #expect(group.ranOutOfMemory == false)
    try DurableFile.replace(
      "\(folder.path)/memory.events",
      with: Array("low 0\nhigh 3\nmax 9\noom 1\noom_kill 2\noom_group_kill 1\n".utf8))
    #expect(group.ranOutOfMemory == true)
  }
}

extension ControlGroup {
  /// Whether something runs in it.
  fileprivate var isPopulated: Bool {
    ProcessFile.text("\(folder)/cgroup.events")?.contains("populated 1") ?? false
  }
}
