import KithManifest
import KithPlanning
import KithTesting
import ManifestSamples
import Testing

/// A plugin that a product names and that cannot be read.
@Suite struct MissingPluginTests {
  @Test(
    arguments: [
      "plugin: aa\nversion: 1\nexecutable: aa-worker\n",
      "plugin: aa # the name\nversion: 1.0.0\nexecutable: [\n",
      "plugin: 'aa'\nversion: 1.0.0\nexecutable: aa-worker\nconfg: {}\n",
    ])
  func aPluginThatIsThereAndWrongIsNotCalledMissing(_ text: String) throws {
    let folder = try TemporaryFolder()
    try folder.write(text, to: "p/Aa/plugin.yaml")
    try folder.write("plugin: bb\n", to: "p/Bb/plugin.yaml")
    try folder.write("product: one\nworkers: { aa: {} }", to: "p/products/one.yaml")
    let reader = ManifestReader(searchPath: ["\(folder.path)/p"], programDirectory: "/")
    let found = errors { _ = try reader.plan("one") }
    #expect(found.count == 1)
    #expect(found.first?.location?.file == "\(folder.path)/p/Aa/plugin.yaml", "\(found)")
  }

  @Test func aPluginThatDoesNotSayItsNameMayBeTheMissingOne() throws {
    let folder = try TemporaryFolder()
    try folder.write("plugn: aa\nversion: 1.0.0\nexecutable: a\n", to: "p/Aa/plugin.yaml")
    try folder.write("product: one\nworkers: { aa: {} }", to: "p/products/one.yaml")
    let reader = ManifestReader(searchPath: ["\(folder.path)/p"], programDirectory: "/")
    let found = errors { _ = try reader.plan("one") }
    #expect(found.map(\.code) == [.unknownKey, .missingKey, .missingPlugin])
  }
}
