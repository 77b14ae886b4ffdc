import KithAccess
import KithJSON
import KithRPC
import KithReflection
import KithTerminal
import KithVerbs

/// What a call on the command line sends.
enum CallRequests {
  /// One message.
  case one(DynamicMessage)
  /// A message a line of standard input, in JSON.
  case lines
}

/// A call of a method that is known only at run time, and the answer on standard output.
struct Call {
  let client: RPCClient
  let contracts: ContractSet
  let method: MethodDescription

  /// How the method is called.
  var descriptor: MethodDescriptor {
    MethodDescriptor(
      service: method.service, method: method.name, shape: shape, idempotency: idempotency)
  }

  /// Makes the call and writes the answer, or the answers as they come.
  ///
  /// Without a timeout in `settings` a call of one request and one answer has
  /// ``CallSettings/standardTimeout``; one with a stream has no end of its own.
  ///
  /// - Parameter files: where parts of the answer are written.
  func run(
    _ requests: CallRequests, settings: CallSettings,
    files: [(file: AnswerFile, path: String)] = [], terminal: Terminal
  ) async throws {
    if settings.idempotencyKey != nil, method.isStreaming {
      throw CommandFailure(
        .usage,
        "--idempotency-key: \(method.fullName) takes or answers a stream, and only a call of one request and one answer "
          + "can be repeated; leave the key out")
    }
    let isJSON = settings.isJSON
    let limit = method.isStreaming ? settings.timeout : settings.timeLimit
    var options = CallOptions(
      timeout: limit, waitForReady: true, idempotencyKey: settings.idempotencyKey)
    if let user = settings.user { options.metadata.append(user.text, forKey: CallContext.userKey) }
    if limit == nil { options.readyTimeout = CallSettings.standardTimeout }
    switch (requests, method.isClientStreaming, method.isServerStreaming) {
    case (.one(let request), false, false):
      let response = try await client.unary(
        descriptor, encodedRequest: request.encoded(), options: options)
      try write(
        response.message, answering: request, isJSON: isJSON, files: files, terminal: terminal)
    default:
      let stream = CallStream(call: self, options: options)
      try await stream.run(requests) { answer in
        if method.isServerStreaming {
          try Output.line(try message(answer).json(contracts, options: .commandLine).text())
        } else {
          try write(answer, answering: nil, isJSON: isJSON, files: files, terminal: terminal)
        }
      }
    }
  }

  /// Makes a call of one request and one answer, and gives the answer in JSON.
  func json(_ request: DynamicMessage, options: CallOptions) async throws -> JSONValue {
    let response = try await client.unary(
      descriptor, encodedRequest: request.encoded(), options: options)
    return try message(response.message).json(contracts, options: .commandLine)
  }

  private func message(_ answer: [UInt8]) throws(CommandFailure) -> DynamicMessage {
    do throws(ContractError) {
      return try contracts.decode(answer, as: method.responseType)
    } catch {
      throw CommandFailure(.defect, "the answer of \(method.fullName) cannot be read: \(error)")
    }
  }

  private func write(
    _ answer: [UInt8], answering request: DynamicMessage?, isJSON: Bool,
    files: [(file: AnswerFile, path: String)], terminal: Terminal
  ) throws(CommandFailure) {
    var message = try message(answer)
    var written: [String] = []
    for (file, path) in files {
      let count = try file.write(to: path, from: &message)
      written.append(
        "\(file.name): written to \(SafeText.line(path)), \(Quantities.bytes(UInt64(count)))")
    }
    if isJSON {
      try Output.line(message.json(contracts, options: .commandLine).text(pretty: true))
    } else {
      try Output.lines(
        MessageRenderer(contracts, terminal: terminal, answering: request).lines(message) + written)
    }
  }

  private var shape: CallShape {
    switch (method.isClientStreaming, method.isServerStreaming) {
    case (false, false): .unary
    case (true, false): .clientStreaming
    case (false, true): .serverStreaming
    case (true, true): .bidirectional
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
