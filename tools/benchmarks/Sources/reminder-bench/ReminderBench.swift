import ArgumentParser
import BenchmarkKit
import Glibc
import HostContract
import KithClient
import KithManifest
import KithRPC
import KithSealing
import KithStore
import KithTime
import RemindersContract
import RemindersService

/// Measures the reminders worker as it ships, in a product of its own: what it costs to make one,
/// and to keep a million.
@main
struct ReminderBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reminder-bench",
    abstract: "Reminders made durably by many callers, and the work of a tick with many stored.")

  @Option(help: "How long each measurement lasts, in seconds, after its warm-up.")
  var seconds: Double = 3

  @Option(help: "How many reminders are stored, in tens of thousands.")
  var stored = 100

  @Option(help: "The folder of the programs.")
  var programs: String = ".build/release"

  /// 2027-01-01T00:00:00Z
  private static let start: Int64 = 1_798_761_600_000
  /// When ten thousand are due.
  private static let rush = start + 90 * 86_400_000
  private static let file = 10_000

  func run() async throws {
    let folder = try temporaryFolder()
    defer { removeFolder(folder) }
    try await Machine.printHead()
    try kith("up", "milo", "--virtual-time", "2027-01-01T00:00:00Z", root: folder)
    // Nothing is left running also where a measurement fails; a product that is down is no error
    // here.
    defer { try? kith("down", root: folder) }
    let places = try ProductPlaces(product: "milo", root: folder, environment: [:])
    let connection = try await HostConnection.open(
      product: places.product, address: places.controlAddress)
    defer { connection.close() }
    let reminders = RemindersClient(connection.worker(named: "reminders"))
    var floors = Table("floors", "asked", "kith", "")
    try await OtherWork.reported {
      try await create(reminders, &floors)
      try await keep(connection, reminders, &floors)
      try kith("down", root: folder)
      try await tick(folder, &floors)
      print(floors.text + "\n")
    }
  }

  // MARK: Making

  private func create(_ reminders: RemindersClient, _ floors: inout Table) async throws {
    let duration = Duration.microseconds(Int64(seconds * 1_000_000))
    let make: @Sendable () async throws -> Void = {
      _ = try await reminders.createReminder(
        CreateReminderRequest(userId: "bench", text: "Pills on May 3 at 8 pm"))
    }
    var table = Table("callers", "made durably/s", "p50 ms", "p99 ms")
    for callers in [1, 8, 64] {
      let sample = try await LoadGenerator.run(inFlight: callers, for: duration, make)
      table.add(
        "\(callers)", sample.callsPerSecond.formatted(), milliseconds(sample.p50),
        milliseconds(sample.p99))
      if callers == 64 {
        let floor = Floor.above(3_000)
        floors.add(
          ["made durably/s, 64 callers", floor.text] + floor.cells(for: sample.callsPerSecond))
      }
    }
    let paced = try await LoadGenerator.paced(1_000, for: duration, make)
    table.add(
      "1,000/s", paced.callsPerSecond.formatted(), milliseconds(paced.p50),
      milliseconds(paced.p99))
    print("Reminders of plain words, each durable before it is answered:\n\n\(table.text)\n")
    let floor = Floor.below(20)
    floors.add(
      ["made at 1,000/s, p99 ms", floor.text] + floor.cells(for: paced.p99 / 1_000))
  }

  // MARK: Keeping

  private func keep(
    _ connection: HostConnection, _ reminders: RemindersClient, _ floors: inout Table
  ) async throws {
    let clock = ContinuousClock()
    let few = try await emptyTick(connection)
    let begin = clock.now
    for number in 0..<stored {
      // The last file is due at one minute; all others are spread over the years behind it.
      let isRush = number == stored - 1
      _ = try await reminders.importCalendar(
        ImportCalendarRequest(
          userId: "user-\(number)", calendar: Self.calendar(number, isRush), zone: "UTC"),
        options: CallOptions(timeout: .seconds(60)))
    }
    let imported = (clock.now - begin) / .seconds(1)
    let count = stored * Self.file
    print(
      "\(Double(count).formatted()) reminders imported in \(imported.formatted(decimals: 1)) s, "
        + "\((Double(count) / imported).formatted()) a second.\n")
    let many = try await emptyTick(connection)
    print(
      "A move of the clock with nothing due, host and worker: p50 \(few.formatted(decimals: 2)) ms "
        + "with few stored, \(many.formatted(decimals: 2)) ms with all, "
        + "\((many / few).formatted(decimals: 2)) times.\n")
    let shown = try await connection.host.getClock(GetClockRequest()).wallMs
    let sending = clock.now
    let moved = try await connection.host.moveClock(
      MoveClockRequest(move: .advanceMs(Self.rush - shown)),
      options: CallOptions(timeout: .seconds(120)))
    let sent = (clock.now - sending) / .seconds(1)
    print(
      "To the minute at which \(Self.file) are due: \(moved.stops) stops, \(moved.turns) turns.\n")
    let rush = Floor.below(2)
    floors.add(["10,000 due at one minute, all sent, s", rush.text] + rush.cells(for: sent))

    let status = try await connection.host.getStatus(GetStatusRequest())
    let pid = status.workers.first { $0.name == "reminders" }?.pid ?? 0
    let peak = Double(kibibytes("VmHWM", of: pid) ?? 0) / 1024
    let memory = Floor.below(128)
    floors.add(["peak RSS of the worker, MiB", memory.text] + memory.cells(for: peak))
  }

  /// The worker's own part of a tick, in this process, over the store that the worker has left.
  private func tick(_ folder: String, _ floors: inout Table) async throws {
    let clock = ContinuousClock()
    let begin = clock.now
    let keys = KeyRingFile(path: "\(folder)/keys/\(KeyRingFile.name)")
    let store = try Store(
      path: "\(folder)/workers/reminders/\(Store.fileName)",
      keys: try SealingKeys(file: keys, worker: "reminders"),
      migrations: RemindersSchema.migrations)
    let opened = (clock.now - begin) / .seconds(1)
    print("To open the store and check all of it: \(opened.formatted(decimals: 2)) s.\n")
    let now = Instant(milliseconds: Int(Self.rush) + 2_000)
    let service = try RemindersService(
      store: store, settings: RemindersSettings(), now: { now })
    let due = service.due { _, _ in }
    while let next = try await due.nextDue(), next <= now { try await due.run(at: now) }
    var times: [Double] = []
    for _ in 0..<1_000 {
      let begin = clock.now
      _ = try await due.nextDue()
      times.append((clock.now - begin) / .milliseconds(1))
    }
    let floor = Floor.below(1)
    floors.add(
      ["a tick with nothing due, all stored, p50 ms", floor.text] + floor.cells(for: times.median))
  }

  /// The median time of a move of the clock by a second with nothing due, in milliseconds.
  private func emptyTick(_ connection: HostConnection) async throws -> Double {
    let clock = ContinuousClock()
    var times: [Double] = []
    for _ in 0..<200 {
      let begin = clock.now
      _ = try await connection.host.moveClock(MoveClockRequest(move: .advanceMs(1_000)))
      times.append((clock.now - begin) / .milliseconds(1))
    }
    return times.median
  }

  /// A calendar of ten thousand reminders, each once.
  private static func calendar(_ number: Int, _ isRush: Bool) -> [UInt8] {
    var text = "BEGIN:VCALENDAR\r\n"
    for index in 0..<file {
      let due = isRush ? rush : rush + Int64(number * file + index + 1) * 600_000
      text += """
        BEGIN:VEVENT\r\nUID:\(number)-\(index)\r\nDTSTART:\(basic(due))\r\n\
        SUMMARY:Water the plants\r\nEND:VEVENT\r\n
        """
    }
    return Array((text + "END:VCALENDAR\r\n").utf8)
  }

  /// `20270101T000000Z`
  private static func basic(_ milliseconds: Int64) -> String {
    var seconds = Int(milliseconds / 1000)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    func digits(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return digits(parts.tm_year + 1900) + digits(parts.tm_mon + 1) + digits(parts.tm_mday) + "T"
      + digits(parts.tm_hour) + digits(parts.tm_min) + digits(parts.tm_sec) + "Z"
  }

  private func milliseconds(_ microseconds: Double) -> String {
    (microseconds / 1_000).formatted(decimals: 2)
  }

  private func kith(_ arguments: String..., root: String) throws {
    let process = try ChildProcess(
      "\(programs)/kith", arguments + ["--root", root], silent: true)
    let code = process.wait()
    guard code == 0 else {
      throw BenchmarkError("kith \(arguments.joined(separator: " ")) ended with \(code)")
    }
  }
}
