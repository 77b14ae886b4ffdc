import Glibc
import KithManifest
import KithSupervision
import Synchronization
import Testing

@testable import KithHost

@Suite struct RootLockTests {
  @Test func aRootHasOneHostAtATime() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/host.lock"
    do {
      let lock = try RootLock(path: path)
      #expect(throws: RootLock.Failure.held(byPid: getpid())) { try RootLock(path: path) }
      _ = lock
    }
    // The file is still there; without its holder it means nothing.
    #expect(RootLock.holder(path: path) == getpid())
    _ = try RootLock(path: path)
  }

  @Test func whoRemovesTheFileDoesNotGetTheRootAndItIsThereAgain() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/host.lock"
    let lock = try RootLock(path: path)
    #expect(lock.check() == .held)
    unlink(path)
    #expect(throws: RootLock.Failure.held(byPid: getpid())) { try RootLock(path: path) }
    // Who tried has left a file, which is not the one that is locked.
    #expect(lock.check() == .renewed)
    #expect(lock.check() == .held)
    #expect(RootLock.holder(path: path) == getpid())
    #expect(RootLock.isHeld(path: path))
    // A program that this process becomes goes on with the same descriptor.
    var (held, named) = (stat(), stat())
    #expect(fstat(lock.number, &held) == 0 && stat(path, &named) == 0)
    #expect(held.st_ino == named.st_ino)
    #expect(fcntl(lock.number, F_GETFD) == FD_CLOEXEC)
  }

  @Test func theFileSaysWhoHoldsTheRootAndNothingElse() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/host.lock"
    try DurableFile.replace(path, with: Array("12345678901234567890\nand more\n".utf8))
    let lock = try RootLock(path: path)
    #expect(ProcessFile.text(path) == "\(getpid())\n")
    _ = lock
  }

  @Test func aRootThatWasMovedOrReplacedIsLost() throws {
    let folder = try TemporaryFolder()
    let root = folder.path + "/r"
    try DurableFile.createPrivateFolder(root)
    let lock = try RootLock(path: root + "/host.lock")
    #expect(rename(root, root + ".moved") == 0)
    #expect(lock.check() == .lost)
    try DurableFile.createPrivateFolder(root)
    #expect(lock.check() == .lost)
    // Whoever is there now is another's host.
    let other = try RootLock(path: root + "/host.lock")
    #expect(lock.check() == .lost && other.check() == .held)
    #expect(throws: RootLock.Failure.held(byPid: getpid())) {
      try RootLock(path: root + ".moved/host.lock")
    }
  }

  @Test func aFolderThatIsNotThereIsSaidSo() {
    #expect(throws: RootLock.Failure.self) { try RootLock(path: "/nowhere/host.lock") }
  }
}

@Suite struct GenerationCounterTests {
  @Test func countsSurviveAndNeverGoBack() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/generations.json"
    var counter = try GenerationCounter(path: path, workers: ["risk", "pills"])
    #expect(counter["risk"] == 0)
    for generation in 1...3 { try counter.use(UInt64(generation), of: "risk") }
    try counter.use(1, of: "pills")
    try counter.close()
    let again = try GenerationCounter(path: path, workers: ["risk", "pills"])
    #expect(again["risk"] == 3)
    #expect(again["pills"] == 1)
    #expect(folder.names() == ["generations.json"])
  }

  @Test func aHostThatWasKilledLeavesAGapAndNoRepeat() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/generations.json"
    var highest: UInt64 = 0
    for _ in 0..<3 {
      var counter = try GenerationCounter(path: path, workers: ["risk"])
      #expect(counter["risk"] >= highest)
      highest = counter["risk"]
      for _ in 0..<40 {
        highest += 1
        try counter.use(highest, of: "risk")
        if counter.runsLow("risk") && highest % 3 == 0 {
          let reservation = counter.reservation(for: ["risk"])
          try reservation.write()
          counter.accept(reservation)
          #expect(!counter.runsLow("risk"))
        }
      }
    }
  }

  @Test func aFileThatSomebodyElseWroteIsSetAsideAndCountedOnFromWhatIsTold() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/generations.json"
    try DurableFile.replace(path, with: Array("{\"risk\": -1}".utf8))
    let counter = try GenerationCounter(path: path, workers: ["risk"], told: { ["risk": 7] })
    #expect(counter["risk"] == 7)
    #expect(counter.damage?.contains(path) == true)
    #expect(folder.names() == ["generations.json", "generations.json.damaged"])
    let next = try GenerationCounter(path: path, workers: ["risk"], told: { [:] })
    #expect(next["risk"] >= 7)
    #expect(next.damage == nil)
  }
}

