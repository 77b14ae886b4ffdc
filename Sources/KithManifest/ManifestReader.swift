import Glibc

/// Reads manifests from disk. The one part of this module that does; it only reads.
///
/// Plugins are found in the folders of the search path, in order; the first of a name stands. A
/// folder of the path holds plugin folders (`Plugins/RiskEngine/plugin.yaml`) or is one itself.
/// Products lie in `products/NAME.yaml` under such a folder. A plugin's program is looked for in
/// `bin` beside its `plugin.yaml` and then beside the host's own program.
public struct ManifestReader: Sendable, Hashable {
  /// The folders that are searched.
  public let searchPath: [String]
  /// The folder of the host's program.
  public let programDirectory: String

  /// A reader over these folders.
  public init(searchPath: [String], programDirectory: String) {
    self.searchPath = searchPath
    self.programDirectory = programDirectory
  }

  /// A reader over the folders that a person means: those given, then `KITH_PLUGIN_PATH` (with
  /// colons between), then `share/kith/plugins` of an installed Kith, then a `Plugins` folder above
  /// the program, as in a checkout.
  /// - Parameters:
  ///   - folders: what `--plugins` says.
  ///   - programDirectory: the folder of the running program unless told.
  public init(
    folders: [String] = [], environment: [String: String], programDirectory: String? = nil
  ) {
    let program = programDirectory ?? Self.runningProgramDirectory()
    var path = folders.map(Self.absolute)
    path += (environment["KITH_PLUGIN_PATH"] ?? "").split(separator: ":")
      .map { Self.absolute(String($0)) }
    let installed = Self.parent(program) + "/share/kith/plugins"
    if Self.isDirectory(installed) { path.append(installed) }
    var folder = program
    while folder != "/", !folder.isEmpty {
      if Self.isDirectory("\(folder)/Plugins") {
        path.append("\(folder)/Plugins")
        break
      }
      folder = Self.parent(folder)
    }
    var seen: Set<String> = []
    self.init(
      searchPath: path.filter { seen.insert($0).inserted }, programDirectory: program)
  }

  // MARK: Plugins

  /// The plugins of the search path. What cannot be read becomes an error of the catalogue, so that
  /// one broken plugin stops no product that does without it.
  public func catalogue() -> PluginCatalogue {
    var plugins: [CataloguedPlugin] = []
    var errors: [ManifestError] = []
    var unusable: [String: [ManifestError]] = [:]
    for folder in searchPath {
      var here: [String: CataloguedPlugin] = [:]
      for file in pluginFiles(in: folder, errors: &errors) {
        do throws(ManifestErrors) {
          let plugin = try self.plugin(at: file)
          if let first = here[plugin.manifest.name] {
            errors.append(
              ManifestError(
                .duplicatePlugin,
                "\(first.manifest.location.file) has the name '\(plugin.manifest.name)' too",
                at: plugin.manifest.location, expected: "one plugin of a name in a folder"))
          } else {
            here[plugin.manifest.name] = plugin
            plugins.append(plugin)
          }
        } catch {
          errors += error.errors
          if let text = try? Self.text(of: file), let name = PluginManifest.statedName(in: text) {
            unusable[name] = unusable[name] ?? error.errors
          }
        }
      }
    }
    return PluginCatalogue(
      plugins: plugins, searchPath: searchPath, errors: errors, unusable: unusable)
  }

  /// The plugin of one `plugin.yaml`.
  public func plugin(at file: String) throws(ManifestErrors) -> CataloguedPlugin {
    let manifest = try PluginManifest(parsing: try Self.text(of: file), file: file)
    let directory = Self.parent(file)
    let candidates = ["\(directory)/bin", programDirectory].map { "\($0)/\(manifest.executable)" }
    return CataloguedPlugin(
      manifest: manifest, directory: directory,
      executablePath: candidates.first(where: Self.isExecutableFile),
      executableCandidates: candidates)
  }

  private func pluginFiles(in folder: String, errors: inout [ManifestError]) -> [String] {
    let own = "\(folder)/plugin.yaml"
    if Self.exists(own) { return [own] }
    do throws(ManifestError) {
      return try Self.names(in: folder).map { "\(folder)/\($0)/plugin.yaml" }.filter(Self.exists)
    } catch {
      errors.append(error)
      return []
    }
  }

  // MARK: Products

  /// The product of that name on the search path, or of that file when it is a path (it has a slash
  /// or ends in `.yaml` or `.yml`), over its base.
  public func product(_ nameOrPath: String) throws(ManifestErrors) -> ProductManifest {
    let isPath = Self.isPath(nameOrPath)
    let file = isPath ? Self.absolute(nameOrPath) : try productFile(named: nameOrPath)
    let product = try ProductManifest(parsing: try Self.text(of: file), file: file)
    if !isPath { try Self.check(product, isNamed: nameOrPath) }
    guard let extends = product.extends else { return product }
    return try product.extending(try base(extends, of: file))
  }

  /// The product that another extends: one of the search path where it is named, else that of a
  /// path from the other's folder.
  private func base(
    _ extends: ProductManifest.Extension, of file: String
  ) throws(ManifestErrors) -> ProductManifest {
    guard Self.isPath(extends.path) else {
      do throws(ManifestErrors) {
        let baseFile = try productFile(named: extends.path)
        let base = try ProductManifest(parsing: try Self.text(of: baseFile), file: baseFile)
        try Self.check(base, isNamed: extends.path)
        return base
      } catch {
        // That there is no such product is told where it is named.
        throw ManifestErrors(
          error.errors.map { error in
            var error = error
            error.location = error.location ?? extends.location
            return error
          }) ?? error
      }
    }
    let baseFile =
      extends.path.hasPrefix("/") ? extends.path : "\(Self.parent(file))/\(extends.path)"
    let text: String
    do throws(ManifestErrors) {
      text = try Self.text(of: baseFile)
    } catch {
      let reason = error.errors[0].message
      throw ManifestErrors(
        ManifestError(
          .unreadable, "the base '\(extends.path)' cannot be read: \(reason)",
          at: extends.location, expected: "a path from the folder of this file"))
    }
    return try ProductManifest(parsing: text, file: baseFile)
  }

