import DescriptorContract
import Glibc
import KithManifest
import KithReflection
import KithTesting
import KithWire
import RiskContract
import ManifestSamples
import Testing

@testable import KithPlanning

/// The contracts between the workers of a plan, as their programs tell them.
@Suite struct ContractCheckTests {
  private static let service = "kith.risk.v1.RiskEngine"

  private func plugin(
    _ name: String, provides: String = "", requires: String = "", executable: String
  ) throws -> CataloguedPlugin {
    CataloguedPlugin(
      manifest: try PluginManifest(
        parsing: """
          plugin: \(name)
          version: 1.0.0
          executable: program
          provides: [\(provides)]
          requires: [\(requires)]
          """, file: "\(name)/plugin.yaml"), directory: "/plugins/\(name)",
      executablePath: executable)
  }

  /// `caller` requires what `risk` provides.
  private func plan(caller: String = "/caller", risk: String = "/risk") throws -> Plan {
    try Plan(
      product: ProductManifest(
        parsing: "product: p\nworkers:\n  caller:\n  risk:\n", file: "p.yaml"),
      catalogue: PluginCatalogue(plugins: [
        try plugin("caller", requires: Self.service, executable: caller),
        try plugin("risk", provides: Self.service, executable: risk),
      ]))
  }

  /// The risk engine's descriptors with a change to `AnalyzeRequest.text`.
  private func changed(_ change: (inout FieldDescriptorProto) -> Void) throws -> [UInt8] {
    var set = try FileDescriptorSet(decoding: RiskDescriptorSet.bytes)
    let file = try #require(set.file.firstIndex { $0.name == "kith/risk/v1/risk.proto" })
    let message = try #require(
      set.file[file].messageType.firstIndex { $0.name == "AnalyzeRequest" })
    let field = try #require(
      set.file[file].messageType[message].field.firstIndex { $0.name == "text" })
    change(&set.file[file].messageType[message].field[field])
    return try set.encoded()
  }

  @Test func namesTheWorkersTheMessageAndTheField() throws {
    let own = try ContractSet(encodedDescriptorSet: RiskDescriptorSet.bytes)
    let other = try ContractSet(encodedDescriptorSet: changed { $0.number = 99 })
    let errors = ContractCheck.errors(in: try plan()) {
      $0.executablePath == "/caller" ? own : other
    }
    #expect(errors.map(\.code) == [.contractMismatch])
    #expect(
      errors.first?.description
        == "/plugins/caller/plugin.yaml: caller was built for another kith.risk.v1.RiskEngine than risk serves: "
        + "kith.risk.v1.AnalyzeRequest.text (kith/risk/v1/risk.proto) has the number 99, and 1 for the caller; "
        + "expected both built with one contract, or one that only grew (FIELD_SAME_NUMBER)")
  }

  @Test func whoDoesNotTellIsNotChecked() throws {
    let own = try ContractSet(encodedDescriptorSet: RiskDescriptorSet.bytes)
    let plan = try plan()
    #expect(ContractCheck.errors(in: plan) { _ in nil }.isEmpty)
    #expect(ContractCheck.errors(in: plan) { $0.name == "caller" ? own : nil }.isEmpty)
    #expect(ContractCheck.errors(in: plan) { _ in own }.isEmpty)
  }

  @Test func aProgramTellsItsContracts() throws {
    let program = "\(try Program.builtFolder())/risk-engine-worker"
    let contracts = try #require(ProgramContracts.read(from: program))
    // It says the same as the contract that it serves by.
    let own = try ContractSet(encodedDescriptorSet: RiskDescriptorSet.bytes)
    let methods = contracts.service(named: Self.service)?.methods.map(\.name)
    #expect(methods?.contains("Analyze") == true)
    #expect(methods == own.service(named: Self.service)?.methods.map(\.name))
    #expect(
      ContractComparison.breaks(of: Self.service, caller: contracts, callee: own).isEmpty)
    #expect(
      ContractComparison.breaks(of: Self.service, caller: own, callee: contracts).isEmpty)
  }

  @Test func otherFilesTellNothing() throws {
    let folder = try TemporaryFolder()
    try folder.write("#!/bin/sh\nexit 1\n", to: "script", mode: 0o755)
    try folder.write("", to: "empty")
    for path in ["\(folder.path)/script", "\(folder.path)/empty", folder.path, "/bin/sh", "/none"] {
      #expect(ProgramContracts.read(from: path)?.services == nil, "\(path)")
    }
  }

  @Test func aDamagedProgramTellsNothingAndHarmsNobody() throws {
    let program = "\(try Program.builtFolder())/risk-engine-worker"
    let descriptor = open(program, O_RDONLY)
    defer { close(descriptor) }
    func read(_ offset: UInt64, _ count: Int) -> [UInt8]? {
      guard count <= 64 << 20, let offset = Int(exactly: offset) else { return nil }
      var bytes = [UInt8](repeating: 0, count: count)
      return pread(descriptor, &bytes, count, offset) == count ? bytes : nil
    }
    let whole = try #require(ProgramSection.bytes(named: ProgramContracts.section, read: read))
    #expect(!whole.isEmpty)
    // Every byte of the header that says where things are, wrong in several ways.
    for position in 0..<64 {
      for value in [UInt8(0), 1, 0x7F, 0xFF] {
        _ = ProgramSection.bytes(named: ProgramContracts.section) { offset, count in
          guard var bytes = read(offset, count) else { return nil }
          if offset == 0, position < count { bytes[position] = value }
          return bytes
        }
      }
    }
  }
}
