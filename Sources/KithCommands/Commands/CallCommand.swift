import ArgumentParser
import KithAccess
import HostContract
import KithClient
import KithJSON
import KithRPC
import KithReflection
import KithTerminal
import KithVerbs

/// `kith call`
struct CallCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "call",
    abstract: "Calls a method of any worker with a request in JSON.",
    discussion: """
      The request is the proto3 JSON of the method's request message; `kith describe SERVICE/Method` shows it. `-` reads \
      it from standard input, which keeps personal text out of the list of processes.

      A method that takes a stream reads a message a line from standard input, unless one is given; a line that is none \
      cancels the call. One that answers with a stream writes an answer a line, in JSON, as it comes; ctrl-C ends the call.

      A call whose worker dies under it is made once more, by itself, where that can do no harm: its method has no side \
      effects, or it has an idempotency key.

      EXAMPLES
        kith call kith.risk.v1.RiskEngine/Analyze '{"text": "You won a prize", "channel": "SMS"}'
        kith call RiskEngine/GetModel --json
        kith call kith.health.v1.Health/Check --worker risk-engine
        kith call RiskEngine/Analyze - < request.json
        kith call kith.testing.v1.Once/Append '{"entry": "milk"}' --idempotency-key 7f9c
        kith call kith.testing.v1.Streams/Echo < requests.jsonl
      """)

  @Argument(
    help: ArgumentHelp(
      "The method. The service's package may be left out.", valueName: "service/method"))
  var method: String

  @Argument(
    help: ArgumentHelp(
      "The request in JSON; - reads standard input. (default: {}, or a message a line of standard "
        + "input for a method that takes a stream)", valueName: "json"))
  var request: String?

  @Option(
    help: ArgumentHelp(
      "The worker to ask, for services that every worker has.", valueName: "name"))
  var worker: String?

  @OptionGroup var product: ProductOptions
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How long it may take: 500ms, 5s, 2m. (default: 30s, or no end for a method with a "
        + "stream)", valueName: "time"), transform: TimeLimit.init(option:))
  var timeout: TimeLimit?

  @Option(
    help: ArgumentHelp(
      "What is meant by this call, as 1 to 128 visible characters. A worker that keeps a record answers a repeat with "
        + "the same key from it, and carries it out once.", valueName: "key"),
    transform: IdempotencyKey.init(option:))
  var idempotencyKey: IdempotencyKey?

  @Option(
    name: .customLong("as"),
    help: ArgumentHelp(
      "The person in whose name the call is made. (default: the product itself)",
      valueName: "user"), transform: UserID.init(option:))
  var user: UserID?

  @OptionGroup var output: OutputOptions

  func run() async throws {
    let surroundings = Surroundings.current
    let running = try await product.running(
      surroundings, workers: worker.map { [$0] } ?? [])
    defer { running.connection.close() }
    let settings = CallSettings(
      timeout: timeout?.duration, idempotencyKey: idempotencyKey, user: user,
      isJSON: output.json)
    let options = CallOptions(timeout: settings.timeLimit, waitForReady: true)
    let directory = try await ServiceDirectory.of(running, worker: worker, options: options)
    let (service, found) = try await directory.method(method)
    let call = Call(client: service.client, contracts: service.contracts, method: found)
    try await call.run(
      try requests(of: found, service.contracts), settings: settings,
      terminal: surroundings.terminal)
  }

  private func requests(
    of method: MethodDescription, _ contracts: ContractSet
  ) throws(CommandFailure) -> CallRequests {
    if method.isClientStreaming, request == nil || request == "-" { return .lines }
    let json = try JSONRequest.parse(
      request == "-" ? try SystemValueReader().standardInput() : Array((request ?? "{}").utf8))
    do throws(ContractError) {
      return .one(try contracts.message(method.requestType, from: json))
    } catch {
      throw CommandFailure(error, .badInput)
    }
  }
}

/// A request in JSON from bytes.
enum JSONRequest {
  static func parse(_ bytes: [UInt8]) throws(CommandFailure) -> JSONValue {
    do throws(JSONError) {
      return try JSONValue(parsing: bytes)
    } catch {
      throw CommandFailure(.badInput, "the request is not JSON: \(error)")
    }
  }
}