extension GenerationCounterTests {
  @Test func countsThatNoHostCanHaveWrittenAreDamageAndNoTrap() throws {
    let counts: [UInt64] = [.max, .max - 15, Incarnation.largestGeneration + 1]
    for count in counts {
      let folder = try TemporaryFolder()
      let path = folder.path + "/generations.json"
      try DurableFile.replace(path, with: Array("{\"risk\": \(count)}".utf8))
      // Nor is what another file tells.
      var counter = try GenerationCounter(
        path: path, workers: ["risk", "pills"],
        told: { () -> [String: UInt64] in ["risk": count, "pills": 3] })
      #expect(counter["risk"] == 0 && counter["pills"] == 3)
      #expect(counter.damage?.contains("generations.json.damaged") == true)
      try counter.use(1, of: "risk")
    }
  }

  @Test func moreAreReservedWhenHalfOfThemAreUsed() throws {
    let folder = try TemporaryFolder()
    var counter = try GenerationCounter(
      path: folder.path + "/generations.json", workers: ["risk"])
    for generation in UInt64(1)...8 {
      try counter.use(generation, of: "risk")
      #expect(!counter.runsLow("risk"), "\(generation) of 16 used")
    }
    try counter.use(9, of: "risk")
    #expect(counter.runsLow("risk"))
  }

  @Test func anOlderReservationThatComesLateTakesNothingBack() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/generations.json"
    var counter = try GenerationCounter(path: path, workers: ["risk"])
    let older = counter.reservation(for: ["risk"])
    try counter.use(10, of: "risk")
    let newer = counter.reservation(for: ["risk"])
    try newer.write()
    try older.write()
    #expect(try GenerationCounter(path: path, workers: [])["risk"] == 26)
  }

  @Test func theLargestCountGoesOn() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/generations.json"
    try DurableFile.replace(
      path, with: Array("{\"risk\": \(Incarnation.largestGeneration)}".utf8))
    var counter = try GenerationCounter(path: path, workers: ["risk"])
    #expect(counter.damage == nil)
    try counter.use(Incarnation.largestGeneration + 1, of: "risk")
    #expect(counter["risk"] == Incarnation.largestGeneration + 1)
  }
}

@Suite struct DurableFileTests {
  @Test func foldersArePrivate() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/a/b"
    try DurableFile.createPrivateFolder(path)
    chmod(path, 0o755)
    try DurableFile.createPrivateFolder(path)
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o700)
  }

  @Test(.enabled(if: geteuid() == 0, "only root has folders of others to try with"))
  func aFolderOfAnotherUserIsRefused() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/a"
    try DurableFile.createPrivateFolder(path)
    #expect(chown(path, 4711, 4711) == 0)
    let error = #expect(throws: SystemError.self) { try DurableFile.createPrivateFolder(path) }
    #expect(error?.code == EPERM)
    #expect("\(try #require(error))".contains("belongs to user 4711"))
  }

  /// The path of what a descriptor is of.
  private func place(_ descriptor: Descriptor) -> String {
    guard let path = realpath("/proc/self/fd/\(descriptor.number)", nil) else { return "" }
    defer { free(path) }
    return String(cString: path)
  }

  @Test func aFileIsOnDiskBeforeItHasItsNameAndItsNameBeforeTheWriterGoesOn() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/a"
    try DurableFile.replace(path, with: [1])
    var synced: [(place: String, content: [UInt8]?)] = []
    try DurableFile.replace(path, with: [2]) { descriptor in
      synced.append((place(descriptor), try? DurableFile.read(path)))
      return 0
    }
    #expect(synced.map(\.place) == [path + ".new", folder.path])
    #expect(synced.map(\.content) == [[1], [2]])
  }

  @Test func aFileThatDoesNotReachTheDiskLeavesTheOneBefore() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/a"
    try DurableFile.replace(path, with: [1])
    let error = #expect(throws: SystemError.self) {
      try DurableFile.replace(path, with: [2]) { _ in
        errno = EIO
        return -1
      }
    }
    #expect(error?.code == EIO)
    #expect(try DurableFile.read(path) == [1])
    #expect(folder.names() == ["a"])
  }

  @Test func aNameThatDoesNotReachTheDiskIsAFailure() throws {
    let folder = try TemporaryFolder()
    var calls = 0
    #expect(throws: SystemError.self) {
      try DurableFile.replace(folder.path + "/a", with: [2]) { _ in
        calls += 1
        errno = EIO
        return calls == 1 ? 0 : -1
      }
    }
    #expect(calls == 2)
  }

  @Test func aFileInTheWayIsSaidSo() throws {
    let folder = try TemporaryFolder()
    try DurableFile.replace(folder.path + "/a", with: [])
    let error = #expect(throws: SystemError.self) {
      try DurableFile.createPrivateFolder(folder.path + "/a")
    }
    #expect(error?.code == ENOTDIR)
  }
}

