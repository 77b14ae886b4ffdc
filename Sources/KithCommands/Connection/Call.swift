import KithJSON
import KithRPC
import KithReflection

/// A call of a method that is known only at run time, and the answer on standard output.
struct Call {
  let client: RPCClient
  let contracts: ContractSet
  let method: MethodDescription

  /// Makes the call and writes the answer.
  func run(
    _ request: DynamicMessage, options: CallOptions, isJSON: Bool, terminal: Terminal
  ) async throws {
    guard !method.isClientStreaming, !method.isServerStreaming else {
      throw CommandFailure(
        .usage,
        "\(method.fullName) is a stream; the command line makes calls of one request and "
          + "one answer")
    }
    let response = try await client.unary(
      MethodDescriptor(
        service: method.service, method: method.name, idempotency: idempotency),
      encodedRequest: request.encoded(), options: options)
    let message: DynamicMessage
    do throws(ContractError) {
      message = try contracts.decode(response.message, as: method.responseType)
    } catch {
      throw CommandFailure(.defect, "the answer of \(method.fullName) cannot be read: \(error)")
    }
    if isJSON {
      Output.line(message.json(contracts, options: .commandLine).text(pretty: true))
    } else {
      Output.lines(
        MessageRenderer(contracts, terminal: terminal, answering: request).lines(message))
    }
  }

  private var idempotency: IdempotencyLevel {
    switch method.idempotency {
    case .unknown: .unknown
    case .noSideEffects: .noSideEffects
    case .idempotent: .idempotent
    }
  }
}
