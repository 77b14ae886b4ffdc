import KithManifest
import KithReflection
import RiskContract
import Testing

@testable import KithPlanning

/// The plans that a product sells, and what its contracts have of them.
@Suite struct EntitlementCheckTests {
  private func plugin(
    _ name: String, provides: String, requires: String = "", config: String = ""
  ) throws -> CataloguedPlugin {
    CataloguedPlugin(
      manifest: try PluginManifest(
        parsing: """
          plugin: \(name)
          version: 1.0.0
          executable: program
          provides: [\(provides)]
          requires: [\(requires)]
          \(config)
          """, file: "\(name)/plugin.yaml"), directory: "/plugins/\(name)",
      executablePath: "/\(name)")
  }

  private func plan(
    features: String, limits: String = "", asks: Bool = true, sells: Bool = true
  ) throws -> Plan {
    let asked = asks ? "{ service: \(EntitlementCheck.service), optional: true }" : ""
    let seller = """
        seller:
          config: { features: [\(features)], limits: [\(limits)], when_away: refuse }
      """
    return try Plan(
      product: ProductManifest(
        parsing: "product: p\nworkers:\n  risk:\n\(sells ? seller : "")\n", file: "p.yaml"),
      catalogue: PluginCatalogue(plugins: [
        try plugin("risk", provides: "kith.risk.v1.RiskEngine", requires: asked),
        try plugin(
          "seller", provides: EntitlementCheck.service,
          config: """
            config:
              features: { type: strings, default: [], doc: "f" }
              limits: { type: strings, default: [], doc: "l" }
              when_away: { type: enum, values: [allow, refuse], default: allow, doc: "w" }
            """),
      ]))
  }

  private func errors(_ plan: Plan) throws -> [String] {
    let risk = try ContractSet(encodedDescriptorSet: RiskDescriptorSet.bytes)
    return EntitlementCheck.errors(in: plan) { _ in risk }.map(\.description)
  }

  @Test func aPlanNamesWhatContractsHave() throws {
    let good = try plan(features: "\"free: scam_check\"", limits: "\"free: scam_checks 3 a day\"")
    #expect(try errors(good) == [])
    let bad = try errors(
      try plan(
        features: "\"free: scam_check, scam_chek\"", limits: "\"free: scam_check 3 a day\""))
    #expect(bad.count == 2)
    #expect(
      bad[0].contains("names the feature 'scam_chek', which no contract has")
        && bad[0].contains("did you mean 'scam_check'") && bad[0].contains("p.yaml:"))
    #expect(bad[1].contains("names the quota 'scam_check'"))
    // Who does not tell its contracts may have any.
    #expect(EntitlementCheck.errors(in: try plan(features: "\"free: x\"")) { _ in nil }.isEmpty)
  }

  @Test func aWorkerThatConsumesMustAsk() throws {
    let errors = try errors(try plan(features: "", asks: false))
    #expect(errors.count == 1 && errors[0].contains("risk has methods that consume plans"))
    #expect(try self.errors(try plan(features: "", asks: false, sells: false)) == [])
  }

  @Test func workersAreToldWhatToDoAlone() throws {
    let plan = try plan(features: "")
    let risk = try #require(plan.worker(named: "risk"))
    #expect(plan.entitlements(for: risk) == "refuse")
    let seller = try #require(plan.worker(named: "seller"))
    #expect(plan.entitlements(for: seller) == nil)
    let without = try self.plan(features: "", sells: false)
    #expect(without.entitlements(for: try #require(without.worker(named: "risk"))) == nil)
  }
}