@Suite struct WorkerProcessTests {
  /// A shell that runs a script; its standard output and error, and the descriptors 3 and 4 that a
  /// worker gets.
  private func shell(
    _ script: String, environment: [String] = []
  ) throws -> (child: WorkerProcess, output: Descriptor) {
    let output = try Descriptor.pipe()
    let child = try WorkerProcess.spawn(
      WorkerProcess.Launch(
        executable: "/bin/sh", arguments: ["-c", script], environment: environment,
        workingDirectory: "/",
        descriptors: [
          try Descriptor.open("/dev/null", O_RDONLY), output.writing, output.writing,
        ]))
    return (child, output.reading)
  }

  private func text(_ output: Descriptor) throws -> String {
    var all: [UInt8] = []
    while case .bytes(let bytes) = try output.read(atMost: 4096) { all += bytes }
    return String(decoding: all, as: UTF8.self)
  }

  @Test func endsAreToldApart() throws {
    for (script, end) in [
      ("exit 0", ProcessEnd.exitCode(0)), ("exit 3", .exitCode(3)), ("kill -9 $$", .signal(9)),
      ("kill -TERM $$", .signal(15)),
    ] {
      let (child, _) = try shell(script)
      var entry = pollfd(fd: child.pidfd.number, events: Int16(POLLIN), revents: 0)
      while poll(&entry, 1, -1) < 0 && errno == EINTR {}
      #expect(child.end() == end, "\(script)")
      child.reap()
    }
  }

  @Test func nothingButWhatIsGivenIsInherited() throws {
    // A descriptor that would be inherited if nothing were done about it.
    let leak = dup(2)
    defer { close(leak) }
    let (child, output) = try shell(
      "ls /proc/self/fd; echo env: $(env | wc -l); pwd; echo $A", environment: ["A=b"])
    let lines = try text(output).split(separator: "\n").map(String.init)
    // `ls` itself opens the folder as 3.
    #expect(lines.prefix(4) == ["0", "1", "2", "3"])
    #expect(lines.suffix(2) == ["/", "b"])
    child.reapWhenEnded()
  }

  @Test func signalsAreAsInAFreshProcess() throws {
    signal(SIGPIPE, SIG_IGN)
    let (child, output) = try shell("grep -E 'SigBlk|SigIgn' /proc/self/status")
    for line in try text(output).split(separator: "\n") {
      let mask = try #require(UInt64(line.suffix(16), radix: 16))
      // glibc keeps its two internal signals (32 and 33) ignored in a spawned process.
      #expect(mask & ~(3 << 31) == 0, "\(line)")
    }
    child.reapWhenEnded()
  }

  @Test func theWholeGroupEndsWithItsLeader() throws {
    // The grandchild keeps the pipe open: the pipe's end is the proof that it is gone.
    let (child, output) = try shell("sleep 1000 & echo started; wait")
    guard case .bytes = try output.read(atMost: 100) else { return }
    #expect(child.end() == nil)
    child.signal(SIGKILL)
    child.reapWhenEnded()
    #expect(try text(output) == "")
  }

  @Test func aProgramThatIsNotThereIsSaidSo() {
    let error = #expect(throws: SystemError.self) {
      try WorkerProcess.spawn(
        WorkerProcess.Launch(
          executable: "/nowhere/worker", environment: [], workingDirectory: "/",
          descriptors: []))
    }
    #expect(error?.description == "cannot start /nowhere/worker: No such file or directory")
  }

  @Test func aProcessOfAnEarlierHostIsKnownByMoreThanItsPid() throws {
    let (child, _) = try shell("sleep 1000")
    var stranger = child.identity
    stranger.startTicks += 1
    #expect(WorkerProcess(earlier: stranger) == nil)
    let earlier = try #require(WorkerProcess(earlier: child.identity))
    #expect(earlier.end() == nil)
    earlier.signal(SIGKILL)
    child.reapWhenEnded()
    #expect(WorkerProcess(earlier: child.identity) == nil)
  }

  /// Whose parent is gone is another's child: the kernel still says how it ended.
  @Test func theEndOfAnothersChildIsKnown() throws {
    for (script, end) in [("exit 7", ProcessEnd.exitCode(7)), ("kill -9 $$", .signal(9))] {
      let (parent, output) = try shell(
        "sh -c 'echo $$; read line < /dev/null; sleep 0.2; \(script)' & wait")
      guard case .bytes(let bytes) = try output.read(atMost: 100),
        let pid = Int32(String(decoding: bytes, as: UTF8.self).filter(\.isNumber)),
        let identity = ProcessIdentity.current(ofPid: pid)
      else {
        Issue.record("no pid")
        return
      }
      let process = try #require(WorkerProcess(earlier: identity))
      parent.signal(SIGKILL)
      var entry = pollfd(fd: process.pidfd.number, events: Int16(POLLIN), revents: 0)
      while poll(&entry, 1, -1) < 0 && errno == EINTR {}
      #expect(process.end() == end)
      parent.reapWhenEnded()
    }
  }
}

