import Testing

@testable import KithCommands

@Suite struct NewPluginTests {
  @Test func aNameIsSpeltAsEachPlaceWantsIt() throws {
    let name = try PluginName("pill-box")
    #expect(name.type == "PillBox" && name.property == "pillBox" && name.snake == "pill_box")
    #expect(name.words == "Pill box" && name.executable == "pill-box-worker")
    #expect(name.contract == "PillBoxContract")
    #expect(try PluginName("ocr").contract == "OCRContract")
  }

  @Test(arguments: [
    "", "a", "Pill", "pill_box", "pill--box", "-pill", "pill-", "1pill", "pill box", "p\u{e4}ll",
    "../evil", "string", "status", "help", "kithd", "error", String(repeating: "a", count: 41),
  ])
  func aBadNameIsRefused(_ text: String) {
    let failure = #expect(throws: CommandFailure.self) { try PluginName(text) }
    #expect(failure?.status == .usage)
  }

  @Test func packageSwiftGetsALineInEachPlace() throws {
    let text = """
      let words: [Target] = [
        contract("Descriptor", serves: false),
        contract("Risk"),
        library("KithReflection", []),
      ]

      let plugins: [Target] =
        workerPlugin("RiskEngine", executable: "risk-engine-worker", contract: "RiskContract")

      /// Beside the house.
        products: [
          .executable(name: "kith", targets: ["kith"]),
          .library(name: "KithClient", targets: ["KithClient"]),
      """
    #expect(
      try PackageManifest(text: text).adding(PluginName("pill-box")) == """
        let words: [Target] = [
          contract("Descriptor", serves: false),
          contract("Risk"),
          contract("PillBox"),
          library("KithReflection", []),
        ]

        let plugins: [Target] =
          workerPlugin("RiskEngine", executable: "risk-engine-worker", contract: "RiskContract")
          + workerPlugin("PillBox", executable: "pill-box-worker", contract: "PillBoxContract")

        /// Beside the house.
          products: [
            .executable(name: "kith", targets: ["kith"]),
            .executable(name: "pill-box-worker", targets: ["pill-box-worker"]),
            .library(name: "KithClient", targets: ["KithClient"]),
        """)
  }

  @Test func anotherPackageSwiftIsLeftAlone() {
    #expect(throws: CommandFailure.self) {
      try PackageManifest(text: "let package = Package(name: \"x\")").adding(PluginName("pill-box"))
    }
  }

  @Test func theTemplateIsFilledIn() throws {
    let template = PluginTemplate(name: try PluginName("pill-box"))
    for file in [template.contract] + template.plugin + template.tests {
      #expect(!file.text.contains("{{") && !file.path.contains("{{"), "\(file.path)")
      let isSwift = file.path.hasSuffix(".swift")
      let lines = file.text.split(separator: "\n")
      #expect(!isSwift || lines.allSatisfy { $0.count <= 100 }, "\(file.path) has a long line")
    }
  }
}
