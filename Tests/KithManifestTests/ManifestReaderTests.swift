import Glibc
import KithManifest
import ManifestSamples
import Testing

@Suite struct ManifestReaderTests {
  /// A folder of a test's own, gone with the test.
  private final class Folder {
    let path: String

    init() throws {
      var template = Array("/tmp/kith-manifest-XXXXXX".utf8CString)
      path = try #require(mkdtemp(&template).map { String(cString: $0) })
    }

    deinit {
      try? remove(path)
    }

    func write(_ text: String, to name: String, mode: mode_t = 0o644) throws {
      var folder = path
      for part in name.split(separator: "/").dropLast() {
        folder += "/\(part)"
        mkdir(folder, 0o755)
      }
      let file = try #require(fopen("\(path)/\(name)", "w"))
      fputs(text, file)
      fclose(file)
      chmod("\(path)/\(name)", mode)
    }

    private func remove(_ path: String) throws {
      if let stream = opendir(path) {
        while let entry = readdir(stream) {
          let name = withUnsafePointer(to: &entry.pointee.d_name) {
            $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
          }
          if name != ".", name != ".." { try remove("\(path)/\(name)") }
        }
        closedir(stream)
        rmdir(path)
      } else {
        unlink(path)
      }
    }
  }

  private func plugin(_ name: String, version: String = "1.0.0") -> String {
    "plugin: \(name)\nversion: \(version)\nexecutable: \(name)-worker\n"
  }

  @Test func findsPluginsAndTheirPrograms() throws {
    let folder = try Folder()
    try folder.write(plugin("one"), to: "p/One/plugin.yaml")
    try folder.write("#!", to: "p/One/bin/one-worker", mode: 0o755)
    try folder.write(plugin("two"), to: "p/Two/plugin.yaml")
    try folder.write("#!", to: "host/two-worker", mode: 0o755)
    try folder.write(plugin("three"), to: "p/Three/plugin.yaml")
    try folder.write("#!", to: "host/three-worker", mode: 0o644)
    try folder.write("", to: "p/NoPlugin/README.md")
    try folder.write(plugin("one", version: "2.0.0"), to: "later/plugin.yaml")
    let reader = ManifestReader(
      searchPath: ["\(folder.path)/p", "\(folder.path)/later"],
      programDirectory: "\(folder.path)/host")
    let catalogue = reader.catalogue()
    #expect(catalogue.errors.isEmpty)
    #expect(catalogue.plugins.map(\.manifest.name) == ["one", "three", "two"])
    #expect(catalogue["one"]?.manifest.version == "1.0.0")
    #expect(catalogue["one"]?.directory == "\(folder.path)/p/One")
    #expect(catalogue["one"]?.executablePath == "\(folder.path)/p/One/bin/one-worker")
    #expect(catalogue["two"]?.executablePath == "\(folder.path)/host/two-worker")
    #expect(catalogue["three"]?.executablePath == nil)
  }

