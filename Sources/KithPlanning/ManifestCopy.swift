public import KithJSON
public import KithManifest

/// The manifests that a plan was made of, as they stood then: what makes the same plan when they
/// stand no more.
///
/// Holds what the manifests hold, configuration that is sensitive too: to be kept where only its
/// owner reads.
public struct ManifestCopy: Sendable, Hashable {
  /// A plugin as it was found.
  struct Plugin: Sendable, Hashable {
    var manifest: ManifestText
    var directory: String
    var executablePath: String
  }

  /// The product, and its base if it has one.
  var product: [ManifestText]
  /// The plugins that its workers are made from.
  var plugins: [Plugin]

  /// The plan that was made of them.
  /// - Throws: what is wrong; nothing is for the version of Kith that made the copy.
  public func plan() throws(ManifestErrors) -> Plan {
    guard let text = product.first else {
      throw ManifestErrors(ManifestError(.missingProduct, "the copy holds no product", at: nil))
    }
    var manifest = try ProductManifest(parsing: text.text, file: text.file)
    if let base = product.dropFirst().first {
      manifest = try manifest.extending(
        try ProductManifest(parsing: base.text, file: base.file))
    }
    var found: [CataloguedPlugin] = []
    for plugin in plugins {
      found.append(
        CataloguedPlugin(
          manifest: try PluginManifest(parsing: plugin.manifest.text, file: plugin.manifest.file),
          directory: plugin.directory, executablePath: plugin.executablePath))
    }
    return try Plan(product: manifest, catalogue: PluginCatalogue(plugins: found))
  }
}

extension ManifestCopy {
  /// The copy as a value that a file can hold.
  public var json: JSONValue {
    [
      "product": .array(product.map(\.json)),
      "plugins": .array(
        plugins.map {
          [
            "manifest": $0.manifest.json, "directory": .string($0.directory),
            "executable": .string($0.executablePath),
          ]
        }),
    ]
  }

  /// The copy of such a value; nil when it is none.
  public init?(_ value: JSONValue?) {
    guard let object = value?.objectValue, let product = object["product"]?.arrayValue,
      let plugins = object["plugins"]?.arrayValue
    else { return nil }
    self.product = product.compactMap(ManifestText.init)
    self.plugins = plugins.compactMap(Plugin.init)
    guard self.product.count == product.count, self.plugins.count == plugins.count else {
      return nil
    }
  }
}

extension ManifestText {
  fileprivate var json: JSONValue { ["file": .string(file), "text": .string(text)] }

  fileprivate init?(_ value: JSONValue) {
    guard let object = value.objectValue, let file = object["file"]?.stringValue,
      let text = object["text"]?.stringValue
    else { return nil }
    self.init(file: file, text: text)
  }
}

extension ManifestCopy.Plugin {
  fileprivate init?(_ value: JSONValue) {
    guard let object = value.objectValue, let text = object["manifest"].flatMap(ManifestText.init),
      let directory = object["directory"]?.stringValue,
      let executable = object["executable"]?.stringValue
    else { return nil }
    self.init(manifest: text, directory: directory, executablePath: executable)
  }
}