  /// Whether a text means a file, rather than a product of the search path.
  private static func isPath(_ text: String) -> Bool {
    text.contains("/") || text.hasSuffix(".yaml") || text.hasSuffix(".yml")
  }

  private static func check(
    _ product: ProductManifest, isNamed name: String
  ) throws(ManifestErrors) {
    guard product.name != name else { return }
    throw ManifestErrors(
      ManifestError(
        .outOfRange, "'product' is '\(product.name)'", at: product.location,
        expected: "'\(name)', as the file is called"))
  }

  /// The names of the products on the search path, sorted.
  public func productNames() -> [String] {
    var names: Set<String> = []
    for folder in productFolders {
      for file in (try? Self.names(in: folder)) ?? [] where file.hasSuffix(".yaml") {
        names.insert(String(file.dropLast(".yaml".count)))
      }
    }
    return names.sorted()
  }

  private var productFolders: [String] {
    searchPath.map { "\($0)/products" }.filter(Self.isDirectory)
  }

  private func productFile(named name: String) throws(ManifestErrors) -> String {
    let files = productFolders.map { "\($0)/\(name).yaml" }
    if let file = files.first(where: Self.exists) { return file }
    let names = productNames()
    let searched = searchPath.isEmpty ? "no folder" : searchPath.joined(separator: ", ")
    throw ManifestErrors(
      ManifestError(
        .missingProduct, "there is no product '\(name.prefix(80))' (searched: \(searched))",
        at: nil,
        expected: names.isEmpty
          ? "products/NAME.yaml in a folder given with --plugins, or the path of a manifest"
          : "one of \(names.joined(separator: ", ")), or the path of a manifest",
        suggestion: nearestName(to: name, among: names)))
  }

  // MARK: Files

  /// The text of a manifest: a regular file of bounded size, valid UTF-8.
  private static func text(of file: String) throws(ManifestErrors) -> String {
    do throws(ManifestError) {
      let bytes = try self.bytes(of: file)
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw ManifestError(
          .syntax, "the file is not valid UTF-8", at: firstInvalidPlace(bytes, file: file),
          expected: "text in UTF-8")
      }
      return text
    } catch {
      throw ManifestErrors(error)
    }
  }

  private static func bytes(of file: String) throws(ManifestError) -> [UInt8] {
    // Not blocking, so that a named pipe in the place of a manifest hangs nothing.
    let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw unreadable(file, errno) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw unreadable(file, errno) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw ManifestError(
        .unreadable, "this is no regular file", at: SourceLocation(file: file),
        expected: "a manifest in YAML")
    }
    var bytes: [UInt8] = []
    let chunk = 64 << 10
    while true {
      var count = 0
      bytes += [UInt8](unsafeUninitializedCapacity: chunk) { buffer, initialized in
        count = read(descriptor, buffer.baseAddress, chunk)
        initialized = max(0, count)
      }
      if count < 0 {
        if errno == EINTR { continue }
        throw unreadable(file, errno)
      }
      guard bytes.count <= ManifestLimits.fileBytes else {
        throw ManifestError(
          .tooLarge, "the file is too large", at: SourceLocation(file: file),
          expected: "at most \(ManifestLimits.fileBytes) bytes")
      }
      if count == 0 { return bytes }
    }
  }

  /// The place of the first byte that is not UTF-8.
  private static func firstInvalidPlace(_ bytes: [UInt8], file: String) -> SourceLocation {
    var decoder = UTF8()
    var iterator = bytes.makeIterator()
    var place = SourceLocation(file: file, line: 1, column: 1)
    while case .scalarValue(let scalar) = decoder.decode(&iterator) {
      if scalar == "\n" {
        place.line += 1
        place.column = 1
      } else {
        place.column += 1
      }
    }
    return place
  }

  private static func unreadable(_ file: String, _ code: Int32) -> ManifestError {
    ManifestError(
      .unreadable, String(cString: strerror(code)), at: SourceLocation(file: file),
      expected: "a file that can be read")
  }

  private static func names(in folder: String) throws(ManifestError) -> [String] {
    guard let stream = opendir(folder) else {
      throw ManifestError(
        .unreadable, String(cString: strerror(errno)), at: SourceLocation(file: folder),
        expected: "a folder with plugins")
    }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) {
          String(cString: $0)
        }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }

  private static func exists(_ path: String) -> Bool {
    access(path, F_OK) == 0
  }

  private static func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  private static func isExecutableFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
      && access(path, X_OK) == 0
  }

  /// The path from the root on, without a slash at its end.
  private static func absolute(_ path: String) -> String {
    var path = path[...]
    while path.count > 1, path.last == "/" { path = path.dropLast() }
    if path.hasPrefix("/") { return String(path) }
    guard let current = getcwd(nil, 0) else { return String(path) }
    defer { free(current) }
    let folder = String(cString: current)
    return path == "." ? folder : "\(folder)/\(path)"
  }

  private static func parent(_ path: String) -> String {
    guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
    return String(path[..<slash])
  }

  /// The folder of the program that runs, links resolved.
  private static func runningProgramDirectory() -> String {
    guard let path = realpath("/proc/self/exe", nil) else { return "/" }
    defer { free(path) }
    return parent(String(cString: path))
  }
}
