import KithRPC
import RiskContract

/// Nobody asks a worker that misbehaves for more than `Analyze` and `GetModel`.
extension Misbehaviour {
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

  private var unanswered: RPCError { RPCError(.unimplemented, "this worker only misbehaves") }
}
