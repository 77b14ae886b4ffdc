import KithRPC
import KithTransportNng
import RiskContract

/// Kith over ipc: the generated client and handler, as a worker and its caller use them.
enum KithPeer {
  /// Serves `Analyze` and the streams until the process is ended.
  static func serve(socketPath: String) async throws {
    let server = RPCServer(services: [.riskEngine(Handler()), KithStreamPeer.service])
    try await server.serve(on: NngListener(address: "ipc://\(socketPath)"))
  }

  /// Connects and hands over a closure that makes one call; the connection ends with the closure.
  static func withClient(
    socketPath: String,
    _ body: (_ call: @escaping @Sendable () async throws -> Void) async throws -> Void
  ) async throws {
    let client = RPCClient(connector: NngConnector(address: "ipc://\(socketPath)"))
    defer { client.close() }
    let engine = RiskEngineClient(client)
    let request = AnalyzeRequest(
      text: SharedHandler.text, channel: .sms, locale: "en-US", state: "WA")
    try await body {
      let answer = try await engine.analyze(request)
      precondition(answer.reasons.count == 3, "the worker answered something else")
    }
  }

  private struct Handler: RiskEngineHandler {
    func analyze(_ request: AnalyzeRequest, context: CallContext) async throws -> AnalyzeResponse {
      var answer = AnalyzeResponse(score: 0.91, score100: 91, level: .high, label: .likelyScam)
      answer.reasons = (0..<SharedHandler.reasonCount(for: request.text)).map { index in
        Reason(
          signal: "gift_card_payment",
          sentence: "Nobody official asks to be paid in gift cards.",
          share: 0.5,
          span: Span(start: UInt32(index), end: UInt32(index + 9)))
      }
      return answer
    }

    func getModel(_ request: GetModelRequest, context: CallContext) async throws -> GetModelResponse
    {
      GetModelResponse()
    }

    // The peer has one method; nobody calls these.
    private var unanswered: RPCError { RPCError(.unimplemented, "the benchmark calls Analyze") }

    func explain(_ request: AnalyzeRequest, context: CallContext) async throws -> Explanation {
      throw unanswered
    }

    func buildFeatures(
      _ request: AnalyzeRequest, context: CallContext
    ) async throws -> BuildFeaturesResponse { throw unanswered }

    func analyzeFeatures(
      _ request: FeatureVector, context: CallContext
    ) async throws -> AnalyzeFeaturesResponse { throw unanswered }

    func inspectLink(
      _ request: InspectLinkRequest, context: CallContext
    ) async throws -> LinkReport { throw unanswered }

    func listRules(
      _ request: ListRulesRequest, context: CallContext
    ) async throws -> ListRulesResponse { throw unanswered }
  }
}
