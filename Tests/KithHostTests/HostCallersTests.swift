import HostContract
import KithIdentity
import KithRPC
import KithSupervision
import Testing

@testable import KithHost

/// Who may call what of the control service.
@Suite struct HostCallersTests {
  private static let secret = [UInt8](repeating: 7, count: 32)
  private static let odd = Incarnation(worker: "odd", generation: 2)

  private let token = OperatorToken()
  private let callers: HostCallers

  init() {
    callers = HostCallers(product: "milo", token: token)
    callers[Self.odd] = HostCallers.Known(
      secret: Self.secret, requires: ["kith.risk.v1.RiskEngine"], actsForUsers: false,
      programs: nil)
  }

  private func proof(
    _ worker: String = "odd", _ generation: UInt64 = 2, product: String = "milo",
    secret: [UInt8] = secret
  ) throws -> Metadata {
    var metadata = Metadata()
    metadata.append(
      binary: try WorkerIdentity(product: product, worker: worker, generation: generation)
        .proof(secret: secret), forKey: ProofKeys.worker)
    return metadata
  }

  /// The whole table: a method that is added must be added here too, with a decision.
  private static let table: [String: Callers] = [
    "GetStatus": .operators, "Resolve": .identified, "IssuePass": .identified,
    "StartWorker": .operators, "StopWorker": .operators, "RestartWorkers": .operators,
    "UpgradeWorker": .operators, "PlanChanges": .operators, "ApplyChanges": .operators,
    "UpgradeHost": .operators, "GetMetrics": .operators, "GetClock": .identified,
    "ListPrograms": .identified, "SignalProgram": .identified, "MoveClock": .operators,
    "SetWorkerLogLevel": .operators, "ReadLog": .operators,
    "HandOverKeys": .operators, "Shutdown": .operators,
  ]

  @Test func everyMethodHasARow() {
    let stated = HostMethods.all.map { ($0.method, $0.callers) }
    #expect(Dictionary(uniqueKeysWithValues: stated) == Self.table)
  }

  @Test(arguments: HostMethods.all)
  func aWorkerMayCallWhatIsForWorkersAndAStrangerNothing(_ method: MethodDescriptor) throws {
    let isForWorkers = method.callers == .identified
    let worker = try proof()
    #expect(((try? callers.identify(method, worker)) != nil) == isForWorkers)
    #expect(throws: RPCError.self) { try callers.identify(method, [:]) }
    #expect(try callers.identify(method, [ProofKeys.operator: token.text]) == .operator)
  }

  @Test func aWorkerIsRefusedByNameAndAStrangerIsToldToProveItself() throws {
    func code(_ metadata: Metadata) -> StatusCode? {
      do throws(RPCError) {
        _ = try callers.identify(HostMethods.upgradeHost, metadata)
        return nil
      } catch { return error.code }
    }
    #expect(code(try proof()) == .permissionDenied)
    #expect(code([:]) == .unauthenticated)
    #expect(code([ProofKeys.operator: OperatorToken().text]) == .unauthenticated)
    #expect(code([ProofKeys.operator: ""]) == .unauthenticated)
  }

  @Test func aProofIsForOneIncarnationOfOneProduct() throws {
    let method = HostMethods.resolve
    #expect(try callers.identify(method, try proof()) == .worker("odd", generation: 2))
    for wrong in [
      try proof("even"), try proof("odd", 1), try proof(product: "lockr"),
      try proof(secret: [UInt8](repeating: 8, count: 32)),
    ] {
      #expect(throws: RPCError.self) { try callers.identify(method, wrong) }
    }
  }

  @Test func anIncarnationThatHasEndedMayCallNoLonger() throws {
    callers[Self.odd] = nil
    #expect(throws: RPCError.self) { try callers.identify(HostMethods.resolve, try proof()) }
  }
}
