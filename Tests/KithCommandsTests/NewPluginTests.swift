import Testing

@testable import KithCommands
@testable import KithScaffold
@testable import KithTerminal

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

  @Test(arguments: [
    ("pill-box", false, "workerPlugin(\"PillBox\"),"),
    ("pill-box", true, "workerPlugin(\"PillBox\", keepsData: true),"),
    ("ocr", false, "workerPlugin(\"Ocr\", area: \"OCR\"),"),
    ("pill-2", false, "workerPlugin(\"Pill2\", executable: \"pill-2-worker\"),"),
  ])
  func packageSwiftGetsALine(_ name: String, _ keepsData: Bool, _ line: String) throws {
    let text = """
      let platform: [Target] = [
        contract("Risk"),
      ]

      let plugins: [Plugin] = [
        workerPlugin("RiskEngine", area: "Risk"),
      ]

      let package = Package(
      """
    #expect(
      try PackageManifest(text: text).adding(PluginName(name), keepsData: keepsData)
        == text.replacing("area: \"Risk\"),\n", with: "area: \"Risk\"),\n  \(line)\n"))
  }

  @Test func anotherPackageSwiftIsLeftAlone() {
    #expect(throws: CommandFailure.self) {
      try PackageManifest(text: "let package = Package(name: \"x\")").adding(PluginName("pill-box"))
    }
  }

  @Test(arguments: [false, true], [nil, PluginPackage(kith: "/kith")])
  func theTemplateIsFilledIn(_ keepsData: Bool, _ package: PluginPackage?) throws {
    let template = PluginTemplate(
      name: try PluginName("pill-box"), keepsData: keepsData, package: package)
    for file in [template.contract] + template.plugin + template.tests {
      #expect(!file.text.contains("{{") && !file.path.contains("{{"), "\(file.path)")
      let isSwift = file.path.hasSuffix(".swift")
      let lines = file.text.split(separator: "\n")
      #expect(!isSwift || lines.allSatisfy { $0.count <= 100 }, "\(file.path) has a long line")
    }
    #expect(
      template.contract.path.hasPrefix(package == nil ? "proto/kith/pill_box/" : "proto/pill_box/"))
  }

  /// `Tests/ExamplePackage`, which this build compiles and tests, is what a new package is made of.
  @Test func theExamplePackageIsWhatTheTemplateWrites() throws {
    let folder = Checkout(
      root: "/" + #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
        + "/ExamplePackage")
    let package = PluginPackage(kith: "../..")
    let name = try PluginName("garden-notes")
    let template = PluginTemplate(name: name, keepsData: true, package: package)
    for file in package.files(name) + [template.contract] + template.plugin + template.tests {
      let isTheSame = try folder.text(of: file.path) == file.text
      #expect(isTheSame, "Tests/ExamplePackage/\(file.path) is not what the template writes")
    }
  }

  @Test func aPackageFindsKithByPathOrAddress() throws {
    let name = try PluginName("pill-box")
    let byAddress = PluginPackage(kith: "https://example.org/care/kith-sdk.git").files(name)[0].text
    #expect(byAddress.contains(".package(url: \"https://example.org/care/kith-sdk.git\", branch:"))
    #expect(byAddress.contains(".product(name: \"KithSDK\", package: \"kith-sdk\")"))
    let byPath = PluginPackage(kith: "/home/ana/kith").files(name)[0].text
    #expect(byPath.contains(".package(name: \"kith\", path: \"/home/ana/kith\")"))
  }
}