  @Test func tellsOfWhatCannotBeRead() throws {
    let folder = try Folder()
    try folder.write("a: [", to: "p/A/plugin.yaml")
    try folder.write(plugin("b"), to: "p/B/plugin.yaml")
    try folder.write(plugin("b"), to: "p/B2/plugin.yaml")
    try folder.write("", to: "p/C/plugin.yaml/file")
    let reader = ManifestReader(
      searchPath: ["\(folder.path)/p", "\(folder.path)/absent"], programDirectory: "/")
    let catalogue = reader.catalogue()
    #expect(catalogue.plugins.map(\.manifest.name) == ["b"])
    #expect(
      catalogue.errors.map(\.code) == [.syntax, .duplicatePlugin, .unreadable, .unreadable])
    #expect(catalogue.errors.last?.location?.file == "\(folder.path)/absent")
  }

  @Test func aBaseIsNamedLikeAProduct() throws {
    let folder = try Folder()
    try folder.write("product: base\nworkers: { one: {} }", to: "p/products/base.yaml")
    try folder.write("product: other\nworkers: { one: {} }", to: "p/products/wrong.yaml")
    let reader = ManifestReader(searchPath: ["\(folder.path)/p"], programDirectory: "/")
    func product(_ base: String) throws -> ProductManifest {
      try folder.write("product: mine\nextends: \(base)\n", to: "mine.yaml")
      return try reader.product("\(folder.path)/mine.yaml")
    }
    #expect(try product("base").workers.map(\.name) == ["one"])
    #expect(try product("./p/products/base.yaml").workers.map(\.name) == ["one"])
    let unknown = errors { _ = try product("bse") }
    #expect(unknown.map(\.code) == [.missingProduct])
    #expect(unknown.first?.suggestion == "base")
    #expect(unknown.first?.location?.description == "\(folder.path)/mine.yaml:2:10")
    let misnamed = errors { _ = try product("wrong") }
    #expect(misnamed.first?.description.contains("expected 'wrong', as the file is called") == true)
  }

  @Test func findsProductsByNameAndByPath() throws {
    let folder = try Folder()
    try folder.write("product: base\nworkers: { one: {} }", to: "p/products/base.yaml")
    try folder.write(
      "product: milo\nextends: base.yaml\nworkers: { two: {} }", to: "p/products/milo.yaml")
    try folder.write("product: other\nworkers: { one: {} }", to: "p/products/wrong.yaml")
    try folder.write("product: lost\nextends: gone.yaml", to: "p/products/lost.yaml")
    let reader = ManifestReader(searchPath: ["\(folder.path)/p"], programDirectory: "/")
    #expect(try reader.product("milo").workers.map(\.name) == ["one", "two"])
    let path = "\(folder.path)/p/products/milo.yaml"
    #expect(try reader.product(path).name == "milo")
    #expect(reader.productNames() == ["base", "lost", "milo", "wrong"])

    let missing = errors { _ = try reader.product("mlio") }
    #expect(missing.first?.code == .missingProduct)
    #expect(missing.first?.suggestion == "milo")
    #expect(errors { _ = try reader.product("wrong") }.first?.code == .outOfRange)
    let lost = errors { _ = try reader.product("lost") }.first
    #expect(lost?.code == .unreadable && lost?.location?.line == 2)
    let absent = errors { _ = try reader.product("/absent.yaml") }.first
    #expect(absent?.description.contains("No such file or directory") == true)
  }

  @Test func refusesWhatIsNoText() throws {
    let folder = try Folder()
    try folder.write("", to: "a.yaml")
    let file = try #require(fopen("\(folder.path)/a.yaml", "w"))
    let bytes: [UInt8] = Array("product: a\n# é".utf8) + [0xff, 0x0a]
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
    let reader = ManifestReader(searchPath: [], programDirectory: "/")
    let found = errors { _ = try reader.product("\(folder.path)/a.yaml") }.first
    #expect(found?.code == .syntax)
    #expect(found?.location?.line == 2 && found?.location?.column == 4)
    mkfifo("\(folder.path)/b.yaml", 0o600)
    #expect(
      errors { _ = try reader.product("\(folder.path)/b.yaml") }.first?.message
        == "this is no regular file")
    try folder.write(String(repeating: "#", count: (1 << 20) + 1), to: "c.yaml")
    #expect(errors { _ = try reader.product("\(folder.path)/c.yaml") }.first?.code == .tooLarge)
  }

  @Test func searchesTheFoldersThatAPersonMeans() throws {
    let folder = try Folder()
    try folder.write("", to: "Plugins/x")
    try folder.write("", to: ".build/release/kithd")
    let reader = ManifestReader(
      folders: ["/given/"], environment: ["KITH_PLUGIN_PATH": "/one:/two:/given"],
      programDirectory: "\(folder.path)/.build/release")
    #expect(reader.searchPath == ["/given", "/one", "/two", "\(folder.path)/Plugins"])
  }
}
