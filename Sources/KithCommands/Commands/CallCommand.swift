import ArgumentParser
import HostContract
import KithClient
import KithJSON
import KithRPC
import KithReflection

/// `kith call`
struct CallCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "call",
    abstract: "Calls a method of any worker with a request in JSON.",
    discussion: """
      The request is the proto3 JSON of the method's request message; `kith describe SERVICE/Method` shows it. `-` reads \
      it from standard input, which keeps personal text out of the list of processes.

      EXAMPLES
        kith call kith.risk.v1.RiskEngine/Analyze '{"text": "You won a prize", "channel": "SMS"}'
        kith call RiskEngine/GetModel --json
        kith call kith.health.v1.Health/Check --worker risk-engine
        kith call RiskEngine/Analyze - < request.json
      """)

  @Argument(
    help: ArgumentHelp(
      "The method. The service's package may be left out.", valueName: "service/method"))
  var method: String

  @Argument(help: ArgumentHelp("The request in JSON; - reads standard input.", valueName: "json"))
  var request = "{}"

  @Option(
    help: ArgumentHelp(
      "The worker to ask, for services that every worker has.", valueName: "name"))
  var worker: String?

  @OptionGroup var product: ProductOptions
  @OptionGroup var time: TimeoutOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let surroundings = Surroundings.current
    let running = try await product.running(surroundings)
    defer { running.connection.close() }
    let options = CallOptions(timeout: time.timeout.duration, waitForReady: true)
    let directory = try await ServiceDirectory.of(running, worker: worker, options: options)
    let (service, found) = try await directory.method(method)
    let json = try JSONRequest.parse(
      request == "-" ? try SystemValueReader().standardInput() : Array(request.utf8))
    let message: DynamicMessage
    do throws(ContractError) {
      message = try service.contracts.message(found.requestType, from: json)
    } catch {
      throw CommandFailure(error, .badInput)
    }
    try await Call(client: service.client, contracts: service.contracts, method: found).run(
      message, options: options, isJSON: output.json, terminal: surroundings.terminal)
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
