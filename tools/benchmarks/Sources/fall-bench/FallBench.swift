import AlertsContract
import ArgumentParser
import BenchmarkKit
import EventsContract
import FallDetectorDomain
import FallsContract
import Glibc
import HostContract
import KithClient
import KithManifest
import KithRPC

/// Measures the fall detector as it ships, in a product with the workers that bring its alerts to
/// people: falls that are alerted, samples of many wearers, and reports that are durable.
@main
struct FallBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fall-bench",
    abstract: "Falls reported and alerted, samples of many wearers, and the detector alone."
  )

  @Option(help: "How long each measurement lasts, in seconds.")
  var seconds: Double = 5

  @Option(help: "How many wearers send samples.")
  var wearers = 10_000

  @Option(help: "Over how many streams.")
  var streams = 8

  @Option(help: "The folder of the programs.")
  var programs: String = ".build/release"

  private static let rate = 50
  private static let manifest = """
    product: fall-bench
    title: Falls
    posture: personal
    workers:
      fall-detector: {}
      family-alerts: {}
      delivery: {}
    """

  func run() async throws {
    let folder = try temporaryFolder()
    defer { removeFolder(folder) }
    try await Machine.printHead()
    let manifest = "\(folder)/fall-bench.yaml"
    try write(Self.manifest, to: manifest)
    try kith("up", manifest, root: folder)
    // Nothing is left running also where a measurement fails; a product that is down is no error
    // here.
    defer { try? kith("down", root: folder) }
    let places = try ProductPlaces(product: "fall-bench", root: folder, environment: [:])
    let connection = try await HostConnection.open(
      product: places.product, address: places.controlAddress)
    defer { connection.close() }
    let falls = FallDetectorClient(connection.worker(named: "fall-detector"))
    var floors = Table("floors", "asked", "kith", "")
    try await OtherWork.reported {
      detect(&floors)
      try await alert(falls, connection.worker(named: "family-alerts"), &floors)
      try await watch(falls, &floors)
      // Last, since those whom nobody answers for are alerted a minute later.
      try await report(falls, &floors)
      let status = try await connection.host.getStatus(GetStatusRequest())
      let pid = status.workers.first { $0.name == "fall-detector" }?.pid ?? 0
      let peak = Double(kibibytes("VmHWM", of: pid) ?? 0) / 1024
      let memory = Floor.below(1024)
      floors.add(["peak RSS of the worker, MiB", memory.text] + memory.cells(for: peak))
      print(floors.text + "\n")
    }
  }

  // MARK: The detector alone

  private func detect(_ floors: inout Table) {
    let clock = ContinuousClock()
    var detection = FallDetection(profile: SensorProfile(placement: .waist, rangeG: 16))
    var found = 0
    var time: Int64 = 0
    let count = 5_000_000
    let begin = clock.now
    for index in 0..<count {
      time += 20_000_000
      let (x, y, z) = Self.walking(index)
      let sample = AccelerationSample(
        nanoseconds: time, x: Double(x), y: Double(y), z: Double(z))
      if detection.add(sample) != nil { found += 1 }
    }
    let speed = Double(count) / ((clock.now - begin) / .seconds(1))
    print(
      "The detector alone: \(Double(count).formatted()) samples of walking, \(found) findings.\n")
    let floor = Floor.above(2_000_000)
    floors.add(["samples/s, the detector on one core", floor.text] + floor.cells(for: speed))
  }

  // MARK: Alerts

  /// One confirmed fall after another, each to a contact by the outbox: from the report until the
  /// alerts worker says that the message was handed over.
  private func alert(
    _ falls: FallDetectorClient, _ alerts: RPCClient, _ floors: inout Table
  ) async throws {
    let contacts = ContactsClient(alerts)
    let count = 200
    for number in 0..<count {
      _ = try await contacts.addContact(
        AddContactRequest(
          userId: "fallen-\(number)", name: "Contact", email: "contact-\(number)@example.com",
          priority: 1, hasConsented: true))
    }
    let clock = ContinuousClock()
    let stream = try await EventsClient(alerts).subscribe(
      SubscribeRequest(start: .new, types: [StepEnded.fullName]))
    var responses = stream.makeAsyncIterator()
    // The first says where the log ends.
    _ = try await responses.next()
    var latencies: [Double] = []
    let begin = clock.now
    for number in 0..<count {
      let user = "fallen-\(number)"
      let reported = clock.now
      _ = try await falls.report(
        ReportRequest(userId: user, eventId: "fall-\(number)", type: .fallConfirmed))
      var isHandedOver = false
      while !isHandedOver, let response = try await responses.next() {
        isHandedOver = try response.events.contains { event in
          let isSent = try StepEnded(decoding: event.payload).step?.state == .sent
          return event.userId == user && isSent
        }
      }
      guard isHandedOver else { throw BenchmarkError("the events of the alerts worker ended") }
      latencies.append((clock.now - reported) / .microseconds(1))
    }
    let sample = LoadGenerator.summary(of: latencies, over: clock.now - begin)
    print(
      "\(count) confirmed falls, one after another, from the report until the first message was "
        + "handed over: p50 \(milliseconds(sample.p50)) ms, p99 \(milliseconds(sample.p99)) ms.\n")
    let floor = Floor.below(50)
    floors.add(
      ["fall to message handed over, p50 ms", floor.text] + floor.cells(for: sample.p50 / 1_000))
  }

  // MARK: Reports

  private func report(_ falls: FallDetectorClient, _ floors: inout Table) async throws {
    let duration = Duration.microseconds(Int64(seconds * 1_000_000))
    let number = Counter()
    let make: @Sendable () async throws -> Void = {
      let next = number.next()
      _ = try await falls.report(
        ReportRequest(
          userId: "user-\(next % 5_000)", eventId: "event-\(next)", type: .fallCandidate,
          accelG: 3.1, battery: 0.5))
    }
    var table = Table("callers", "reported durably/s", "p50 ms", "p99 ms")
    for callers in [1, 8, 64] {
      let sample = try await LoadGenerator.run(inFlight: callers, for: duration, make)
      table.add(
        "\(callers)", sample.callsPerSecond.formatted(), milliseconds(sample.p50),
        milliseconds(sample.p99))
    }
    let paced = try await LoadGenerator.paced(500, for: duration, make)
    table.add(
      "500/s", paced.callsPerSecond.formatted(), milliseconds(paced.p50), milliseconds(paced.p99))
    print("Falls reported, each durable before it is answered:\n\n\(table.text)\n")
    let floor = Floor.below(20)
    floors.add(["reported at 500/s, p99 ms", floor.text] + floor.cells(for: paced.p99 / 1_000))
  }

  // MARK: Samples

  /// Each wearer's second as one batch, as fast as the worker takes them: how many of the wearers'
  /// seconds pass in one.
  private func watch(_ falls: FallDetectorClient, _ floors: inout Table) async throws {
    let clock = ContinuousClock()
    let (streams, wearers) = (streams, wearers)
    let limit = clock.now + .microseconds(Int64(seconds * 1_000_000)) * 2
    let begin = clock.now
    let counts = try await withThrowingTaskGroup(of: Int.self) { group in
      for stream in 0..<streams {
        group.addTask {
          try await Self.send(
            falls, wearers: stride(from: stream, to: wearers, by: streams).map { $0 },
            until: limit)
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    let passed = (clock.now - begin) / .seconds(1)
    let batches = Double(counts.reduce(0, +))
    let times = batches / Double(wearers) / passed
    print(
      "\(Double(wearers).formatted()) wearers at \(Self.rate) Hz over \(streams) streams: "
        + "\((batches / passed).formatted()) batches of a second taken and answered a second, "
        + "\((batches * Double(Self.rate) / passed).formatted()) samples.\n")
    let floor = Floor.above(1)
    floors.add(
      ["\(wearers) wearers at 50 Hz, times real time", floor.text] + floor.cells(for: times))
  }

  private static func send(
    _ falls: FallDetectorClient, wearers: [Int], until limit: ContinuousClock.Instant
  ) async throws -> Int {
    let call = try await falls.watch(options: CallOptions(timeout: .seconds(600)))
    async let answered: Int = {
      var count = 0
      for try await answer in call.responses {
        guard answer.refusal.isEmpty else { throw BenchmarkError(answer.refusal) }
        count += 1
      }
      return count
    }()
    var second = 0
    repeat {
      second += 1
      for wearer in wearers {
        let values = (0..<rate).map { walking($0 + second * rate + wearer) }
        try await call.requests.write(
          SampleBatch(
            userId: "user-\(wearer)", sequence: UInt64(second), sessionId: "bench",
            startNs: Int64(second) * 1_000_000_000, intervalNs: UInt64(1_000_000_000 / rate),
            x: values.map(\.0), y: values.map(\.1), z: values.map(\.2), rangeG: 16))
      }
    } while ContinuousClock.now < limit
    call.requests.finish()
    return try await answered
  }

  /// Steps, at 50 Hz.
  private static func walking(_ index: Int) -> (Float, Float, Float) {
    let phase = Float(index % 50) / 50
    // A triangle, which costs nothing beside what is measured.
    let step = abs(phase * 4 - 2) - 1
    return (0.1 * step, 0.05, 1 + 0.3 * step)
  }

  private func milliseconds(_ microseconds: Double) -> String {
    (microseconds / 1_000).formatted(decimals: 2)
  }

  private func write(_ text: String, to path: String) throws {
    guard let file = fopen(path, "w") else { throw BenchmarkError("cannot write \(path)") }
    defer { fclose(file) }
    fputs(text, file)
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
