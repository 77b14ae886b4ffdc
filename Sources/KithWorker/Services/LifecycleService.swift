import KithJSON
import KithRPC
import Logging
import WorkerContract

/// Lets the host lead a worker through its life. Reads the requests; ``WorkerRuntime`` does the
/// rest.
struct LifecycleService: LifecycleHandler {
  let runtime: WorkerRuntime

  func handshake(
    _ request: HandshakeRequest, context: CallContext
  ) async throws -> HandshakeResponse {
    let (minimum, maximum) = (request.minimumProtocolVersion, request.maximumProtocolVersion)
    guard minimum <= maximum else {
      throw RPCError.invalidArgument(
        field: "maximum_protocol_version", "must not be below minimum_protocol_version")
    }
    return try runtime.handshake(
      nonce: request.nonce, hostProof: request.hostProof, versions: minimum...maximum)
  }

  func configure(
    _ request: ConfigureRequest, context: CallContext
  ) async throws -> ConfigureResponse {
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONValue(parsing: request.configurationJson)
    } catch {
      throw RPCError.invalidArgument(field: "configuration_json", error.description)
    }
    guard let object = value.objectValue else {
      throw RPCError.invalidArgument(
        field: "configuration_json", "must be a JSON object, not \(value.kindDescription)")
    }
    try await runtime.configure(WorkerConfiguration(object), hostAddress: request.hostAddress)
    return ConfigureResponse()
  }

  func start(_ request: StartRequest, context: CallContext) async throws -> StartResponse {
    let duration = try await runtime.startServices()
    let (seconds, attoseconds) = duration.components
    return StartResponse(startDurationUs: seconds * 1_000_000 + attoseconds / 1_000_000_000_000)
  }

  func drain(_ request: DrainRequest, context: CallContext) async throws -> DrainResponse {
    let others = try runtime.drain(
      .milliseconds(Int64(request.gracePeriodMs)),
      linger: .milliseconds(Int64(request.lingerMs)))
    return DrainResponse(callsInProgress: UInt32(clamping: others))
  }

  func moveClock(
    _ request: MoveClockRequest, context: CallContext
  ) async throws -> MoveClockResponse {
    guard let time = request.time else {
      throw RPCError.invalidArgument(field: "time", "what the clocks are to show is missing")
    }
    return try await runtime.moveClock(to: time, afterTakingIn: request.logEnds)
  }

  func takeKeys(
    _ request: TakeKeysRequest, context: CallContext
  ) async throws -> TakeKeysResponse {
    try runtime.takeKeys(request.keys)
    return TakeKeysResponse()
  }

  func setLogLevel(
    _ request: SetLogLevelRequest, context: CallContext
  ) async throws -> SetLogLevelResponse {
    guard let level = Logger.Level(rawValue: request.level) else {
      throw RPCError.invalidArgument(
        field: "level",
        "expected one of \(Logger.Level.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    try runtime.setLogLevel(level)
    return SetLogLevelResponse()
  }
}
