import Glibc
import KithManifest
import KithSupervision
import Testing

@testable import KithHost

/// What a host makes of the files that an earlier one left.
@Suite struct EarlierProcessesTests {
  private let folder: TemporaryFolder
  private let records: ProcessRecords

  init() throws {
    folder = try TemporaryFolder()
    let places = try ProductPlaces(product: "test", root: folder.path + "/r", environment: [:])
    try DurableFile.createPrivateFolder(places.hostDirectory)
    records = ProcessRecords(places)
  }

  private func sleeper() throws -> WorkerProcess {
    try WorkerProcess.spawn(
      WorkerProcess.Launch(
        executable: "/bin/sleep", arguments: ["3600"], environment: [], workingDirectory: "/",
        descriptors: try (0..<3).map { _ throws(SystemError) in
          try Descriptor.open("/dev/null", O_RDWR)
        }))
  }

  private func record(
    _ generation: UInt64, _ identity: ProcessIdentity, phase: ProcessRecords.Record.Phase = .serving
  ) -> ProcessRecords.Record {
    ProcessRecords.Record(
      incarnation: Incarnation(worker: "odd", generation: generation), identity: identity,
      socket: "\(folder.path)/odd.\(generation)/sock", secret: [1, 2, 3], digest: "d",
      pluginDirectory: "/p", phase: phase, readySince: 17)
  }

  @Test func whatWasRecordedIsReadAsItWas() throws {
    for phase in [ProcessRecords.Record.Phase.starting, .serving, .ending] {
      let written = record(
        1, ProcessIdentity(pid: 4711, startTicks: 9, bootID: ProcessIdentity.currentBootID),
        phase: phase)
      try records.write(written)
      let read = try records.all()
      #expect(read.records == [written] && read.damaged == [])
    }
  }

  @Test func whatIsOfAnotherBootTellsOfNoProcess() throws {
    try records.write(record(1, ProcessIdentity(pid: 4711, startTicks: 9, bootID: "another")))
    #expect(try records.all().records == [])
  }

  @Test func aRecordUnderAnotherNameIsDamage() throws {
    try records.write(
      record(1, ProcessIdentity(pid: 4711, startTicks: 9, bootID: ProcessIdentity.currentBootID)))
    let path = records.folder + "/even.1.process"
    #expect(rename(records.folder + "/odd.1.process", path) == 0)
    let read = try records.all()
    #expect(read.records == [] && read.damaged == [path])
  }

  @Test func ofAWorkerTheTwoLatestAreLedAndTheirFilesStay() throws {
    let processes = try (0..<3).map { _ in try sleeper() }
    defer {
      for process in processes {
        process.signal(SIGKILL)
        process.reapWhenEnded()
      }
    }
    for (index, process) in processes.enumerated() {
      try records.write(record(UInt64(index + 1), process.identity))
    }
    let found = try EarlierProcesses.find(records)
    #expect(found.running.map(\.record.incarnation.generation) == [3, 2])
    #expect(found.ended.map(\.incarnation.generation) == [1])
    #expect(found.generations == ["odd": 3])
    #expect(TemporaryFolder.names(records.folder).sorted() == ["odd.2.process", "odd.3.process"])
  }

  @Test func aProcessThatHasThePidByNowIsNotTheOneThatWasRecorded() throws {
    let process = try sleeper()
    defer {
      process.signal(SIGKILL)
      process.reapWhenEnded()
    }
    var identity = process.identity
    identity.startTicks -= 1
    try records.write(record(1, identity))
    let found = try EarlierProcesses.find(records)
    #expect(found.running.isEmpty && found.ended.count == 1)
    #expect(!process.hasEnded)
  }

  @Test func desiredStateOfAnotherBootIsNone() throws {
    let path = folder.path + "/wishes.json"
    var (state, damaged) = DesiredState.read(path)
    state.stopped = ["odd"]
    try state.write(path)
    #expect(DesiredState.read(path).state.stopped == ["odd"] && damaged == nil)
    let text = try #require(ProcessFile.text(path))
    try DurableFile.replace(
      path,
      with: Array(text.replacing(ProcessIdentity.currentBootID, with: "another").utf8))
    let other = DesiredState.read(path)
    #expect(other.state == DesiredState.read("/nowhere").state && other.damaged == nil)
  }
}
