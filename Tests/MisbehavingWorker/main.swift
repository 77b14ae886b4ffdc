import Glibc
import KithRPC
import KithTime
import KithWorker
import Logging
import RiskContract
import Synchronization
import TestingContract

/// A worker for tests: does what its configuration says at its start, and what the text of a call
/// says afterwards.
try await Worker.run { context in
  switch try context.configuration.string("at_start") {
  case "crash": exit(3)
  case "throw": throw StartTrouble()
  case "refuse": throw ConfigurationError(key: "at_start", description: "it is 'refuse'")
  case "slow": try await Task.sleep(for: .milliseconds(300))
  case "hang": try await Task.sleep(for: .seconds(3600))
  case "tick":
    context.clock.run(
      HourlyTick(from: context.clock.now, logger: context.logger) { now in
        guard now.seconds % 86_400 >= 3600 else { throw StartTrouble() }
      })
  case "say":
    say("on standard output\n", on: STDOUT_FILENO)
    say("on standard error\n")
    exit(4)
  default: break
  }
  // A product with two of them names one as the one that only serves streams.
  if try context.configuration.string("at_start") == "streams" { return [.streams(Streams())] }
  if try context.configuration.string("at_start") == "follow" {
    try await Follower.follow(context)
    return []
  }
  let mood = Mood(try context.configuration.string("mood"))
  context.onConfigurationChange(of: ["mood"]) { try mood.turn(to: $0.string("mood")) }
  let misbehaviour = Misbehaviour(
    mood: mood,
    generation: context.generation, health: context.health, logger: context.logger,
    streams: StreamsClient(try context.client(ofService: "kith.testing.v1.Streams")))
  if try context.configuration.string("at_start") == "risk" { return [.riskEngine(misbehaviour)] }
  // Only a product that keeps something has a place for the list.
  return [.riskEngine(misbehaviour), .streams(Streams())]
    + [try await Ledger.service(context)].compactMap(\.self)
}

/// Writes a text at once.
func say(_ text: String, on descriptor: Int32 = STDERR_FILENO) {
  var bytes = Array(text.utf8)[...]
  while !bytes.isEmpty {
    let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    if count < 0 { return }
    bytes = bytes.dropFirst(count)
  }
}

/// Does something each full hour and says what the wall clock shows then, once.
final class HourlyTick: DueWork {
  private let next: Mutex<Instant>
  private let logger: Logger
  private let body: @Sendable (Instant) async throws -> Void

  init(from now: Instant, logger: Logger, body: @escaping @Sendable (Instant) async throws -> Void)
  {
    next = Mutex(Self.after(now))
    self.logger = logger
    self.body = body
  }

  func nextDue() async throws -> Instant? { next.withLock(\.self) }

  func run(at now: Instant) async throws {
    try await body(now)
    logger.notice("tick at \(now)")
    next.withLock { $0 = Self.after(now) }
  }

  private static func after(_ now: Instant) -> Instant {
    Instant(seconds: (now.seconds / 3600 + 1) * 3600)
  }
}

struct StartTrouble: Error, CustomStringConvertible {
  let description = "the worker does not feel like it"
}

/// A part of the configuration that may change while the worker runs.
final class Mood: Sendable {
  private let word: Mutex<String>

  init(_ word: String) { self.word = Mutex(word) }

  var now: String { word.withLock { $0 } }

  func turn(to new: String) throws {
    guard new != "awful" else {
      throw ConfigurationError(key: "mood", description: "it is 'awful'")
    }
    word.withLock { $0 = new }
  }
}

/// Does what the text of a call says.
struct Misbehaviour: RiskEngineHandler {
  let mood: Mood
  let generation: UInt64
  let health: WorkerHealth
  let logger: Logger
  let streams: StreamsClient

  func analyze(_ request: AnalyzeRequest, context: CallContext) async throws -> AnalyzeResponse {
    let words = request.text.split(separator: " ").map(String.init)
    switch words.first {
    case "exit": exit(Int32(words.last ?? "") ?? 0)
    // Writes so many lines of so many bytes.
    case "write":
      let line = String(repeating: "x", count: Int(words[2]) ?? 0)
      for number in 0..<(Int(words[1]) ?? 0) { say("\(number) \(line)\n") }
    // Writes the rest of the text again and again, a line each, until it is so many bytes; says so
    // at the end.
    case "flood":
      let line = "\(words.dropFirst(2).joined(separator: " "))\n"
      var left = Int(words[1]) ?? 0
      let lines = max(1, (64 << 10) / line.utf8.count)
      let block = String(repeating: line, count: lines)
      while left > 0 {
        say(block)
        left -= block.utf8.count
      }
      say("flooded\n")
    // Writes the rest of the text to its standard output.
    case "print": say("\(words.dropFirst().joined(separator: " "))\n", on: STDOUT_FILENO)
    // Logs the rest of the text at a level.
    case "log":
      logger.log(
        level: Logger.Level(rawValue: words[1]) ?? .info,
        "\(words.dropFirst(2).joined(separator: " "))")
    // Says so, then takes its time; a drain must let it.
    case "work":
      say("working\n")
      try await Task.sleep(for: .milliseconds(Int(words[1]) ?? 0))
    // Holds the thread that it runs on, as no handler should.
    case "block":
      say("blocking\n")
      sleep(3600)
    case "mood": return AnalyzeResponse(engineVersion: mood.now)
    // Holds on to more memory than there is.
    case "leak":
      var hoard: [[UInt8]] = []
      while true { hoard.append([UInt8](repeating: 1, count: 1 << 20)) }
    // Has its event loop stand still, as a debugger would.
    case "freeze": raise(SIGSTOP)
    // Goes on through SIGTERM.
    case "stay": signal(SIGTERM, SIG_IGN)
    // Leaves a descendant that no longer looks like one: another session, its parent gone, none of
    // its environment.
    case "escape":
      var pid = pid_t()
      let script =
        "exit if fork; setsid; exit if fork; %ENV=(); exec qw(/bin/sleep 3600)"
      let words: [String] = ["perl", "-MPOSIX=setsid", "-e", script]
      let arguments = words.map { word in strdup(word) } + [nil]
      posix_spawnp(&pid, "perl", nil, nil, arguments, environ)
      var status: Int32 = 0
      waitpid(pid, &status, 0)
    // Refuses the call in the rest of the text's words.
    case "refuse":
      throw RPCError.invalidArgument(field: "text", words.dropFirst().joined(separator: " "))
    case "degrade": health.degrade(words.dropFirst().joined(separator: " "))
    // Lets the worker of the streams count so far, and answers with what that one knew of the call.
    case "relay":
      let count = CountRequest(count: UInt32(words[1]) ?? 0)
      let stream = try await streams.count(count, options: CallOptions(waitForReady: true))
      for try await _ in stream {}
      let texts = ["remaining", "caller", "traceparent"].map { stream.metadata[$0] ?? "none" }
      return AnalyzeResponse(engineVersion: texts.joined(separator: " "))
    // Leaves a child behind that would outlive it.
    case "child":
      var pid = pid_t()
      let arguments = [strdup("sleep"), strdup("3600"), nil]
      posix_spawnp(&pid, "sleep", nil, nil, arguments, environ)
    default: break
    }
    return AnalyzeResponse(engineVersion: "\(generation)")
  }

  func getModel(_ request: GetModelRequest, context: CallContext) async throws -> GetModelResponse {
    throw RPCError(.unimplemented, "this worker has no model")
  }
}
