import CLinux
import Glibc
import KithJSON
import KithManifest
import KithPlanning
import KithSupervision

/// One run of a worker's program that only checks its configuration: in the worker's sandbox
/// without state, sockets and network, with bounds on time and output.
final class ConfigurationTrial {
  /// The longest answer that is read.
  static let longestAnswer = 64 << 10

  private let worker: PlannedWorker
  private let child: WorkerProcess
  private let mark: MarkedProcesses
  private let output: Descriptor
  private var answer: [UInt8] = []
  private var hasAnswered = false

  /// Starts the program.
  init(of worker: PlannedWorker, settings: HostSettings) throws(SystemError) {
    self.worker = worker
    mark = MarkedProcesses(
      Incarnation(worker: worker.name, generation: 1),
      runtimeDirectory: "\(settings.places.runtimeDirectory)/check-\(getpid())")
    let pipe = try Descriptor.pipe()
    output = pipe.reading
    try output.setNonBlocking()
    child = try WorkerProcess.spawn(
      WorkerProcess.Launch(
        executable: worker.executablePath, arguments: ["--check-configuration"],
        environment: settings.workerEnvironment(of: worker, state: "").filter {
          !$0.hasPrefix("KITH_")
        } + [mark.entry],
        workingDirectory: "/",
        descriptors: [
          try Self.input(worker.configurationText), pipe.writing,
          try Descriptor.open("/dev/null", O_WRONLY),
        ], openFiles: worker.limits.openFiles, account: settings.workerAccount,
        confinement: Self.confinement(of: worker)))
  }

  /// A file in memory rather than a pipe, which a program that does not read would leave full.
  private static func input(_ text: String) throws(SystemError) -> Descriptor {
    let number = kith_linux_memory_file("configuration")
    guard number >= 0 else { throw SystemError("make room for the configuration") }
    let file = Descriptor(taking: number)
    try file.writeAll(text.utf8, to: "the configuration")
    guard lseek(number, 0, SEEK_SET) == 0 else { throw SystemError("go back to its beginning") }
    return file
  }

  private static func confinement(of worker: PlannedWorker) -> Confinement {
    var confinement = Confinement(
      of: worker, state: "", sockets: "", runtime: "", remoteServices: [])
    confinement.socketFolders = []
    confinement.visible = []
    confinement.listeningPorts = []
    confinement.outboundPorts = []
    return confinement
  }

  /// Waits for the answer, ends the program with all that it started, and answers what came of it.
  func verdict(by deadline: ContinuousClock.Instant, limit: Duration) -> ConfigurationVerdict {
    defer { endAll() }
    while !hasAnswered {
      let rest = deadline - .now
      guard rest > .zero, answer.count <= Self.longestAnswer else { break }
      var entry = pollfd(fd: output.number, events: Int16(POLLIN), revents: 0)
      poll(&entry, 1, Int32(clamping: rest.inMilliseconds + 1))
      read()
    }
    guard answer.count <= Self.longestAnswer else {
      return unknown("its answer is longer than \(Self.longestAnswer) bytes")
    }
    guard hasAnswered else { return unknown("it did not answer within \(limit.short)") }
    switch end(by: deadline) {
    case .exitCode(0)?: return ConfigurationVerdict(worker: worker.name, answer: answer)
    // A program that is not asked this way, and says so as a worker that was started by hand.
    case .exitCode(64)? where answer.isEmpty:
      return ConfigurationVerdict(worker: worker.name, .notOffered)
    case .exitCode(let code)?: return unknown("its program ended with exit code \(code)")
    case .signal(let number)?: return unknown("its program was ended by signal \(number)")
    case .killedFromOutside?, .outOfMemory?: return unknown("its program was killed")
    case nil, .notCreated?, .unknown?:
      return unknown("it did not end within \(limit.short)")
    }
  }

  private func unknown(_ reason: String) -> ConfigurationVerdict {
    ConfigurationVerdict(worker: worker.name, .unknown(reason))
  }

  private func read() {
    switch try? output.read(atMost: 16 << 10) {
    case .bytes(let bytes)?: answer += bytes
    case .wouldBlock?: break
    case .end?, nil: hasAnswered = true
    }
  }

  /// How the program ended, which has closed its output; nil when it has not.
  private func end(by deadline: ContinuousClock.Instant) -> ProcessEnd? {
    var entry = pollfd(fd: child.pidfd.number, events: Int16(POLLIN), revents: 0)
    let rest = max(.zero, deadline - .now)
    poll(&entry, 1, Int32(clamping: rest.inMilliseconds + 1))
    return child.end()
  }

  private func endAll() {
    child.signalGroup(SIGKILL)
    child.reapWhenEnded()
    mark.end(in: child.namespace)
  }
}
