import KithRPC
import KithWorker
import RiskContract

/// Asks the risk engine about a text.
struct Advisor {
  let risk: RiskEngineClient

  init(_ context: WorkerContext) throws {
    risk = RiskEngineClient(try context.client(ofService: "kith.risk.v1.RiskEngine"))
  }

  func isScam(_ text: String) async throws(RPCError) -> Bool {
    let options = CallOptions(timeout: .seconds(2), waitForReady: true)
    do throws(RPCError) {
      let answer = try await risk.analyze(AnalyzeRequest(text: text), options: options)
      return answer.label == .likelyScam
    } catch {
      guard error.code == .deadlineExceeded else { throw error }
      return false
    }
  }
}