@Suite struct ReactorTests {
  /// An actor that a reactor serves.
  private actor Served {
    let reactor: Reactor
    nonisolated var unownedExecutor: UnownedSerialExecutor { reactor.asUnownedSerialExecutor() }
    var seen: [Int] = []

    init(_ reactor: Reactor) { self.reactor = reactor }

    func add(_ number: Int) { seen.append(number) }

    nonisolated func addInOrder(_ number: Int) {
      reactor.perform { self.assumeIsolated { $0.add(number) } }
    }
  }

  @Test func callsRunInTheirOrder() async throws {
    let reactor = try Reactor(name: "test")
    defer { reactor.stop() }
    let served = Served(reactor)
    for number in 0..<1000 { served.addInOrder(number) }
    #expect(await served.seen == Array(0..<1000))
  }

  @Test func descriptorsAndAlarmsCallBack() async throws {
    let reactor = try Reactor(name: "test")
    defer { reactor.stop() }
    let pipe = try Descriptor.pipe()
    let waiter = Waiter<String>()
    let watch = try reactor.watch(pipe.reading) {
      if case .bytes(let bytes) = try? pipe.reading.read(atMost: 10) {
        waiter.finish(.success(String(decoding: bytes, as: UTF8.self)))
      }
    }
    try pipe.writing.writeAll(Array("hello".utf8), to: "a pipe")
    #expect(try await waiter.value() == "hello")
    reactor.ignore(watch)

    let alarm = Waiter<Void>()
    let owner = Served(reactor)
    reactor.setAlarm(for: owner, at: .now + .seconds(1000)) {
      alarm.finish(.failure(CancellationError()))
    }
    reactor.setAlarm(for: owner, at: .now + .milliseconds(1)) { alarm.finish(.success(())) }
    try await alarm.value()
  }
}

@Suite struct PrivateFolderTests {
  private func mode(of path: String) -> mode_t {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
  }

  @Test func aFolderIsMadeWithThoseAboveItForItsOwnerAlone() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/a/b"
    try DurableFile.createPrivateFolder(path)
    try DurableFile.createPrivateFolder(path)
    #expect(mode(of: path) == 0o700)
  }

  @Test(arguments: [mode_t(0o755), 0o1777, 0o750])
  func aFolderThatOthersUseIsNotTakenFromThem(_ shared: mode_t) throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/shared"
    mkdir(path, 0o700)
    mkdir(path + "/of somebody", 0o700)
    chmod(path, shared)
    let error = #expect(throws: SystemError.self) { try DurableFile.createPrivateFolder(path) }
    #expect(error?.description.contains("open to others") == true)
    #expect(mode(of: path) == shared)
  }

  @Test func anEmptyFolderIsClosedToOthersUnlessAllMayWriteThere() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/empty"
    mkdir(path, 0o700)
    chmod(path, 0o1777)
    #expect(throws: SystemError.self) { try DurableFile.createPrivateFolder(path) }
    #expect(mode(of: path) == 0o1777)
    chmod(path, 0o755)
    try DurableFile.createPrivateFolder(path)
    #expect(mode(of: path) == 0o700)
  }

  @Test func onlyTheSocketFoldersOfIncarnationsAreClearedAway() throws {
    let folder = try TemporaryFolder()
    let places = try ProductPlaces(product: "test", root: folder.path + "/r", environment: [:])
    let socket = places.socketFolder(worker: "odd", generation: 3)
    for path in [places.stateDirectory, places.runtimeDirectory, places.hostDirectory, socket] {
      try DurableFile.createPrivateFolder(path)
    }
    for path in [places.controlSocket, "\(socket)/sock", "\(places.runtimeDirectory)/odd.x"] {
      _ = try Descriptor.open(path, O_WRONLY | O_CREAT)
    }
    try ProcessRecords(places).clear(besides: [])
    #expect(
      TemporaryFolder.names(places.runtimeDirectory).sorted() == ["host", "host.sock", "odd.x"])
  }
}
